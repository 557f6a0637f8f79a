/* The devices of the stand-in for CUDA: their requests, on a timeline. */
#pragma once

#include "standin_cuda.h"
#include "standin_cupti.h"

enum { most_devices = 16 };

struct kernel {
    standin_kernel function;
    const char* name;
    /* The name in the records of each device, because each loads the program's code separately. */
    char* name_on[most_devices];
    int arguments;
    uint64_t ns;
    struct kernel* next;
};

/* A piece of work before it is done: from a call or in a graph. */
struct task {
    enum work_kind kind;
    int copy; /* enum copy_kind */
    void* to;
    const void* from;
    size_t bytes;
    int value; /* that a memset sets */
    int from_device, to_device;
    struct kernel* kernel;
    void** arguments;
};

struct CUevent_st {
    uint64_t ns; /* when it happens */
};

/* The current device of the calling thread. */
extern __thread int device_of_thread;
int device_count(void);
struct context* context_of(int device); /* made if there is none; NULL: no such device */
uint32_t forget_context(int device);    /* its id; 0: it has none. Its streams are gone. */
struct kernel* find_kernel(const void* function);

/* Advances the clock of the calling thread by one call. */
void count_call(void);

/* Does the work, or adds it to the graph that the stream is recorded into. The correlation id is
 * that of the call. Returns when it ends. */
uint64_t do_task(const struct task*, cudaStream_t, uint32_t correlation,
                 const struct standin_cupti*);
void wait_until(uint64_t ns);
uint64_t end_of_stream(cudaStream_t);
uint64_t end_of_device(void);
void wait_in_stream(cudaStream_t, uint64_t ns); /* later work does not begin before */

cudaStream_t make_stream(void);
int begin_capture(cudaStream_t);
cudaGraph_t end_capture(cudaStream_t);
cudaGraph_t copy_graph(cudaGraph_t);
void free_graph(cudaGraph_t);
void launch_graph(cudaGraph_t, cudaStream_t, uint32_t correlation, const struct standin_cupti*);

void* allocate(size_t bytes, int managed); /* NULL: there is not that much */
void release(void*);
/* Moves managed memory to where it is used; all of it if NULL. Returns when that ends. */
uint64_t migrate(const void* managed, int to_device, cudaStream_t, const struct standin_cupti*);
