/* The communicators that the programs use: all ranks, and all but rank 0 in reverse order, where
   ranks differ from those of MPI_COMM_WORLD. */
#ifndef PLACES_H
#define PLACES_H

#include "expect.h"

#include <mpi.h>

typedef struct {
    const char* name;
    MPI_Comm comm;
    int rank, size; /* own rank in comm, and its size */
    int world_size;
    int reversed;
} Place;

enum { place_count = 2 };

/* The rank in MPI_COMM_WORLD of a rank of the place's communicator. */
static inline int world_rank(const Place* place, int rank) {
    return place->reversed ? place->world_size - 1 - rank : rank;
}

static inline int right_of(const Place* place) { return (place->rank + 1) % place->size; }

static inline int left_of(const Place* place) {
    return (place->rank + place->size - 1) % place->size;
}

/* Also starts the expectations. Returns the number of places that this rank is part of. */
static inline int open_places(Place places[place_count]) {
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    expect_rank(rank);
    places[0] = (Place){"world", MPI_COMM_WORLD, rank, size, size, 0};
    places[1] = (Place){"reversed", MPI_COMM_NULL, size - 1 - rank, size - 1, size, 1};
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, -rank, &places[1].comm);
    return rank == 0 ? 1 : 2;
}

/* Also writes the expectations. */
static inline void close_places(Place places[place_count]) {
    if (places[1].comm != MPI_COMM_NULL)
        MPI_Comm_free(&places[1].comm);
    expect_write();
}

/* A status before the call: what the MPI leaves unchanged, a profiler must leave unchanged, too. */
#define FRESH_STATUS                                                                               \
    { .MPI_ERROR = 77 }

/* Reports everything in the status of a message of ints. */
static inline void report_status(const char* what, const Place* place, const MPI_Status* status) {
    int ints, bytes, cancelled;
    MPI_Get_count(status, MPI_INT, &ints);
    MPI_Get_count(status, MPI_BYTE, &bytes);
    MPI_Test_cancelled(status, &cancelled);
    report("%s on %s: source %d tag %d error %d ints %d bytes %d cancelled %d", what, place->name,
           status->MPI_SOURCE, status->MPI_TAG, status->MPI_ERROR, ints, bytes, cancelled);
}

#endif
