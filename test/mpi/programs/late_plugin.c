/* See late_host.c: compiled twice, as the plugin that initialises MPI and sends, and, with the
   profiler, as the one that receives. */
#include "places.h"

#include <stddef.h>

static const int data[3] = {4, 5, 6};

__attribute__((visibility("default"))) void begin_mpi(void) {
    MPI_Request request;
    int rank;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isend(data, 3, MPI_INT, rank, 7, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
}

__attribute__((visibility("default"))) void receive_and_end(void) {
    Place places[place_count];
    int got[5] = {0}, rank;
    MPI_Recv(got, 5, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    open_places(places);
    rank = places[0].rank;
    report("got %d %d %d", got[0], got[2], got[4]);
    expect_received("MPI_Recv", rank, sizeof data);
    expect_calls("MPI_Recv", 1);
    expect_calls("MPI_Finalize", 1);
    close_places(places);
    MPI_Finalize();
}
