/* Messages around the ring, and then the kind of end that the argument names: "return" or "exit"
   without MPI_Finalize, "abort" (rank 1 calls MPI_Abort) or "crash" (rank 1 dies by a signal),
   while the others wait for a message that never comes. */
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void ring(const Place* place) {
    int data = place->rank, got = -1;
    MPI_Sendrecv(&data, 1, MPI_INT, right_of(place), 1, &got, 1, MPI_INT, left_of(place), 1,
                 place->comm, MPI_STATUS_IGNORE);
    expect_sent("MPI_Sendrecv", world_rank(place, right_of(place)), sizeof data);
    expect_received("MPI_Sendrecv", world_rank(place, left_of(place)), sizeof got);
    report("got %d", got);
    expect_write();
    MPI_Barrier(place->comm);
}

static void wait_for_ever(const Place* place) {
    int data;
    MPI_Recv(&data, 1, MPI_INT, right_of(place), 99, place->comm, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    Place places[place_count];
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    MPI_Init(&argc, &argv);
    open_places(places);
    ring(&places[0]);
    const char* end = argv[1];
    if (!strcmp(end, "return"))
        return 0;
    if (!strcmp(end, "exit"))
        exit(0);
    if (places[0].rank == 1 && !strcmp(end, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 9);
    if (places[0].rank == 1 && !strcmp(end, "crash"))
        *(volatile int*)8 = 1;
    wait_for_ever(&places[0]);
    return 0;
}
