/* One call of a collective in its three forms: MPI_Bcast; MPI_Ibcast and MPI_Wait; MPI_Bcast_init,
   MPI_Start and MPI_Wait, several times (if the MPI has it). The programs contain the arguments
   only once:

       for (int mode = 0; mode < collective_modes; mode++) {
           COLLECTIVE(mode, Bcast, bcast, data, 4, MPI_INT, root, comm);
           sends(3, 4 * sizeof(int));
           receives(0, 0);
       } */
#ifndef COLLECTIVE_MODES_H
#define COLLECTIVE_MODES_H

#include "expect.h"

#include <mpi.h>

/* 3 with persistent collectives, 2 without, 1 for blocking ones only. */
#if MPI_VERSION >= 4
enum { collective_modes = 3 };
#define PERSISTENT_COLLECTIVE(Name, ...)                                                           \
    do {                                                                                           \
        MPI_Request request;                                                                       \
        MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &request);                                   \
        current_function = "MPI_Start";                                                            \
        current_calls = collective_starts;                                                         \
        for (int round = 0; round < current_calls; round++) {                                      \
            MPI_Start(&request);                                                                   \
            MPI_Wait(&request, MPI_STATUS_IGNORE);                                                 \
        }                                                                                          \
        MPI_Request_free(&request);                                                                \
    } while (0)
#else
enum { collective_modes = 2 };
#define PERSISTENT_COLLECTIVE(Name, ...) current_calls = 0
#endif

static const char* current_function; /* that the messages belong to */
static int current_calls;
static int collective_starts __attribute__((unused)) = 2; /* of a persistent collective */

#define COLLECTIVE(mode, Name, name, ...)                                                          \
    do {                                                                                           \
        current_calls = 1;                                                                         \
        if ((mode) == 0) {                                                                         \
            current_function = "MPI_" #Name;                                                       \
            MPI_##Name(__VA_ARGS__);                                                               \
        } else if ((mode) == 1) {                                                                  \
            MPI_Request request;                                                                   \
            current_function = "MPI_I" #name;                                                      \
            MPI_I##name(__VA_ARGS__, &request);                                                    \
            MPI_Wait(&request, MPI_STATUS_IGNORE);                                                 \
        } else {                                                                                   \
            PERSISTENT_COLLECTIVE(Name, __VA_ARGS__);                                              \
        }                                                                                          \
    } while (0)

/* What the last collective sent and received on this rank: messages, and bytes of each. */
static inline void sends(int messages, long long bytes) {
    expect_collective_sent(current_function, current_calls * messages, bytes);
}

static inline void receives(int messages, long long bytes) {
    expect_collective_received(current_function, current_calls * messages, bytes);
}

#endif
