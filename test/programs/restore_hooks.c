/* A short function is called so often that its hooks are removed; then they are restored, and
 * removed again. Prints what happened. */
#include <stdio.h>
#include <vftrace.h>

__attribute__((noinline)) int leaf(int x) { return x + 1; }

__attribute__((noinline)) int many_calls(void) {
    int sum = 0;
    for (int i = 0; i < 100000000; i++)
        sum = leaf(sum) & 0xffff;
    return sum;
}

int main(void) {
    int sum = many_calls();
    int first = vftrace_restore_hooks();
    int none = vftrace_restore_hooks();
    sum += many_calls();
    int second = vftrace_restore_hooks();
    /* Without the profiler, or if code is not overwritten, all are 0. */
    fprintf(stderr, "restored: %d %d %d\n", first, none, second);
    printf("%d\n", sum);
    return 0;
}
