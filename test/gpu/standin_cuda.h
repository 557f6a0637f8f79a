/* The stand-in for CUDA: the part of its runtime and driver API that the test programs use.
 *
 * There is no device. Work is done immediately by the processor, and placed on a simulated
 * timeline: each stream in order, streams in parallel. A kernel takes as long as it says, a copy
 * 1000 ns and 1 ns for each 10 bytes, a memset 500 ns and 1 ns for each 100 bytes. Each thread has
 * a clock, which starts at the same moment in all of them; a call advances it by 1000 ns, waiting
 * moves it to the end of the awaited work, and work begins 5000 ns after its call or when its
 * stream is free. All times are known exactly, regardless of how long the program really takes.
 * Default streams are ordinary streams.
 *
 *   STANDIN_DEVICES=N      number of devices (default: 1)
 *   STANDIN_CLOCK=real     the clock is the real one, and the program really waits
 *   STANDIN_TRUTH=DIR      all work is written to DIR/truth.PID: kind, direction, device, context,
 *                          stream, start, end, bytes, kernel
 *   CUDA_INJECTION64_PATH  a library whose InitializeInjection() is called first
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorCudartUnloading = 4,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorInvalidDevice = 101
} cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice
};
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraph_st* cudaGraphExec_t;
typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    dim3(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
#endif
} dim3;

enum { cudaCpuDeviceId = -1, cudaMemAttachGlobal = 1 };

/* A kernel is a function of the program's: it gets the arguments of cudaLaunchKernel, each of which
 * must be of 8 bytes. It does all the work in one call. */
#define __global__ __attribute__((noinline, no_instrument_function))
typedef void (*standin_kernel)(void** arguments);

/* Makes a kernel known: its mangled name, how many arguments it has, ns on the device. */
void standin_register(standin_kernel, const char* name, int arguments, uint64_t ns);

/* The processor uses managed memory: the memory moves back if the device has it. */
void standin_touch(void* managed);

cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaMalloc(void**, size_t);
cudaError_t cudaMallocManaged(void**, size_t, unsigned flags);
cudaError_t cudaMallocHost(void**, size_t);
cudaError_t cudaFree(void*);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaMemcpy(void*, const void*, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, enum cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpyPeer(void*, int device, const void*, int from_device, size_t);
cudaError_t cudaMemcpyPeerAsync(void*, int device, const void*, int from_device, size_t,
                                cudaStream_t);
cudaError_t cudaMemset(void*, int value, size_t);
cudaError_t cudaMemsetAsync(void*, int value, size_t, cudaStream_t);
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int device, cudaStream_t);
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned flags);
cudaError_t cudaStreamBeginCapture(cudaStream_t, int mode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);

/* The driver's API; errors are numbers. */
int cuInit(unsigned flags);
int cuMemAlloc_v2(uintptr_t*, size_t);
int cuMemFree_v2(uintptr_t);
int cuMemcpyHtoD_v2(uintptr_t, const void*, size_t);
int cuMemcpyDtoH_v2(void*, uintptr_t, size_t);
int cuLaunchKernel(standin_kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   cudaStream_t, void** arguments, void** extra);
int cuCtxSynchronize(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
