/* The devices of the stand-in for CUDA: contexts, streams, memory, and the timeline of their work.
 */
#include "standin_device.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "standin_script.h"

enum { latency_ns = 5000, call_ns = 1000, most_arguments = 8 };

struct CUstream_st {
    int device;
    uint32_t id;
    uint64_t ready;    /* when its pending work ends */
    cudaGraph_t graph; /* the graph that calls are recorded into, or NULL */
    struct CUstream_st* next;
};

struct CUgraph_st {
    struct task* tasks;
    size_t number;
};

struct managed {
    void* memory;
    size_t bytes;
    int device; /* that holds it; -1: the processor */
    struct managed* next;
};

__thread int device_of_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context* contexts[most_devices];
static struct CUstream_st default_streams[most_devices];
static struct CUstream_st* streams;
static struct kernel* kernels;
static struct managed* all_managed;
static uint32_t last_context, last_stream = 12, last_node;
static uint64_t start_ns; /* of all threads' clocks */
static __thread uint64_t thread_ns;

static uint64_t real_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int is_real; /* the clock is */

__attribute__((constructor)) static void choose_clock(void) {
    const char* const clock = getenv("STANDIN_CLOCK");
    is_real = clock && !strcmp(clock, "real");
}

static uint64_t* clock_of_thread(void) {
    if (is_real)
        thread_ns = real_ns();
    else if (!thread_ns) {
        pthread_mutex_lock(&lock);
        if (!start_ns)
            start_ns = real_ns();
        pthread_mutex_unlock(&lock);
        thread_ns = start_ns;
    }
    return &thread_ns;
}

void count_call(void) { *clock_of_thread() += call_ns; }

void wait_until(uint64_t ns) {
    uint64_t* const now = clock_of_thread();
    if (is_real) {
        const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
        while (ns > *now && clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &time, NULL) == EINTR)
            ;
    } else if (*now < ns)
        *now = ns;
}

int device_count(void) {
    const char* const number = getenv("STANDIN_DEVICES");
    return number ? atoi(number) : 1;
}

struct context* context_of(int device) {
    if (device < 0 || device >= device_count() || device >= most_devices)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!contexts[device]) {
        contexts[device] = malloc(sizeof *contexts[device]);
        *contexts[device] = (struct context){(uint32_t)device, ++last_context};
        default_streams[device] = (struct CUstream_st){.device = device, .id = 7};
    }
    pthread_mutex_unlock(&lock);
    return contexts[device];
}

uint32_t forget_context(int device) {
    pthread_mutex_lock(&lock);
    const uint32_t id = contexts[device] ? contexts[device]->id : 0;
    contexts[device] = NULL; /* a client may still ask for the device of the old one */
    pthread_mutex_unlock(&lock);
    return id;
}

void standin_register(standin_kernel function, const char* name, int arguments, uint64_t ns) {
    struct kernel* const kernel = calloc(1, sizeof *kernel);
    *kernel = (struct kernel){function, name, {NULL}, arguments, ns, kernels};
    kernels = kernel;
}

struct kernel* find_kernel(const void* function) {
    struct kernel* kernel = kernels;
    while (kernel && (const void*)kernel->function != function)
        kernel = kernel->next;
    return kernel;
}

static struct CUstream_st* stream_of(cudaStream_t stream) {
    return stream ? stream : &default_streams[device_of_thread];
}

static uint64_t ns_of(const struct task* task) {
    switch (task->kind) {
    case work_kernel:
        return task->kernel->ns;
    case work_set:
        return 500 + task->bytes / 100;
    default:
        return 1000 + task->bytes / 10;
    }
}

static const char* name_on(struct kernel* kernel, int device) {
    if (kernel->name && !kernel->name_on[device])
        kernel->name_on[device] = strdup(kernel->name);
    return kernel->name_on[device];
}

/* Writes a line about what has been done, for the test. */
static void write_truth(const struct work* work) {
    static FILE* file;
    static int has_looked;
    pthread_mutex_lock(&lock);
    const char* const folder = has_looked ? NULL : getenv("STANDIN_TRUTH");
    if (folder) {
        char name[4096];
        snprintf(name, sizeof name, "%s/truth.%d", folder, (int)getpid());
        file = fopen(name, "w");
    }
    has_looked = 1;
    if (file) {
        fprintf(file, "%d %d %u %u %u %llu %llu %llu %s\n", work->kind, work->copy, work->device,
                work->context, work->stream, (unsigned long long)work->start,
                (unsigned long long)work->end, (unsigned long long)work->bytes,
                work->kernel ? work->kernel : "-");
        fflush(file);
    }
    pthread_mutex_unlock(&lock);
}

static uint64_t run(const struct task* task, cudaStream_t stream, uint32_t correlation,
                    uint64_t node, const struct standin_cupti* cupti) {
    if (task->kind == work_kernel) {
        migrate(NULL, stream->device, stream, cupti);
        task->kernel->function(task->arguments);
    } else if (task->kind == work_set)
        memset(task->to, task->value, task->bytes);
    else if (task->to)
        memmove(task->to, task->from, task->bytes);
    const uint64_t now = *clock_of_thread();
    pthread_mutex_lock(&lock);
    const uint64_t earliest = now + latency_ns;
    const uint64_t start = stream->ready > earliest ? stream->ready : earliest;
    const uint64_t end = stream->ready = start + ns_of(task);
    const char* const name =
        task->kind == work_kernel ? name_on(task->kernel, stream->device) : NULL;
    pthread_mutex_unlock(&lock);
    const struct work work = {task->kind,
                              task->copy,
                              task->bytes,
                              start,
                              end,
                              (uint32_t)stream->device,
                              contexts[stream->device] ? contexts[stream->device]->id : 0,
                              stream->id,
                              correlation,
                              (uint32_t)task->from_device,
                              (uint32_t)task->to_device,
                              name,
                              node};
    write_truth(&work);
    if (cupti)
        cupti->work(&work);
    return end;
}

