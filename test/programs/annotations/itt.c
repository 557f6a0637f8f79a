/* As a program with the static part of Intel's ITT: at the first call it opens the library that
 * INTEL_LIBITTNOTIFY64 names and lets it fill the table of functions. With COPIES it has that part
 * twice. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Domain {
    volatile int flags;
    const char* name;
    void* wide;
    int extra_number;
    void* extra;
    struct Domain* next;
} Domain;
typedef struct StringHandle {
    const char* text;
} StringHandle;
typedef struct {
    unsigned long long words[3];
} Id;
static const Id no_id;

typedef struct {
    const char* name;
    void** function;
    void* initial;
    void* none;
    int group;
} ApiFunction;

/* One copy of the static part. */
typedef struct Copy {
    Domain* (*domain_create)(const char*);
    StringHandle* (*string_handle_create)(const char*);
    void (*task_begin)(const Domain*, Id, Id, StringHandle*);
    void (*task_end)(const Domain*);
    void (*task_begin_overlapped)(const Domain*, Id, Id, StringHandle*);
    void (*task_end_overlapped)(const Domain*, Id);
    void (*frame_begin_v3)(const Domain*, Id*);
    void (*frame_end_v3)(const Domain*, Id*);
    void* (*counter_create)(const char*, const char*);
    void (*counter_inc_delta)(void*, unsigned long long);
    void (*metadata_add)(const Domain*, Id, StringHandle*, int, size_t, void*);
    void (*marker)(const Domain*, Id, StringHandle*, int);
    void (*unknown)(void);
    ApiFunction functions[16];
    struct {
        unsigned char magic[8];
        unsigned long version[3];
        long initialised, mutex_initialised, initialising;
        pthread_mutex_t mutex;
        void *library, *errors;
        const char** path;
        ApiFunction* functions;
        void *next, *threads;
        Domain* domains;
        void* strings;
        int state;
    } global;
} Copy;

static void initialise(Copy* copy) {
#define ROW(name)                                                                                  \
    { "__itt_" #name, (void**)&copy->name, NULL, NULL, 0 }
    const ApiFunction rows[] = {ROW(domain_create),
                                ROW(string_handle_create),
                                ROW(task_begin),
                                ROW(task_end),
                                ROW(task_begin_overlapped),
                                ROW(task_end_overlapped),
                                ROW(frame_begin_v3),
                                ROW(frame_end_v3),
                                ROW(counter_create),
                                ROW(counter_inc_delta),
                                ROW(metadata_add),
                                ROW(marker),
                                ROW(unknown),
                                {0}};
    memcpy(copy->functions, rows, sizeof rows);
    copy->global.functions = copy->functions;
    const char* name = getenv("INTEL_LIBITTNOTIFY64");
    void* library = name ? dlopen(name, RTLD_LAZY) : NULL;
    void (*init)(void*, int) = NULL;
    if (library)
        *(void**)&init = dlsym(library, "__itt_api_init");
    if (init)
        init(&copy->global, 0);
}

static volatile double sum;
__attribute__((noinline)) void work(void) {
    for (int i = 1; i < 200000; i++)
        sum += 1.0 / i;
}

static void run(Copy* copy) {
    initialise(copy);
    if (!copy->domain_create)
        return;
    Domain* domain = copy->domain_create("solver");
    Domain* other = copy->domain_create("output");
    if (copy->domain_create("solver") != domain || !domain->flags)
        printf("domains differ\n");
    StringHandle* outer = copy->string_handle_create("outer");
    StringHandle* inner = copy->string_handle_create("inner");
    Id first = {{1, 0, 0}}, second = {{2, 0, 0}};
    copy->task_begin(domain, no_id, no_id, outer);
    for (int i = 0; i < 3; i++) {
        copy->task_begin(domain, no_id, no_id, inner);
        work();
        copy->task_end(domain);
    }
    /* Overlapping, and in two domains at once. */
    copy->task_begin_overlapped(domain, first, no_id, copy->string_handle_create("request"));
    copy->task_begin_overlapped(domain, second, no_id, copy->string_handle_create("request"));
    copy->task_begin(other, no_id, no_id, copy->string_handle_create("write"));
    work();
    copy->task_end_overlapped(domain, first);
    copy->task_end(domain);
    work();
    copy->task_end(other);
    copy->task_end_overlapped(domain, second);
    copy->frame_begin_v3(domain, NULL);
    copy->frame_end_v3(domain, NULL);
    void* counter = copy->counter_create("bytes", "output");
    copy->counter_inc_delta(counter, 10);
    copy->counter_inc_delta(counter, 20);
    double value = 2.5;
    copy->metadata_add(domain, no_id, copy->string_handle_create("tolerance"), 8, 1, &value);
    copy->marker(domain, no_id, copy->string_handle_create("converged"), 1);
}

int main(void) {
    static Copy copies[2];
    run(&copies[0]);
#ifdef COPIES
    run(&copies[1]);
#endif
    printf("done\n");
    return 3;
}
