// A later version of runs_command: other functions are at the addresses of its functions.
#include <stdio.h>

#define APART __attribute__((noinline))

APART int zulu(int x) {
    __asm__ volatile("");
    return x + 1;
}
APART int yankee(int x) {
    __asm__ volatile("");
    return x * 2;
}
APART int xray(int x) {
    __asm__ volatile("");
    return x - 3;
}

int main(void) {
    long sum = 0;
    for (int i = 0; i < 30; i++)
        sum += zulu(i) + yankee(i) + xray(i);
    printf("%ld\n", sum);
    return 0;
}
