// Functions that V8 compiles while they run: one that calls itself, and one with a loop.
function fib(n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
function busyLoop(n) {
    let sum = 0;
    for (let i = 0; i < n; i++)
        sum = (sum * 31 + i) % 1000003;
    return sum;
}
function work() {
    let sum = 0;
    for (let i = 0; i < 20; i++)
        sum += fib(27) + busyLoop(4e6);
    return sum;
}
console.log(work());
