// Calls three functions and runs a command, which may replace the program's file, in the middle.
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

APART int alpha(int x) {
    __asm__ volatile("");
    return x + 1;
}
APART int beta(int x) {
    __asm__ volatile("");
    return x * 2;
}
APART int gamma_of(int x) {
    __asm__ volatile("");
    return x - 3;
}

int main(int count, char** arguments) {
    long sum = 0;
    for (int i = 0; i < 10; i++)
        sum += alpha(i);
    for (int i = 0; i < 20; i++)
        sum += beta(i);
    if (count > 1)
        sum += system(arguments[1]);
    for (int i = 0; i < 30; i++)
        sum += gamma_of(i);
    printf("%ld\n", sum);
    return 0;
}
