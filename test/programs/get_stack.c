/* The current call path, even when there is none. */
#include <stdio.h>
#include <stdlib.h>
#include <vftrace.h>

extern int vftrace_get_stack_string_length(void);

static void show(const char* when) {
    char* stack = vftrace_get_stack();
    fprintf(stderr, "%s: \"%s\" %d\n", when, stack, vftrace_get_stack_string_length());
    free(stack);
}
__attribute__((noinline)) static void function3(void) { show("deep"); }
__attribute__((noinline)) static void function2(void) {
    vftrace_region_begin("a region");
    function3();
    vftrace_region_end("a region");
}
__attribute__((noinline)) static void function1(void) { function2(); }
__attribute__((destructor)) static void late(void) { show("late"); }

int main(void) {
    function1();
    vftrace_pause();
    show("paused");
    vftrace_resume();
    show("main");
    return 0;
}
