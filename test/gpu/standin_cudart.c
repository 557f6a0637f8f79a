/* The stand-in for CUDA: the functions of its runtime and driver API, and what CUPTI is told of
 * them. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "standin_device.h"
#include "standin_script.h"

/* CUPTI's numbers of functions. */
enum {
#define STANDIN_FUNCTION(domain, id, function, name) id_##function = id,
#include "standin_functions.inc"
#undef STANDIN_FUNCTION
};

/* A call of the API that is under way. */
struct call {
    struct callback_data data;
    uint64_t word; /* for the client */
    int domain;
    uint32_t id;
    int is_told;
};

static struct standin_cupti* cupti;
static atomic_uint last_correlation;
static int has_ended;
static __thread cudaError_t last_error;
static __thread int is_in_callback;
static __thread uint32_t correlation_of_thread; /* of the call that the thread is in */

static void tell(int domain, uint32_t id, const void* data) {
    ++is_in_callback;
    cupti->call(domain, id, data);
    --is_in_callback;
}

static void tell_of_context(uint32_t what, struct context* context) {
    const struct resource_data data = {context, NULL, NULL};
    if (cupti && cupti->enabled[domain_resource][what])
        tell(domain_resource, what, &data);
}

static void destroy_context(int device) {
    struct context* const context = context_of(device);
    tell_of_context(resource_context_destroy_starting, context);
    forget_context(device);
}

/* Contexts that there are, a bit for each device. */
static atomic_uint used_devices;

static void end(void) {
    for (int device = 0; device < most_devices; ++device)
        if (used_devices >> device & 1)
            destroy_context(device);
    has_ended = 1;
    cupti->ended();
}

/* Loads the tool that the environment names, and finds CUPTI if somebody has opened it. */
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
        if (cupti->destroy)
            atexit(end);
    }
}

/* The context of the current device, which exists from the first call that needs it. */
static struct context* use_context(void) {
    struct context* const context = context_of(device_of_thread);
    const unsigned bit = 1U << device_of_thread;
    if (context && !(used_devices & bit) && !(atomic_fetch_or(&used_devices, bit) & bit))
        tell_of_context(resource_context_created, context);
    return context;
}

static void begin(struct call* call, int domain, uint32_t id, const char* name,
                  const void* parameters, const char* symbol) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (is_in_callback)
        fprintf(stderr, "stand-in for CUDA: %s is called in a callback\n", name);
    pthread_once(&once, start);
    count_call();
    call->data.correlation = correlation_of_thread;
    if (!correlation_of_thread || (cupti && cupti->driver_ids))
        call->data.correlation = ++last_correlation;
    correlation_of_thread = call->data.correlation;
    call->domain = domain;
    call->id = id;
    call->is_told = cupti && cupti->enabled[domain][id];
    if (!call->is_told)
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
    tell(domain, id, &call->data);
}

static int finish(struct call* call, int result) {
    if (call->is_told && cupti->enabled[call->domain][call->id]) {
        call->data.site = site_exit;
        call->data.result = &result;
        tell(call->domain, call->id, &call->data);
    }
    return result;
}

/* The end of an outermost call. */
static cudaError_t finish_runtime(struct call* call, cudaError_t result) {
    if (result != cudaSuccess)
        last_error = result;
    correlation_of_thread = 0;
    return finish(call, (int)result);
}

