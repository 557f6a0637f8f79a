/* exit() deep in the call tree: the end of the run closes open calls. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) static void ends(void) {
    struct timespec time = {0, 30000000};
    nanosleep(&time, 0);
    puts("ending");
    exit(5);
}
__attribute__((noinline)) static void middle(void) { ends(); }
__attribute__((noinline)) static void at_exit(void) { puts("at exit"); }
int main(void) {
    atexit(at_exit);
    middle();
    return 0;
}
