/* The driver API without the runtime API. */
#include <stdio.h>

#include "standin_cuda.h"

__global__ static void triple(void** arguments) { **(long**)arguments[0] *= 3; }

static void launch(uintptr_t memory) {
    void* arguments[] = {&memory};
    cuLaunchKernel(triple, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
}

int main(void) {
    long value = 7;
    uintptr_t memory;
    standin_register(triple, "triple", 1, 4000);
    cuInit(0);
    cuMemAlloc_v2(&memory, sizeof value);
    cuMemcpyHtoD_v2(memory, &value, sizeof value);
    launch(memory);
    launch(memory);
    cuCtxSynchronize();
    cuMemcpyDtoH_v2(&value, memory, sizeof value);
    cuMemFree_v2(memory);
    printf("%ld\n", value);
    return 0;
}
