/* The cheapest client of CUPTI: callbacks that do nothing, and buffers that are freed.
 * run.sh measures the cost of vftrace against it. Loaded by the driver: CUDA_INJECTION64_PATH.
 * EMPTY_CLIENT_LIBRARY, if set, is the name of CUPTI's library. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { buffer_bytes = 1 << 20 };

static int (*flush_all)(uint32_t flag);

static void on_callback(void* user, int domain, uint32_t id, const void* data) {
    (void)user, (void)domain, (void)id, (void)data;
}

static void on_request(uint8_t** buffer, size_t* size, size_t* most_records) {
    *buffer = aligned_alloc(8, buffer_bytes);
    *size = buffer_bytes;
    *most_records = 0;
}

static void on_complete(void* context, uint32_t stream, uint8_t* buffer, size_t size, size_t used) {
    (void)context, (void)stream, (void)size, (void)used;
    free(buffer);
}

static void finish(void) { flush_all(1); }

__attribute__((visibility("default"))) int InitializeInjection(void) {
    static const int kinds[] = {1, 2, 10, 22};
    const char* const name = getenv("EMPTY_CLIENT_LIBRARY");
    void* const cupti = dlopen(name ? name : "libcupti.so.13", RTLD_NOW);
    if (!cupti) {
        fprintf(stderr, "empty client: %s\n", dlerror());
        return 1;
    }
    int (*const subscribe)(void**, void*, void*) =
        (int (*)(void**, void*, void*))dlsym(cupti, "cuptiSubscribe");
    int (*const enable_domain)(uint32_t, void*, int) =
        (int (*)(uint32_t, void*, int))dlsym(cupti, "cuptiEnableDomain");
    int (*const register_callbacks)(void*, void*) =
        (int (*)(void*, void*))dlsym(cupti, "cuptiActivityRegisterCallbacks");
    int (*const enable)(int) = (int (*)(int))dlsym(cupti, "cuptiActivityEnable");
    flush_all = (int (*)(uint32_t))dlsym(cupti, "cuptiActivityFlushAll");
    void* subscriber;
    int result = subscribe(&subscriber, (void*)on_callback, NULL);
    result = result ? result : enable_domain(1, subscriber, 2);
    result = result ? result : register_callbacks((void*)on_request, (void*)on_complete);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        result = result ? result : enable(kinds[i]);
    if (result)
        fprintf(stderr, "empty client: CUPTI says %d\n", result);
    atexit(finish);
    return 1;
}
