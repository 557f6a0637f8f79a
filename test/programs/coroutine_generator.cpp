// Coroutines of C++20: a generator that calls functions between its values, one that is destroyed
// half-way, one that throws, and two of the same function that take turns.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>

struct Generator {
    struct promise_type {
        int value = 0;
        std::exception_ptr problem;
        Generator get_return_object() {
            return Generator{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int n) noexcept {
            value = n;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { problem = std::current_exception(); }
    };
    std::coroutine_handle<promise_type> handle;

    explicit Generator(std::coroutine_handle<promise_type> handle) : handle(handle) {}
    Generator(Generator&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    ~Generator() {
        if (handle)
            handle.destroy();
    }
    bool next() {
        handle.resume();
        if (handle.promise().problem)
            std::rethrow_exception(std::exchange(handle.promise().problem, nullptr));
        return !handle.done();
    }
    int value() const { return handle.promise().value; }
};

__attribute__((noinline)) static void leaf() { asm volatile(""); }
__attribute__((noinline)) static void cleaned() { asm volatile(""); }
struct Cleaner {
    __attribute__((noinline)) ~Cleaner() { cleaned(); }
};
__attribute__((noinline)) static int produced(int n) {
    leaf();
    return n * n;
}
__attribute__((noinline)) static void thrower() { throw 7; }

static Generator squares(int count) {
    Cleaner cleaner;
    for (int i = 0; i < count; i++)
        co_yield produced(i);
}
static Generator fails() {
    co_yield 1;
    thrower();
}

__attribute__((noinline)) static int uses_all() {
    int sum = 0;
    Generator generator = squares(10);
    while (generator.next())
        sum += generator.value();
    return sum;
}
__attribute__((noinline)) static int uses_some() {
    Generator generator = squares(10);
    generator.next();
    generator.next();
    return generator.value();
}
__attribute__((noinline)) static int takes_turns() {
    int sum = 0;
    Generator one = squares(5), two = squares(5);
    while (one.next() && two.next())
        sum += one.value() * two.value();
    return sum;
}
__attribute__((noinline)) static int catches() {
    Generator generator = fails();
    try {
        while (generator.next())
            leaf();
    } catch (int value) {
        leaf();
        return value;
    }
    return 0;
}

int main() {
    std::printf("%d\n", uses_all());
    std::printf("%d\n", uses_some());
    std::printf("%d\n", takes_turns());
    std::printf("%d\n", catches());
}
