/* MPI_Isendrecv and MPI_Isendrecv_replace (MPI-4), also with MPI_PROC_NULL on one side. The
   messages fill the buffers, so that their sizes are known even if the status is not set (MPICH
   4.0). */
#include "places.h"

#include <stdio.h>

#if MPI_VERSION >= 4

static void ring(const Place* place) {
    int data[3] = {place->rank, 5, 6}, got[3] = {0};
    int right = world_rank(place, right_of(place)), left = world_rank(place, left_of(place));
    MPI_Request request;
    MPI_Isendrecv(data, 3, MPI_INT, right_of(place), 2, got, 3, MPI_INT, left_of(place), 2,
                  place->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_sent("MPI_Isendrecv", right, sizeof data);
    expect_received("MPI_Isendrecv", left, sizeof got);
    report("data %u", checksum(got, sizeof got));
    MPI_Isendrecv_replace(data, 2, MPI_INT, right_of(place), 3, left_of(place), 3, place->comm,
                          &request);
    for (int flag = 0; !flag;)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    expect_sent("MPI_Isendrecv_replace", right, 2 * sizeof(int));
    expect_received("MPI_Isendrecv_replace", left, 2 * sizeof(int));
    report("data %u", checksum(data, sizeof data));
}

/* The ring's ranks as a chain, which has ends. */
static void chain(const Place* place) {
    int data = place->rank, got = -1;
    int first = place->rank == 0, last = place->rank == place->size - 1;
    MPI_Request request;
    MPI_Isendrecv(&data, 1, MPI_INT, last ? MPI_PROC_NULL : right_of(place), 4, &got, 1, MPI_INT,
                  first ? MPI_PROC_NULL : left_of(place), 4, place->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!last)
        expect_sent("MPI_Isendrecv", world_rank(place, right_of(place)), sizeof data);
    if (!first)
        expect_received("MPI_Isendrecv", world_rank(place, left_of(place)), sizeof got);
    report("chain %d", got);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    int members = open_places(places);
    for (int p = 0; p < members; p++) {
        ring(&places[p]);
        chain(&places[p]);
    }
    close_places(places);
    MPI_Finalize();
    return 0;
}

#else
int main(void) {
    puts("skipped: MPI_Isendrecv came with MPI-4");
    return 0;
}
#endif
