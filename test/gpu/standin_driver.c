/* The stand-in for CUDA: functions of its driver API. */
#include "standin_calls.h"

int cuInit(unsigned flags) {
    DRIVER(cuInit, NULL, (void)flags);
    return finish_driver(0);
}

int cuMemAlloc_v2(uintptr_t* pointer, size_t bytes) {
    DRIVER(cuMemAlloc, NULL, *pointer = (uintptr_t)allocate(bytes, 0));
    return finish_driver(*pointer ? 0 : cudaErrorMemoryAllocation);
}

int cuMemFree_v2(uintptr_t pointer) {
    DRIVER(cuMemFree, NULL, release((void*)pointer));
    return finish_driver(0);
}

int cuMemcpyHtoD_v2(uintptr_t to, const void* from, size_t bytes) {
    const struct task task = copy_task((void*)to, from, bytes, cudaMemcpyHostToDevice);
    DRIVER(cuMemcpyHtoD, NULL, ask(&task, NULL, 1));
    return finish_driver(0);
}

int cuMemcpyDtoH_v2(void* to, uintptr_t from, size_t bytes) {
    const struct task task = copy_task(to, (const void*)from, bytes, cudaMemcpyDeviceToHost);
    DRIVER(cuMemcpyDtoH, NULL, ask(&task, NULL, 1));
    return finish_driver(0);
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
    return finish_driver(0);
}

int cuCtxSynchronize(void) {
    DRIVER(cuCtxSynchronize, NULL, wait_until(end_of_device()));
    return finish_driver(0);
}
