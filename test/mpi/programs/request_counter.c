/* Preloaded without a profiler: counts the requests that a program starts and those that it sees
   complete, by wrapping both names of the MPI functions, because Fortran bindings call either. In
   MPI_Finalize each rank writes "started S, open O" to the file requests.RANK. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { most = 1 << 16 };

static struct {
    MPI_Request handle;
    int persistent, active;
} known[most];
static int known_count, started, depth;

static void add(MPI_Request request, int peer, int persistent) {
    if (request == MPI_REQUEST_NULL || peer == MPI_PROC_NULL || known_count == most)
        return;
    known[known_count].handle = request;
    known[known_count].persistent = persistent;
    known[known_count++].active = !persistent;
    started += !persistent;
}

/* Several small sends may share a handle: it does not matter which one is taken. */
static int find(MPI_Request request) {
    for (int i = 0; i < known_count; i++)
        if (known[i].handle == request)
            return i;
    return -1;
}

static void start(MPI_Request request) {
    int i = find(request);
    if (i >= 0) {
        known[i].active = 1;
        started++;
    }
}

static void end(MPI_Request before, MPI_Request after) {
    int i = find(before);
    if (i < 0)
        return;
    known[i].active = 0;
    if (after == MPI_REQUEST_NULL)
        known[i] = known[--known_count];
}

static void say(void) {
    int rank, open = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < known_count; i++)
        open += known[i].active;
    char name[32];
    snprintf(name, sizeof name, "requests.%d", rank);
    FILE* file = fopen(name, "w");
    fprintf(file, "started %d, open %d\n", started, open);
    fclose(file);
    /* The launcher may kill the other ranks as soon as one has ended with open requests. */
    PMPI_Barrier(MPI_COMM_WORLD);
}

#define NAMED(prefix, name, parameters, arguments, before, after)                                  \
    int prefix##name parameters {                                                                  \
        static int(*next) parameters;                                                              \
        if (!next)                                                                                 \
            *(void**)&next = dlsym(RTLD_NEXT, #prefix #name);                                      \
        before;                                                                                    \
        depth++;                                                                                   \
        int result = next arguments;                                                               \
        if (--depth == 0 && result == MPI_SUCCESS) {                                               \
            after;                                                                                 \
        }                                                                                          \
        return result;                                                                             \
    }
#define WRAP(name, parameters, arguments, before, after)                                           \
    NAMED(MPI_, name, parameters, arguments, before, after)                                        \
    NAMED(PMPI_, name, parameters, arguments, before, after)

#define SEND_PARAMETERS                                                                            \
    (const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,             \
     MPI_Request* request)
#define RECEIVE_PARAMETERS                                                                         \
    (void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,                   \
     MPI_Request* request)
#define MESSAGE (data, count, type, peer, tag, comm, request)
WRAP(Isend, SEND_PARAMETERS, MESSAGE, , add(*request, peer, 0))
WRAP(Ibsend, SEND_PARAMETERS, MESSAGE, , add(*request, peer, 0))
WRAP(Issend, SEND_PARAMETERS, MESSAGE, , add(*request, peer, 0))
WRAP(Irsend, SEND_PARAMETERS, MESSAGE, , add(*request, peer, 0))
WRAP(Irecv, RECEIVE_PARAMETERS, MESSAGE, , add(*request, peer, 0))
WRAP(Send_init, SEND_PARAMETERS, MESSAGE, , add(*request, peer, 1))
WRAP(Recv_init, RECEIVE_PARAMETERS, MESSAGE, , add(*request, peer, 1))
WRAP(Start, (MPI_Request * request), (request), , start(*request))
WRAP(Startall, (int n, MPI_Request requests[]), (n, requests), ,
     for (int i = 0; i < n; i++) start(requests[i]))

#define ONE MPI_Request old = *request
#define MANY                                                                                       \
    MPI_Request old[n + 1];                                                                        \
    memcpy(old, requests, (size_t)n * sizeof *requests)
#define ENDED(i) end(old[i], requests[i])
WRAP(Request_free, (MPI_Request * request), (request), ONE, end(old, *request))
WRAP(Wait, (MPI_Request * request, MPI_Status* status), (request, status), ONE, end(old, *request))
WRAP(Test, (MPI_Request * request, int* flag, MPI_Status* status), (request, flag, status), ONE,
     if (*flag) end(old, *request))
WRAP(Waitany, (int n, MPI_Request requests[], int* i, MPI_Status* status), (n, requests, i, status),
     MANY, if (*i >= 0) ENDED(*i))
WRAP(Testany, (int n, MPI_Request requests[], int* i, int* flag, MPI_Status* status),
     (n, requests, i, flag, status), MANY, if (*flag && *i >= 0) ENDED(*i))
#define SOME (int n, MPI_Request requests[], int* found, int indices[], MPI_Status statuses[])
WRAP(Waitsome, SOME, (n, requests, found, indices, statuses), MANY,
     for (int i = 0; i < *found; i++) ENDED(indices[i]))
WRAP(Testsome, SOME, (n, requests, found, indices, statuses), MANY,
     for (int i = 0; i < *found; i++) ENDED(indices[i]))
WRAP(Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses), MANY,
     for (int i = 0; i < n; i++) ENDED(i))
WRAP(Testall, (int n, MPI_Request requests[], int* flag, MPI_Status statuses[]),
     (n, requests, flag, statuses), MANY, for (int i = 0; *flag && i < n; i++) ENDED(i))
WRAP(Finalize, (void), (), if (depth == 0) say(), )
