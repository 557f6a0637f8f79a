/* A stub of an MPI library that returns at once, so that what a profiler adds to a call can be
   measured. It has the binary interface of MPICH or of Open MPI, with the functions that the
   benchmark calls and those that a profiler calls to interpret them. It acts as one rank of many;
   their number is in the environment variable STUB_MPI_SIZE. */
#include "stub_mpi.h"

#include <stdlib.h>

/* Profilers call PMPI_x or the next MPI_x. */
#define STUB(name, ...)                                                                            \
    int PMPI_##name(__VA_ARGS__);                                                                  \
    int MPI_##name(__VA_ARGS__) __attribute__((weak, alias("PMPI_" #name)));                       \
    int PMPI_##name(__VA_ARGS__)

enum { undefined = -32766, thread_single = 0, request_count = 1024 };

static int size, initialised;
static unsigned next_request;
static long long received_bytes = 64;

#if defined MPICH_ABI
static Handle new_request(void) { return (Handle)(0x98000000u + next_request++ % request_count); }
static Handle world_group(void) { return (Handle)0x88000000; }
static Handle copy_of_world(void) { return (Handle)0x84000001; }
static void set_count(Status* status, long long bytes) {
    status->count_low = (int)bytes;
    status->count_high_and_cancelled = (int)(bytes >> 32) << 1;
}
static long long count_of(const Status* status) { return (unsigned)status->count_low; }
#else
Object ompi_mpi_comm_world, ompi_mpi_comm_self, ompi_mpi_comm_null, ompi_request_null,
    ompi_message_no_proc, ompi_mpi_byte, ompi_mpi_op_no_op, ompi_mpi_op_sum, ompi_mpi_op_band,
    ompi_mpi_errors_return;
static Object requests[request_count], group, copy;
static Handle new_request(void) { return &requests[next_request++ % request_count]; }
static Handle world_group(void) { return &group; }
static Handle copy_of_world(void) { return &copy; }
static void set_count(Status* status, long long bytes) {
    status->count = (size_t)bytes;
    status->cancelled = 0;
}
static long long count_of(const Status* status) { return (long long)status->count; }
#endif

static void complete(Status* status) {
    if (status != STATUS_IGNORE) {
        status->source = 1;
        status->tag = 1;
        set_count(status, received_bytes);
    }
}

/* Answers that do not depend on the arguments. */
#define ANSWER(name, result, value, ...)                                                           \
    STUB(name, __VA_ARGS__) {                                                                      \
        *(result) = (value);                                                                       \
        return 0;                                                                                  \
    }
#define IGNORED __attribute__((unused))

STUB(Init, IGNORED int* argc, IGNORED char*** argv) {
    const char* text = getenv("STUB_MPI_SIZE");
    size = text ? atoi(text) : 2;
    initialised = 1;
    return 0;
}
ANSWER(Initialized, flag, initialised, int* flag)
ANSWER(Finalized, flag, 0, int* flag)
ANSWER(Query_thread, provided, thread_single, int* provided)
ANSWER(Comm_rank, rank, 0, IGNORED Handle comm, int* rank)
ANSWER(Comm_size, result, size, IGNORED Handle comm, int* result)
ANSWER(Comm_test_inter, flag, 0, IGNORED Handle comm, int* flag)
ANSWER(Comm_group, group, world_group(), IGNORED Handle comm, Handle* group)
ANSWER(Comm_dup, copy, copy_of_world(), IGNORED Handle comm, Handle* copy)
ANSWER(Comm_free, comm, 0, Handle* comm)
STUB(Comm_set_errhandler, IGNORED Handle comm, IGNORED Handle handler) { return 0; }
ANSWER(Topo_test, kind, undefined, IGNORED Handle comm, int* kind)
ANSWER(Group_size, result, size, IGNORED Handle group, int* result)
ANSWER(Group_rank, rank, 0, IGNORED Handle group, int* rank)
ANSWER(Group_free, group, 0, Handle* group)
STUB(Group_translate_ranks, IGNORED Handle group, int count, const int* ranks, IGNORED Handle other,
     int* translated) {
    for (int i = 0; i < count; i++)
        translated[i] = ranks[i];
    return 0;
}
ANSWER(Type_size, bytes, 1, IGNORED Handle type, int* bytes)
ANSWER(Type_size_x, bytes, 1, IGNORED Handle type, long long* bytes)
ANSWER(Get_count, count, (int)count_of(status), const Status* status, IGNORED Handle type,
       int* count)
ANSWER(Get_elements_x, count, count_of(status), const Status* status, IGNORED Handle type,
       long long* count)
ANSWER(Get_count_c, count, count_of(status), const Status* status, IGNORED Handle type,
       long long* count)
ANSWER(Test_cancelled, flag, 0, IGNORED const Status* status, int* flag)

STUB(Send, IGNORED const void* data, IGNORED int count, IGNORED Handle type, IGNORED int peer,
     IGNORED int tag, IGNORED Handle comm) {
    return 0;
}
STUB(Recv, IGNORED void* data, IGNORED int count, IGNORED Handle type, IGNORED int peer,
     IGNORED int tag, IGNORED Handle comm, Status* status) {
    complete(status);
    return 0;
}
ANSWER(Isend, request, new_request(), IGNORED const void* data, IGNORED int count,
       IGNORED Handle type, IGNORED int peer, IGNORED int tag, IGNORED Handle comm, Handle* request)
ANSWER(Irecv, request, new_request(), IGNORED void* data, IGNORED int count, IGNORED Handle type,
       IGNORED int peer, IGNORED int tag, IGNORED Handle comm, Handle* request)
STUB(Wait, Handle* request, Status* status) {
    *request = REQUEST_NULL;
    complete(status);
    return 0;
}
STUB(Waitall, int count, Handle* requests, Status* statuses) {
    for (int i = 0; i < count; i++) {
        requests[i] = REQUEST_NULL;
        complete(statuses == STATUS_IGNORE ? STATUS_IGNORE : &statuses[i]);
    }
    return 0;
}
STUB(Allreduce, IGNORED const void* data, IGNORED void* result, IGNORED int count,
     IGNORED Handle type, IGNORED Handle op, IGNORED Handle comm) {
    return 0;
}
