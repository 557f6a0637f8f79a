/* Prints the cost of MPI calls: lines "name nanoseconds", each the fastest of several rounds. The
   calls come from one function below main, on a communicator that is not MPI_COMM_WORLD, and go to
   eight peers in turn. Run with the stub MPI, with and without a profiler. */
#include "stub_mpi.h"

#include <stdio.h>
#include <time.h>

enum { turns = 20, calls = 2000, batch = 32, bytes = 64, peer_count = 8 };

static Handle comm;
static int size;
static char data[bytes], result[bytes];

__attribute__((no_instrument_function)) static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

__attribute__((no_instrument_function)) static int peer_of(int call) {
    return size > peer_count ? 1 + call % peer_count : 1;
}

/* Defines a function that makes the calls and returns nanoseconds per call. */
#define LOOP(name, calls_per_round, ...)                                                           \
    static double name(void) {                                                                     \
        double start = now();                                                                      \
        for (int i = 0; i < calls; i++) {                                                          \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        return (now() - start) / (calls * calls_per_round);                                        \
    }

static int rank;
static Handle request;

LOOP(send, 1, MPI_Send(data, bytes, TYPE_BYTE, peer_of(i), 1, comm))
LOOP(recv, 1, MPI_Recv(result, bytes, TYPE_BYTE, peer_of(i), 1, comm, STATUS_IGNORE))
LOOP(isend, 2, MPI_Isend(data, bytes, TYPE_BYTE, peer_of(i), 1, comm, &request);
     MPI_Wait(&request, STATUS_IGNORE))
LOOP(allreduce, 1, MPI_Allreduce(data, result, bytes, TYPE_BYTE, OP_SUM, comm))
LOOP(comm_rank, 1, MPI_Comm_rank(comm, &rank))

/* A call completes a receive and a send; starting them is not measured. */
static double waitall(void) {
    Handle requests[batch][2];
    double total = 0;
    for (int round = 0; round < calls / batch; round++) {
        for (int i = 0; i < batch; i++) {
            MPI_Irecv(result, bytes, TYPE_BYTE, peer_of(i), 1, comm, &requests[i][0]);
            MPI_Isend(data, bytes, TYPE_BYTE, peer_of(i), 1, comm, &requests[i][1]);
        }
        double start = now();
        for (int i = 0; i < batch; i++)
            MPI_Waitall(2, requests[i], STATUS_IGNORE);
        total += now() - start;
    }
    return total / (calls / batch * batch);
}

static const struct {
    const char* name;
    double (*run)(void);
} loops[] = {{"send", send},       {"recv", recv},           {"isend", isend},
             {"waitall", waitall}, {"allreduce", allreduce}, {"comm-rank", comm_rank}};

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(COMM_WORLD, &comm);
    MPI_Comm_size(comm, &size);
    for (unsigned loop = 0; loop < sizeof loops / sizeof *loops; loop++) {
        double best = 1e30;
        for (int turn = 0; turn < turns; turn++) {
            double time = loops[loop].run();
            best = time < best ? time : best;
        }
        printf("%s %.3f\n", loops[loop].name, best);
    }
    /* Without MPI_Finalize: there are no other ranks that a profiler could collect data from. */
    return 0;
}
