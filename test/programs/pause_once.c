/* One pause in main. */
#include <vftrace.h>
__attribute__((noinline)) static void work(void) { __asm__ volatile(""); }
int main(void) {
    work();
    vftrace_pause();
    work();
    vftrace_resume();
    work();
    return 0;
}
