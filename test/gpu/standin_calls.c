/* What every function of the stand-in for CUDA does: it reports its start and end to CUPTI. */
#include "standin_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct standin_cupti* cupti;
static atomic_uint last_correlation;
static atomic_uint used_devices; /* those that have a context; a bit for each */
int has_ended;
__thread cudaError_t last_error;
static __thread int is_in_callback;
static __thread uint32_t correlation_of_thread; /* of the call that the thread is in */

static void report(int domain, uint32_t id, const void* data) {
    ++is_in_callback;
    cupti->call(domain, id, data);
    --is_in_callback;
}

static void report_of_context(uint32_t what, struct context* context) {
    const struct resource_data data = {context, NULL, NULL};
    if (cupti && cupti->enabled[domain_resource][what])
        report(domain_resource, what, &data);
}

void destroy_context(int device) {
    struct context* const context = context_of(device);
    report_of_context(resource_context_destroy_starting, context);
    forget_context(device);
    used_devices &= ~(1U << device);
}

static void end(void) {
    for (int device = 0; device < most_devices; ++device)
        if (used_devices >> device & 1)
            destroy_context(device);
    has_ended = 1;
    cupti->ended();
}

/* Loads the tool that the environment names, and finds CUPTI if it is open. */
static void start(void) {
    static const char* const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"};
    const char* const injection = getenv("CUDA_INJECTION64_PATH");
    void* const tool = injection ? dlopen(injection, RTLD_NOW) : NULL;
    int (*const initialize)(void) = tool ? (int (*)(void))dlsym(tool, "InitializeInjection") : NULL;
    if (initialize)
        initialize();
    for (size_t i = 0; !cupti && i < sizeof names / sizeof *names; ++i) {
        void* const library = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
        if (library)
            cupti = dlsym(library, "standin_cupti");
    }
    if (cupti) {
        cupti->devices((uint32_t)device_count());
        report_of_context(resource_started, NULL);
        if (cupti->destroy)
            atexit(end);
    }
}

struct context* use_context(void) {
    struct context* const context = context_of(device_of_thread);
    const unsigned bit = 1U << device_of_thread;
    if (context && !(used_devices & bit) && !(atomic_fetch_or(&used_devices, bit) & bit))
        report_of_context(resource_context_created, context);
    return context;
}

void begin(struct call* call, int domain, uint32_t id, const char* name, const void* parameters,
           const char* symbol) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (is_in_callback)
        fprintf(stderr, "stand-in for CUDA: %s is called in a callback\n", name);
    pthread_once(&once, start);
    count_call();
    /* A driver call has the correlation id of the runtime call that it is in. */
    if (!correlation_of_thread || (cupti && cupti->driver_ids))
        correlation_of_thread = ++last_correlation;
    call->data.correlation = correlation_of_thread;
    call->domain = domain;
    call->id = id;
    call->is_reported = cupti && cupti->enabled[domain][id];
    if (!call->is_reported)
        return;
    struct context* const context = context_of(device_of_thread);
    call->word = 0;
    call->data = (struct callback_data){site_enter,
                                        name,
                                        parameters,
                                        &last_error,
                                        symbol,
                                        context,
                                        context ? context->id : 0,
                                        &call->word,
                                        call->data.correlation};
    report(domain, id, &call->data);
}

int finish(struct call* call, int result) {
    if (call->is_reported && cupti->enabled[call->domain][call->id]) {
        call->data.site = site_exit;
        call->data.result = &result;
        report(call->domain, call->id, &call->data);
    }
    return result;
}

cudaError_t finish_runtime(struct call* call, cudaError_t result) {
    if (result != cudaSuccess)
        last_error = result;
    correlation_of_thread = 0;
    return finish(call, (int)result);
}

int finish_driver(int result) {
    correlation_of_thread = 0;
    return result;
}

uint32_t correlation(void) { return correlation_of_thread; }

void ask(const struct task* task, cudaStream_t stream, int waits) {
    const uint64_t end = do_task(task, stream, correlation_of_thread, cupti);
    if (waits)
        wait_until(end);
}

/* CUPTI's number for a direction of cudaMemcpy. */
static int direction(enum cudaMemcpyKind kind) {
    static const int directions[] = {host_to_host, host_to_device, device_to_host,
                                     device_to_device};
    return directions[kind];
}

struct task copy_task(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind) {
    return (struct task){
        .kind = work_copy, .copy = direction(kind), .to = to, .from = from, .bytes = bytes};
}
