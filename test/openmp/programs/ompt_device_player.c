// Plays the role of an OpenMP library with devices: starts the tool of the process, and reports
// constructs and operations to it in known orders, and in some that no library should produce. With
// the argument "once" it acts as an older library that does not report ends of operations.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <vftrace.h>

#define NO_HOOKS __attribute__((no_instrument_function))

typedef union {
    uint64_t value;
    void* pointer;
} Data;
typedef void (*Callback)(void);
typedef Callback (*Find)(const char*);
typedef struct {
    int (*initialize)(Find, int, Data*);
    void (*finalize)(Data*);
    Data tool;
} Tool;

enum { BEGIN = 1, END = 2, WHOLE = 3 };
enum { REGION = 1, ENTER_DATA, EXIT_DATA, UPDATE, NOWAIT = 8 };
enum { ALLOC = 1, TO_DEVICE, FROM_DEVICE, FREE, ASSOCIATE, DISASSOCIATE, ASYNC = 16 };
enum { HOST = 4 };

static int only_once, accepted_twice;
static Callback callbacks[64];

NO_HOOKS static int is_emi(int event) { return event >= 33; }

NO_HOOKS static int set_callback(int event, Callback callback) {
    if (only_once && is_emi(event))
        return 1;  // never
    callbacks[event] = callback;
    return 5;  // always
}

NO_HOOKS static Callback find(const char* name) {
    return strcmp(name, "ompt_set_callback") == 0 ? (Callback)set_callback : NULL;
}

// The place where the program calls the library: the line of the call.
__attribute__((noinline, no_instrument_function)) static const void* code(void) {
    __asm__ volatile("");  // each call is one
    return __builtin_return_address(0);
}

NO_HOOKS static void target(int kind, int endpoint, Data* data, const void* at) {
    if (callbacks[33])
        ((void (*)(int, int, int, Data*, Data*, Data*, const void*))callbacks[33])(
            kind, endpoint, 0, NULL, NULL, data, at);
    else if (callbacks[8])
        ((void (*)(int, int, int, Data*, uint64_t, const void*))callbacks[8])(kind, endpoint, 0,
                                                                              NULL, 1, at);
}

NO_HOOKS static void operate(int operation, int endpoint, int device, size_t bytes,
                             const void* at) {
    const int kind = operation & ~ASYNC;
    const int from = kind == FROM_DEVICE || kind == FREE ? device : HOST;
    const int to = kind == FROM_DEVICE ? HOST : kind == FREE ? -1 : device;
    uint64_t number = 0;
    if (callbacks[34])
        ((void (*)(int, Data*, Data*, uint64_t*, int, void*, int, void*, int, size_t,
                   const void*))callbacks[34])(endpoint, NULL, NULL, &number, operation, NULL, from,
                                               NULL, to, bytes, at);
    else if (callbacks[9] && endpoint != END)
        ((void (*)(uint64_t, uint64_t, int, void*, int, void*, int, size_t,
                   const void*))callbacks[9])(1, 2, operation, NULL, from, NULL, to, bytes, at);
}

NO_HOOKS static void launch(int endpoint, Data* data) {
    uint64_t number = 0;
    if (callbacks[35])
        ((void (*)(int, Data*, uint64_t*, unsigned))callbacks[35])(endpoint, data, &number, 1);
}

NO_HOOKS static void pair(int operation, int device, size_t bytes, const void* at) {
    operate(operation, BEGIN, device, bytes, at);
    operate(operation, END, device, bytes, at);
}

__attribute__((noinline)) void leaf(void) { __asm__ volatile(""); }

NO_HOOKS static void region(int kind, int asynchronous, int device, size_t bytes, const void* at) {
    Data data = {0};
    target(kind, BEGIN, &data, at);
    pair(ALLOC + asynchronous, device, bytes, at);
    pair(TO_DEVICE + asynchronous, device, bytes, at);
    launch(BEGIN, &data);
    launch(END, &data);
    leaf();
    pair(FROM_DEVICE + asynchronous, device, bytes / 2, at);
    pair(FREE + asynchronous, device, 0, at);
    target(kind, END, &data, at);
}

// As LLVM's library reports it.
__attribute__((noinline)) void constructs(void) {
    for (int i = 0; i < 3; i++)
        region(REGION, 0, 0, 8000, code());
    Data data = {0};
    const void* at = code();
    target(ENTER_DATA, BEGIN, &data, at);
    pair(ALLOC, 1, 500, at);
    pair(TO_DEVICE, 1, 400, at);
    target(ENTER_DATA, END, &data, at);
    leaf();
    at = code();
    target(UPDATE, BEGIN, &data, at);
    pair(FROM_DEVICE, 1, 300, at);
    target(UPDATE, END, &data, at);
    at = code();
    target(EXIT_DATA, BEGIN, &data, at);
    pair(FREE, 1, 0, at);
    target(EXIT_DATA, END, &data, at);
}

