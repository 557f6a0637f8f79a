/* Hooks, including their slow paths, run between a failing system call and the test of errno. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <vftrace.h>
__attribute__((noinline)) static int fails(void) { return open("/nonexistent/file", O_RDONLY); }
__attribute__((noinline)) static void first_call(void) { __asm__ volatile(""); }
int main(void) {
    fails();
    first_call();
    vftrace_region_begin("region");
    vftrace_region_end("region");
    vftrace_region_end("region");
    printf("%d\n", errno == ENOENT);
    return 0;
}
