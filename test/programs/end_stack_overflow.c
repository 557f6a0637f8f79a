/* Endless recursion, on the main thread or on another one. */
#include <pthread.h>
#include <stdio.h>

#pragma GCC diagnostic ignored "-Winfinite-recursion"
__attribute__((noinline)) static int recurse(volatile char* above, int level) {
    volatile char local[256];
    local[level % 256] = above[0];
    int below = recurse(local, level + 1);
    return below + local[(level + 1) % 256];
}
static void* thread(void* unused) {
    char start[1] = {0};
    printf("%d\n", recurse(start, 0));
    return unused;
}
int main(int count, char** arguments) {
    (void)arguments;
    puts("deep");
    fflush(stdout);
    if (count > 1) {
        pthread_t other;
        pthread_create(&other, 0, thread, 0);
        pthread_join(other, 0);
    } else {
        thread(0);
    }
    return 0;
}
