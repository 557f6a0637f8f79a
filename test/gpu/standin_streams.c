/* The stand-in for CUDA: functions of its runtime API for streams, events and graphs. */
#include <stdlib.h>

#include "standin_calls.h"

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    RUNTIME(cudaStreamCreate, NULL, &stream);
    use_context();
    *stream = make_stream();
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    RUNTIME(cudaStreamDestroy, NULL, &stream);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    RUNTIME(cudaStreamSynchronize, NULL, &stream);
    DRIVER(cuStreamSynchronize, NULL, wait_until(end_of_stream(stream)));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    RUNTIME(cudaStreamWaitEvent, NULL, &stream);
    (void)flags;
    wait_in_stream(stream, event->ns);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode) {
    RUNTIME(cudaStreamBeginCapture, NULL, &stream);
    (void)mode;
    return finish_runtime(&call, begin_capture(stream) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    RUNTIME(cudaStreamEndCapture, NULL, &stream);
    *graph = end_capture(stream);
    return finish_runtime(&call, *graph ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    RUNTIME(cudaEventCreate, NULL, &event);
    *event = calloc(1, sizeof **event);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    RUNTIME(cudaEventDestroy, NULL, &event);
    free(event);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    RUNTIME(cudaEventRecord, NULL, &event);
    DRIVER(cuEventRecord, NULL, event->ns = end_of_stream(stream));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    RUNTIME(cudaEventSynchronize, NULL, &event);
    wait_until(event->ns);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
    RUNTIME(cudaEventElapsedTime, NULL, &ms);
    *ms = (float)(to->ns - from->ns) / 1e6f;
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags) {
    RUNTIME(cudaGraphInstantiate, NULL, &executable);
    (void)flags;
    *executable = copy_graph(graph);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    RUNTIME(cudaGraphLaunch, NULL, &graph);
    DRIVER(cuGraphLaunch, NULL, launch_graph(graph, stream, correlation(), cupti));
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    RUNTIME(cudaGraphExecDestroy, NULL, &graph);
    free_graph(graph);
    return finish_runtime(&call, cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    RUNTIME(cudaGraphDestroy, NULL, &graph);
    free_graph(graph);
    return finish_runtime(&call, cudaSuccess);
}
