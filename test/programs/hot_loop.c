/* Calls a tiny function the number of times in the argument. */
#include <stdlib.h>
__attribute__((noinline)) static int leaf(int n) {
    __asm__ volatile("");
    return n + 1;
}
__attribute__((no_instrument_function)) int main(int count, char** arguments) {
    (void)count;
    int sum = 0;
    for (int i = atoi(arguments[1]); i > 0; i--)
        sum = leaf(sum);
    return sum < 0;
}
