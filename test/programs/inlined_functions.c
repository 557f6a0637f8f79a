/* Hooks of inlined functions run in the caller's frame, before and after an alloca. */
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static volatile int sum;

__attribute__((noinline)) static void leaf(int n) { sum += n; }
__attribute__((always_inline)) static inline void inner(int n) { leaf(n); }
__attribute__((always_inline)) static inline void middle(int n) {
    inner(n);
    leaf(n);
}
__attribute__((noinline)) static void outer(int n) {
    char* room = alloca((size_t)n * 64);
    memset(room, 1, (size_t)n * 64);
    middle(n);
    room = alloca((size_t)n * 64);
    memset(room, 1, (size_t)n * 64);
    middle(n);
    leaf(room[0]);
}

int main(void) {
    for (int i = 1; i <= 10; i++)
        outer(i);
    printf("%d\n", sum);
    return 0;
}
