/* Misuse of sections by programs: one case per argument. Prints lines that the test compares.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vftrace.h>
#include <vftrace/sections.h>

static double calls(const char* name) {
    double value;
    vftrace_section_data(VFTRACE_CALLS, name, VFTRACE_MAY_BE_MISSING, &value);
    return value;
}

static void run(const vftrace_section* section) {
    vftrace_section_begin(section);
    vftrace_section_end(section);
}

static void names(void) {
    static char longest[10001];
    memset(longest, 'x', sizeof longest - 1);
    run(vftrace_section_register("twice", 1, "", 1));
    run(vftrace_section_register("twice", 3, "", 1));
    run(vftrace_section_register("twice", 4, "", 1));
    run(vftrace_section_register(NULL, 1, NULL, 1));
    run(vftrace_section_register("", 1, "", 1));
    run(vftrace_section_register(longest, 1, longest, 1));
    run(vftrace_section_register("not \xff UTF-8", 1, "\xff", 1));
    run(vftrace_section_register("two\nlines", 1, "two\nlines", 1));
    run(vftrace_section_register("high", 99, "", 1));
    run(vftrace_section_register("low", -7, "", 1));
    run(NULL);
    printf("%g %g %g %g\n", calls("twice"), calls("(unnamed section)"), calls(longest),
           calls("two\nlines"));
}

static void ends(void) {
    const vftrace_section *a = vftrace_section_register("a", 1, "", 1),
                          *b = vftrace_section_register("b", 1, "", 1);
    vftrace_section_end(a);
    vftrace_section_begin(a);
    vftrace_section_begin(b);
    vftrace_section_end(a); /* b continues */
    vftrace_section_end(a);
    run(a);
    vftrace_section_end(b);
    printf("%g %g\n", calls("a"), calls("b"));
}

static const vftrace_section* shared;
static void* end_it(void* mark) {
    vftrace_section_end(shared);
    vftrace_section_close(shared, mark);
    return NULL;
}

static void other_thread(void) {
    struct vftrace_section_mark mark;
    pthread_t thread;
    shared = vftrace_section_register("of main", 1, "", 1);
    vftrace_section_open(shared, &mark);
    pthread_create(&thread, NULL, end_it, &mark);
    pthread_join(thread, NULL);
    run(vftrace_section_register("in it", 1, "", 1));
    vftrace_section_close(shared, &mark);
    vftrace_section_close(shared, &mark);
    printf("%g\n", calls("of main"));
}

/* Guards that end in another order than they began, as happens in coroutines. */
static void order(void) {
    struct vftrace_section_mark first, second, third;
    const vftrace_section *a = vftrace_section_register("a", 1, "", 1),
                          *b = vftrace_section_register("b", 1, "", 1);
    vftrace_section_open(a, &first);
    vftrace_section_open(b, &second);
    vftrace_section_open(a, &third);
    vftrace_section_close(a, &first);
    vftrace_section_close(b, &second);
    vftrace_section_close(a, &third);
    printf("%g %g\n", calls("a"), calls("b"));
}

static jmp_buf out;
__attribute__((noinline)) static void jumps(const vftrace_section* section) {
    vftrace_section_begin(section);
    longjmp(out, 1);
}

static void jump(void) {
    const vftrace_section* section = vftrace_section_register("left", 1, "", 1);
    for (volatile int i = 0; i < 3; i++)
        if (!setjmp(out))
            jumps(section);
    run(vftrace_section_register("after it", 1, "", 1));
    printf("%g\n", calls("left"));
}

static void many(void) {
    char name[32];
    for (int i = 0; i < 1000000; i++) {
        snprintf(name, sizeof name, "section %d", i);
        run(vftrace_section_register(name, 6, "", 1));
    }
    printf("%g %g\n", calls("section 0"), calls("section 999999"));
}

static void paused(void) {
    const vftrace_section* section = vftrace_section_register("before", 1, "", 1);
    run(section);
    vftrace_pause();
    run(section);
    printf("%g\n", calls("before"));
    vftrace_resume();
    run(section);
    printf("%g\n", calls("before"));
}

static void ask_at_end(void) {
    double value;
    for (int i = 0; i < 2; i++)
        printf("at the end %d\n",
               vftrace_section_data(VFTRACE_TOTAL, "early", 0, &value) != VFTRACE_SECTION_UNKNOWN);
}
__attribute__((constructor)) static void before_main(void) {
    double value;
    run(vftrace_section_register("early", 1, "", 1));
    vftrace_section_data(VFTRACE_TOTAL, "early", 0, &value);
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(void);
    } cases[] = {{"names", names},  {"ends", ends}, {"other thread", other_thread},
                 {"order", order},  {"jump", jump}, {"many", many},
                 {"paused", paused}};
    double value = 7;
    if (vftrace_section_data(VFTRACE_TOTAL, "early", 0, &value) == VFTRACE_SECTION_OK)
        printf("before the first %g\n", value);
    atexit(ask_at_end);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    vftrace_section_begin(vftrace_section_register("open at exit", 1, "", 1));
    puts("done");
    return 0;
}