// omp_target_alloc() and similar.
__attribute__((noinline)) void outside(void) {
    pair(ALLOC, 0, 100, code());
    pair(TO_DEVICE, 0, 70, code());
    pair(TO_DEVICE, 0, 30, code());
    pair(FROM_DEVICE, 0, 50, code());
    pair(FREE, 0, 0, code());
    leaf();
}

__attribute__((noinline)) void without_waiting(void) {
    region(REGION + NOWAIT, ASYNC, 0, 64, code());
    for (int kind = ENTER_DATA; kind <= UPDATE; kind++) {
        target(kind + NOWAIT, BEGIN, NULL, code());
        target(kind + NOWAIT, END, NULL, code());
    }
}

__attribute__((noinline)) void ends_missing(void) {
    const void* at = code();
    for (int i = 0; i < 5; i++) {
        Data data = {0};
        operate(TO_DEVICE, BEGIN, 0, 10, at);  // ended by the next one
        operate(ALLOC, BEGIN, 0, 10, at);
        target(REGION, BEGIN, &data, at);
        launch(BEGIN, &data);
        operate(FROM_DEVICE, BEGIN, 0, 10, at);
        target(REGION, END, &data, at);
        operate(ALLOC, END, 0, 10, at);
    }
    leaf();
    target(REGION, BEGIN, NULL, at);
    operate(FREE, BEGIN, 0, 0, at);
}

__attribute__((noinline)) void begins_missing(void) {
    Data data = {0};
    for (int operation = ALLOC; operation <= FREE; operation++)
        operate(operation, END, 0, 10, code());
    launch(END, &data);
    for (int kind = REGION; kind <= UPDATE; kind++)
        target(kind, END, &data, code());
    leaf();
}

// Unknown kinds, both ends at once, and missing data.
__attribute__((noinline)) void oddities(void) {
    const int none[] = {0, ASSOCIATE, DISASSOCIATE, 7, ASYNC, ASYNC + 7, 1000, -1};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        pair(none[i], 0, 10, code());
        target(none[i] == 1000 ? 1000 : 16 + i, BEGIN, NULL, code());
    }
    operate(TO_DEVICE, WHOLE, 0, 10, code());
    target(UPDATE, WHOLE, NULL, code());
    pair(ALLOC, -1, 10, NULL);
    launch(BEGIN, NULL);
    launch(END, NULL);
    leaf();
}

static Data shared_data;

NO_HOOKS static void* end_elsewhere(void* at) {
    operate(TO_DEVICE, END, 0, 10, at);
    target(REGION, END, &shared_data, at);
    launch(END, &shared_data);
    return NULL;
}

__attribute__((noinline)) void other_threads(void) {
    pthread_t thread;
    const void* at = code();
    target(REGION, BEGIN, &shared_data, at);
    operate(TO_DEVICE, BEGIN, 0, 10, at);
    pthread_create(&thread, NULL, end_elsewhere, (void*)at);
    pthread_join(thread, NULL);
    leaf();
}

__attribute__((noinline)) void pauses(void) {
    Data data = {0};
    const void* at = code();
    vftrace_pause();
    target(REGION, BEGIN, &data, at);
    pair(TO_DEVICE, 0, 1000, at);
    operate(FROM_DEVICE, BEGIN, 0, 1000, at);
    vftrace_resume();
    operate(FROM_DEVICE, END, 0, 1000, at);
    launch(BEGIN, &data);  // knows its place
    launch(END, &data);
    target(REGION, END, &data, at);
    target(UPDATE, BEGIN, &data, at);
    operate(FROM_DEVICE, BEGIN, 0, 7, at);
    vftrace_pause();
    operate(FROM_DEVICE, END, 0, 7, at);
    target(UPDATE, END, &data, at);
    vftrace_resume();
    leaf();
}

__attribute__((noinline)) void* team(void* unused) {
    for (int i = 0; i < 1000; i++)
        region(REGION, 0, i % 3, 10, code());
    return unused;
}

__attribute__((noinline)) void many_threads(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, team, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
    only_once = argc > 1 && strcmp(argv[1], "once") == 0;
    Tool* (*start)(unsigned, const char*) =
        (Tool * (*)(unsigned, const char*)) dlsym(RTLD_DEFAULT, "ompt_start_tool");
    Tool* tool = start ? start(201811, "player") : NULL;
    if (tool && !tool->initialize(find, 0, &tool->tool))
        return 1;
    for (int event = 8; event <= 10; event++)
        accepted_twice |= callbacks[event] && callbacks[event + 25];
    if (callbacks[12])
        for (int device = 0; device < 4; device++)
            ((void (*)(int, const char*, void*, Find, const char*))callbacks[12])(
                device, device == 3 ? "generic-64bit" : "sm_90", NULL, NULL, NULL);
    constructs();
    outside();
    without_waiting();
    ends_missing();
    begins_missing();
    oddities();
    other_threads();
    pauses();
    many_threads();
    printf("done%s\n", accepted_twice ? ", told twice" : "");
    if (tool)
        tool->finalize(&tool->tool);
    return 0;
}