static void add_to_graph(cudaGraph_t graph, const struct task* task) {
    graph->tasks = realloc(graph->tasks, (graph->number + 1) * sizeof *graph->tasks);
    struct task* const copy = &graph->tasks[graph->number++];
    *copy = *task;
    if (task->kind != work_kernel)
        return;
    /* The arguments are passed by address. */
    copy->arguments = malloc(most_arguments * (sizeof(void*) + sizeof(uint64_t)));
    uint64_t* const values = (uint64_t*)(copy->arguments + most_arguments);
    for (int i = 0; i < task->kernel->arguments && i < most_arguments; ++i) {
        memcpy(&values[i], task->arguments[i], sizeof *values);
        copy->arguments[i] = &values[i];
    }
}

uint64_t do_task(const struct task* task, cudaStream_t stream, uint32_t correlation,
                 const struct standin_cupti* cupti) {
    stream = stream_of(stream);
    if (stream->graph) {
        add_to_graph(stream->graph, task);
        return 0;
    }
    return run(task, stream, correlation, 0, cupti);
}

void launch_graph(cudaGraph_t graph, cudaStream_t stream, uint32_t correlation,
                  const struct standin_cupti* cupti) {
    for (size_t i = 0; i < graph->number; ++i)
        run(&graph->tasks[i], stream_of(stream), correlation, ++last_node, cupti);
}

uint64_t end_of_stream(cudaStream_t stream) {
    pthread_mutex_lock(&lock);
    const uint64_t end = stream_of(stream)->ready;
    pthread_mutex_unlock(&lock);
    return end;
}

uint64_t end_of_device(void) {
    pthread_mutex_lock(&lock);
    uint64_t end = default_streams[device_of_thread].ready;
    for (const struct CUstream_st* stream = streams; stream; stream = stream->next)
        if (stream->device == device_of_thread && stream->ready > end)
            end = stream->ready;
    pthread_mutex_unlock(&lock);
    return end;
}

void wait_in_stream(cudaStream_t stream, uint64_t ns) {
    pthread_mutex_lock(&lock);
    if (stream_of(stream)->ready < ns)
        stream_of(stream)->ready = ns;
    pthread_mutex_unlock(&lock);
}

cudaStream_t make_stream(void) {
    struct CUstream_st* const stream = calloc(1, sizeof *stream);
    stream->device = device_of_thread;
    pthread_mutex_lock(&lock);
    stream->id = ++last_stream;
    stream->next = streams;
    streams = stream;
    pthread_mutex_unlock(&lock);
    return stream;
}

int begin_capture(cudaStream_t stream) {
    if (!stream || stream->graph)
        return 0;
    stream->graph = calloc(1, sizeof *stream->graph);
    return 1;
}

cudaGraph_t end_capture(cudaStream_t stream) {
    const cudaGraph_t graph = stream ? stream->graph : NULL;
    if (graph)
        stream->graph = NULL;
    return graph;
}

cudaGraph_t copy_graph(cudaGraph_t graph) {
    cudaGraph_t copy = calloc(1, sizeof *copy);
    for (size_t i = 0; i < graph->number; ++i)
        add_to_graph(copy, &graph->tasks[i]);
    return copy;
}

void free_graph(cudaGraph_t graph) {
    for (size_t i = 0; i < graph->number; ++i)
        if (graph->tasks[i].kind == work_kernel)
            free(graph->tasks[i].arguments);
    free(graph->tasks);
    free(graph);
}

void* allocate(size_t bytes, int managed) {
    if (bytes >> 40)
        return NULL;
    void* const memory = calloc(1, bytes ? bytes : 1);
    if (managed) {
        struct managed* const block = malloc(sizeof *block);
        pthread_mutex_lock(&lock);
        *block = (struct managed){memory, bytes, -1, all_managed};
        all_managed = block;
        pthread_mutex_unlock(&lock);
    }
    return memory;
}

void release(void* memory) {
    pthread_mutex_lock(&lock);
    for (struct managed** block = &all_managed; *block; block = &(*block)->next)
        if ((*block)->memory == memory) {
            struct managed* const old = *block;
            *block = old->next;
            free(old);
            break;
        }
    pthread_mutex_unlock(&lock);
    free(memory);
}

uint64_t migrate(const void* memory, int device, cudaStream_t stream,
                 const struct standin_cupti* cupti) {
    uint64_t end = 0;
    for (struct managed* block = all_managed; block; block = block->next) {
        if (block->device == device || (memory && block->memory != memory))
            continue;
        const int copy = device < 0 ? device_to_host : host_to_device;
        const struct task task = {.kind = work_migration, .copy = copy, .bytes = block->bytes};
        block->device = device;
        end = run(&task, stream_of(stream), 0, 0, cupti);
    }
    return end;
}