#define RUNTIME(function, symbol, parameters)                                                      \
    struct call call;                                                                              \
    begin(&call, domain_runtime, id_##function, #function, parameters, symbol);                    \
    if (has_ended)                                                                                 \
    return finish_runtime(&call, cudaErrorCudartUnloading)

/* The driver's function that a runtime function calls, around `statement`. */
#define DRIVER(function, symbol, statement)                                                        \
    do {                                                                                           \
        struct call inner;                                                                         \
        use_context();                                                                             \
        begin(&inner, domain_driver, id_##function, #function, NULL, symbol);                      \
        statement;                                                                                 \
        finish(&inner, 0);                                                                         \
    } while (0)

static void ask(const struct task* task, cudaStream_t stream, int waits) {
    const uint64_t end = do_task(task, stream, correlation_of_thread, cupti);
    if (waits)
        wait_until(end);
}

cudaError_t cudaGetDeviceCount(int* count) {
    RUNTIME(cudaGetDeviceCount, NULL, &count);
    *count = device_count();
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
    RUNTIME(cudaSetDevice, NULL, &device);
    if (!context_of(device))
        return finish_runtime(&call, cudaErrorInvalidDevice);
    device_of_thread = device;
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
    RUNTIME(cudaGetDevice, NULL, &device);
    *device = device_of_thread;
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaGetLastError(void) {
    RUNTIME(cudaGetLastError, NULL, NULL);
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    finish_runtime(&call, cudaSuccess);
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    RUNTIME(cudaPeekAtLastError, NULL, NULL);
    finish_runtime(&call, cudaSuccess);
    return last_error;
}

cudaError_t cudaDeviceSynchronize(void) {
    RUNTIME(cudaDeviceSynchronize, NULL, NULL);
    DRIVER(cuCtxSynchronize, NULL, wait_until(end_of_device()));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaDeviceReset(void) {
    RUNTIME(cudaDeviceReset, NULL, NULL);
    wait_until(end_of_device());
    DRIVER(cuDevicePrimaryCtxReset, NULL, destroy_context(device_of_thread));
    used_devices &= ~(1U << device_of_thread);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    const struct {
        void** pointer;
        size_t bytes;
    } parameters = {pointer, bytes};
    RUNTIME(cudaMalloc, NULL, &parameters);
    DRIVER(cuMemAlloc, NULL, *pointer = allocate(bytes, 0));
    return finish_runtime(&call, *pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
    const struct {
        void** pointer;
        size_t bytes;
        unsigned flags;
    } parameters = {pointer, bytes, flags};
    RUNTIME(cudaMallocManaged, NULL, &parameters);
    DRIVER(cuMemAllocManaged, NULL, *pointer = allocate(bytes, 1));
    return finish_runtime(&call, *pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
    RUNTIME(cudaMallocHost, NULL, &pointer);
    *pointer = allocate(bytes, 0);
    return finish_runtime(&call, *pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* pointer) {
    RUNTIME(cudaFree, NULL, &pointer);
    DRIVER(cuMemFree, NULL, release(pointer));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaFreeHost(void* pointer) {
    RUNTIME(cudaFreeHost, NULL, &pointer);
    release(pointer);
    return finish_runtime(&call, cudaSuccess);
}

/* CUPTI's number for a direction of cudaMemcpy. */
static int direction(enum cudaMemcpyKind kind) {
    static const int directions[] = {host_to_host, host_to_device, device_to_host,
                                     device_to_device};
    return directions[kind];
}

struct copy_parameters {
    void* to;
    const void* from;
    size_t bytes;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
};

static struct task copy_task(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind) {
    return (struct task){
        .kind = work_copy, .copy = direction(kind), .to = to, .from = from, .bytes = bytes};
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind) {
    const struct copy_parameters parameters = {to, from, bytes, kind, NULL};
    RUNTIME(cudaMemcpy, NULL, &parameters);
    if (kind > cudaMemcpyDeviceToDevice || !to || !from)
        return finish_runtime(&call, cudaErrorInvalidValue);
    const struct task task = copy_task(to, from, bytes, kind);
    if (kind == cudaMemcpyHostToDevice)
        DRIVER(cuMemcpyHtoD, NULL, ask(&task, NULL, 1));
    else if (kind == cudaMemcpyDeviceToHost)
        DRIVER(cuMemcpyDtoH, NULL, ask(&task, NULL, 1));
    else
        DRIVER(cuMemcpy, NULL, ask(&task, NULL, 1));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    const struct copy_parameters parameters = {to, from, bytes, kind, stream};
    RUNTIME(cudaMemcpyAsync, NULL, &parameters);
    const struct task task = copy_task(to, from, bytes, kind);
    DRIVER(cuMemcpyAsync, NULL, ask(&task, stream, 0));
    return finish_runtime(&call, cudaSuccess);
}

static struct task peer_task(void* to, int device, const void* from, int from_device,
                             size_t bytes) {
    return (struct task){.kind = work_peer_copy,
                         .to = to,
                         .from = from,
                         .bytes = bytes,
                         .from_device = from_device,
                         .to_device = device};
}

cudaError_t cudaMemcpyPeer(void* to, int device, const void* from, int from_device, size_t bytes) {
    RUNTIME(cudaMemcpyPeer, NULL, &to);
    const struct task task = peer_task(to, device, from, from_device, bytes);
    DRIVER(cuMemcpyPeer, NULL, ask(&task, NULL, 1));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    RUNTIME(cudaMemcpyPeerAsync, NULL, &to);
    const struct task task = peer_task(to, device, from, from_device, bytes);
    DRIVER(cuMemcpyPeerAsync, NULL, ask(&task, stream, 0));
    return finish_runtime(&call, cudaSuccess);
}

static struct task set_task(void* to, int value, size_t bytes) {
    return (struct task){.kind = work_set, .to = to, .value = value, .bytes = bytes};
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    RUNTIME(cudaMemset, NULL, &to);
    const struct task task = set_task(to, value, bytes);
    DRIVER(cuMemsetD8, NULL, ask(&task, NULL, 0));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
    RUNTIME(cudaMemsetAsync, NULL, &to);
    const struct task task = set_task(to, value, bytes);
    DRIVER(cuMemsetD8Async, NULL, ask(&task, stream, 0));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaMemPrefetchAsync(const void* memory, size_t bytes, int device,
                                 cudaStream_t stream) {
    RUNTIME(cudaMemPrefetchAsync, NULL, &memory);
    (void)bytes;
    DRIVER(cuMemPrefetchAsync, NULL, migrate(memory, device, stream, cupti));
    return finish_runtime(&call, cudaSuccess);
}

void standin_touch(void* managed) { wait_until(migrate(managed, cudaCpuDeviceId, NULL, cupti)); }

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
    const struct {
        const void* function;
        dim3 grid, block;
        void** arguments;
        size_t shared;
        cudaStream_t stream;
    } parameters = {function, grid, block, arguments, shared, stream};
    struct kernel* const kernel = find_kernel(function);
    RUNTIME(cudaLaunchKernel, kernel ? kernel->name : NULL, &parameters);
    if (!kernel)
        return finish_runtime(&call, cudaErrorInvalidDeviceFunction);
    const struct task task = {.kind = work_kernel, .kernel = kernel, .arguments = arguments};
    DRIVER(cuLaunchKernel, kernel->name, ask(&task, stream, 0));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    RUNTIME(cudaStreamCreate, NULL, &stream);
    use_context();
    *stream = make_stream();
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    RUNTIME(cudaStreamDestroy, NULL, &stream);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    RUNTIME(cudaStreamSynchronize, NULL, &stream);
    DRIVER(cuStreamSynchronize, NULL, wait_until(end_of_stream(stream)));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    RUNTIME(cudaStreamWaitEvent, NULL, &stream);
    (void)flags;
    wait_in_stream(stream, event->ns);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode) {
    RUNTIME(cudaStreamBeginCapture, NULL, &stream);
    (void)mode;
    return finish_runtime(&call, begin_capture(stream) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    RUNTIME(cudaStreamEndCapture, NULL, &stream);
    *graph = end_capture(stream);
    return finish_runtime(&call, *graph ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    RUNTIME(cudaEventCreate, NULL, &event);
    *event = calloc(1, sizeof **event);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    RUNTIME(cudaEventDestroy, NULL, &event);
    free(event);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    RUNTIME(cudaEventRecord, NULL, &event);
    DRIVER(cuEventRecord, NULL, event->ns = end_of_stream(stream));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    RUNTIME(cudaEventSynchronize, NULL, &event);
    wait_until(event->ns);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
    RUNTIME(cudaEventElapsedTime, NULL, &ms);
    *ms = (float)(to->ns - from->ns) / 1e6f;
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
    RUNTIME(cudaGraphInstantiate, NULL, &executable);
    (void)flags;
    *executable = copy_graph(graph);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    RUNTIME(cudaGraphLaunch, NULL, &graph);
    DRIVER(cuGraphLaunch, NULL, launch_graph(graph, stream, correlation_of_thread, cupti));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    RUNTIME(cudaGraphExecDestroy, NULL, &graph);
    free_graph(graph);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    RUNTIME(cudaGraphDestroy, NULL, &graph);
    free_graph(graph);
    return finish_runtime(&call, cudaSuccess);
}

int cuInit(unsigned flags) {
    DRIVER(cuInit, NULL, (void)flags);
    correlation_of_thread = 0;
    return 0;
}

int cuMemAlloc_v2(uintptr_t* pointer, size_t bytes) {
    DRIVER(cuMemAlloc, NULL, *pointer = (uintptr_t)allocate(bytes, 0));
    correlation_of_thread = 0;
    return *pointer ? 0 : cudaErrorMemoryAllocation;
}

int cuMemFree_v2(uintptr_t pointer) {
    DRIVER(cuMemFree, NULL, release((void*)pointer));
    correlation_of_thread = 0;
    return 0;
}

int cuMemcpyHtoD_v2(uintptr_t to, const void* from, size_t bytes) {
    const struct task task = copy_task((void*)to, from, bytes, cudaMemcpyHostToDevice);
    DRIVER(cuMemcpyHtoD, NULL, ask(&task, NULL, 1));
    correlation_of_thread = 0;
    return 0;
}

int cuMemcpyDtoH_v2(void* to, uintptr_t from, size_t bytes) {
    const struct task task = copy_task(to, (const void*)from, bytes, cudaMemcpyDeviceToHost);
    DRIVER(cuMemcpyDtoH, NULL, ask(&task, NULL, 1));
    correlation_of_thread = 0;
    return 0;
}

int cuLaunchKernel(standin_kernel function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   cudaStream_t stream, void** arguments, void** extra) {
    struct kernel* const kernel = find_kernel((const void*)function);
    const struct task task = {.kind = work_kernel, .kernel = kernel, .arguments = arguments};
    (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
    (void)shared, (void)extra;
    if (!kernel)
        return cudaErrorInvalidDeviceFunction;
    DRIVER(cuLaunchKernel, kernel->name, ask(&task, stream, 0));
    correlation_of_thread = 0;
    return 0;
}

int cuCtxSynchronize(void) {
    DRIVER(cuCtxSynchronize, NULL, wait_until(end_of_device()));
    correlation_of_thread = 0;
    return 0;
}
