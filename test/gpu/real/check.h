// Ends the program if a call of CUDA fails.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t result = call;                                                           \
        if (result != cudaSuccess) {                                                               \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(result));                   \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)
