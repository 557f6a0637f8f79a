// CUDA programs with one fault each, or none: planted FAULT.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../gpu/real/check.h"

constexpr std::size_t elements = 1 << 23, bytes = elements * sizeof(float);

__global__ void relax(float* values, int rounds) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    float value = values[i];
    for (int round = 0; round < rounds; ++round)
        value = value * 0.999f + 0.001f;
    values[i] = value;
}

void launch(float* device, int rounds) {
    relax<<<elements / 256, 256>>>(device, rounds);
    CHECK(cudaGetLastError());
}

// The device works from the first launch to the end.
void gpu_even(float* device) {
    for (int step = 0; step < 400; ++step)
        launch(device, 20000);
    CHECK(cudaDeviceSynchronize());
}

// All data go to the host and back for each kernel, from memory that is not pinned.
void gpu_copies(float* device) {
    std::vector<float> host(elements, 1.0f);
    for (int step = 0; step < 150; ++step) {
        CHECK(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
        launch(device, 20000);
        CHECK(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost));
    }
}

__attribute__((noinline)) double prepare_on_host(std::vector<double>& values) {
    double sum = 0;
    for (int round = 0; round < 12; ++round)
        for (double& value : values)
            sum += value = value * 0.999 + 0.001;
    return sum;
}

// The host computes between kernels, and waits for each.
void gpu_idle(float* device) {
    std::vector<double> values(1 << 20, 1.0);
    double sum = 0;
    for (int step = 0; step < 150; ++step) {
        sum += prepare_on_host(values);
        launch(device, 10000);
        CHECK(cudaDeviceSynchronize());
    }
    std::printf("%g\n", sum);
}

// Copies run beside kernels, from pinned memory, in streams of their own.
void gpu_overlap(float* device) {
    enum { streams = 3 };
    float *host[streams], *target[streams];
    cudaStream_t stream[streams];
    for (int i = 0; i < streams; ++i) {
        CHECK(cudaMallocHost(&host[i], bytes));
        CHECK(cudaMalloc(&target[i], bytes));
        CHECK(cudaStreamCreate(&stream[i]));
        std::memset(host[i], 0, bytes);
    }
    for (int step = 0; step < 120; ++step)
        for (int i = 0; i < streams; ++i) {
            CHECK(cudaMemcpyAsync(target[i], host[i], bytes, cudaMemcpyHostToDevice, stream[i]));
            relax<<<elements / 256, 256, 0, stream[i]>>>(target[i], 20000);
            CHECK(cudaMemcpyAsync(host[i], target[i], bytes, cudaMemcpyDeviceToHost, stream[i]));
        }
    CHECK(cudaDeviceSynchronize());
    (void)device;
}

int main(int argc, char** argv) {
    constexpr struct {
        const char* name;
        void (*run)(float*);
    } faults[] = {{"gpu_even", gpu_even}, {"gpu_copies", gpu_copies}, {"gpu_idle", gpu_idle}, {"gpu_overlap", gpu_overlap}};
    float* device;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMemset(device, 0, bytes));
    for (const auto& fault : faults)
        if (argc > 1 && !std::strcmp(argv[1], fault.name)) {
            fault.run(device);
            CHECK(cudaFree(device));
            return 0;
        }
    std::fprintf(stderr, "unknown fault\n");
    return 2;
}
