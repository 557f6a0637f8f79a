/* The stand-in for CUDA: functions of its runtime API for devices, memory and kernels. */
#include "standin_calls.h"

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

struct copy_parameters {
    void* to;
    const void* from;
    size_t bytes;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
};

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
