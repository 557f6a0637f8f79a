// Real CUDA on a real GPU. Prints the work of the device, for comparison by real.py:
//   bytes WORK COUNT BYTES        copies and memsets
//   kernels NAME COUNT            launches
//   time NAME MS                  by CUDA's events
// real empty N: N launches of an empty kernel; prints "ns TIME" of the loop and its synchronisation.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif

#include "check.h"

constexpr std::size_t elements = 1 << 20, bytes = elements * sizeof(float);

__global__ void add(const float* a, const float* b, float* sum) {
    const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = a[i] + b[i];
}

template <int number>
__global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles * number)
        ;
}

__global__ void empty() {}

__global__ void count_up(int* values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

void vector_add() {
    std::vector<float> a(elements, 1.5f), b(elements, 2.25f), sum(elements);
    float* device[3];
    for (float*& memory : device)
        CHECK(cudaMalloc(&memory, bytes));
    CHECK(cudaMemcpy(device[0], a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device[1], b.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device[2], 0, bytes));
    add<<<elements / 256, 256>>>(device[0], device[1], device[2]);
    CHECK(cudaMemcpy(device[0], device[2], bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(sum.data(), device[0], bytes, cudaMemcpyDeviceToHost));
    for (float* memory : device)
        CHECK(cudaFree(memory));
    std::printf("result %g\nbytes host-to-device 2 %zu\nbytes device-to-host 1 %zu\n"
                "bytes device-to-device 1 %zu\nbytes memset 1 %zu\nkernels add 1\n",
                sum[elements - 1], 2 * bytes, bytes, bytes, bytes);
}

void timed_kernels() {
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    float sum = 0;
    for (int i = 0; i < 20; ++i) {
        float ms;
        CHECK(cudaEventRecord(start));
        spin<2><<<1, 1>>>(2000000);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, start, end));
        sum += ms;
    }
    std::printf("kernels spin<2> 20\ntime spin<2> %g\n", sum);
}

void overlapping_streams() {
    constexpr int number = 4, rounds = 5;
    cudaStream_t streams[number];
    char *host[number], *device[number];
    for (int i = 0; i < number; ++i) {
        CHECK(cudaStreamCreate(&streams[i]));
        CHECK(cudaMallocHost(&host[i], bytes));
        CHECK(cudaMalloc(&device[i], bytes));
        std::memset(host[i], 0, bytes);
    }
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < number; ++i) {
            CHECK(cudaMemcpyAsync(device[i], host[i], bytes, cudaMemcpyHostToDevice, streams[i]));
            spin<3><<<1, 1, 0, streams[i]>>>(100000);
            CHECK(cudaMemcpyAsync(host[i], device[i], bytes, cudaMemcpyDeviceToHost, streams[i]));
        }
    CHECK(cudaDeviceSynchronize());
    std::printf("bytes host-to-device %d %zu\nbytes device-to-host %d %zu\nkernels spin<3> %d\n",
                number * rounds, number * rounds * bytes, number * rounds, number * rounds * bytes,
                number * rounds);
    for (int i = 0; i < number; ++i) {
        CHECK(cudaFreeHost(host[i]));
        CHECK(cudaFree(device[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
}

void managed_memory() {
    int* values;
    CHECK(cudaMallocManaged(&values, bytes));
    std::memset(values, 0, bytes);
    count_up<<<elements / 256, 256>>>(values);
    CHECK(cudaDeviceSynchronize());
    long sum = 0;
    for (std::size_t i = 0; i < elements; ++i)
        sum += values[i];
    CHECK(cudaFree(values));
    std::printf("result %ld\nkernels count_up 1\n", sum);
}

void graph() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 3; ++i)
        spin<5><<<1, 1, 0, stream>>>(1000);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 10; ++i)
        CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    std::printf("kernels spin<5> 30\n");
}

#ifdef WITH_CUBLAS
void matrices() {
    constexpr int size = 512;
    cublasHandle_t handle;
    float *a, one = 1.0f;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        std::exit(1);
    CHECK(cudaMalloc(&a, 3 * size * size * sizeof *a));
    for (int i = 0; i < 10; ++i)
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, a, size,
                    a + size * size, size, &one, a + 2 * size * size, size);
    CHECK(cudaDeviceSynchronize());
    cublasDestroy(handle);
    CHECK(cudaFree(a));
}
#endif

int main(int argc, char** argv) {
    if (argc > 2) {
        empty<<<1, 1>>>();
        CHECK(cudaDeviceSynchronize());
        const auto start = std::chrono::steady_clock::now();
        for (long i = std::atol(argv[2]); i > 0; --i)
            empty<<<1, 1>>>();
        CHECK(cudaDeviceSynchronize());
        const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
        std::printf("ns %lld\n", static_cast<long long>(took.count()));
        return 0;
    }
    vector_add();
    timed_kernels();
    overlapping_streams();
    managed_memory();
    graph();
#ifdef WITH_CUBLAS
    matrices();
#endif
}
