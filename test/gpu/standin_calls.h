/* What every function of the stand-in for CUDA does: it reports its start and end to CUPTI. */
#pragma once

#include "standin_device.h"

/* CUPTI's numbers of functions. */
enum {
#define STANDIN_FUNCTION(domain, id, function, name) id_##function = id,
#include "standin_functions.inc"
#undef STANDIN_FUNCTION
};

/* A call of the API that is in progress. */
struct call {
    struct callback_data data;
    uint64_t word; /* for the client */
    int domain;
    uint32_t id;
    int is_reported;
};

extern struct standin_cupti* cupti; /* NULL: not opened */
extern int has_ended;               /* contexts have been destroyed at exit */
extern __thread cudaError_t last_error;

void begin(struct call*, int domain, uint32_t id, const char* name, const void* parameters,
           const char* symbol);
int finish(struct call*, int result);
/* The end of an outermost call. */
cudaError_t finish_runtime(struct call*, cudaError_t result);
int finish_driver(int result);

/* The context of the current device, which exists from the first call that needs it. */
struct context* use_context(void);
void destroy_context(int device);
uint32_t correlation(void); /* of the call that the thread is in */

/* Gives the device a task; `waits`: returns when it is done. */
void ask(const struct task*, cudaStream_t, int waits);
struct task copy_task(void* to, const void* from, size_t bytes, enum cudaMemcpyKind);

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
