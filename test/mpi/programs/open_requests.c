/* Requests that are not completed before MPI_Finalize: a send that has arrived, and a receive for
   which no message comes. Neither is known to be complete, so neither is recorded. */
#include "places.h"

int main(int argc, char** argv) {
    Place places[place_count];
    static int data, unused;
    MPI_Request send, receive;
    int got = -1;
    MPI_Init(&argc, &argv);
    open_places(places);
    const Place* place = &places[0];
    data = place->rank;
    MPI_Irecv(&unused, 1, MPI_INT, left_of(place), 98, place->comm, &receive);
    MPI_Isend(&data, 1, MPI_INT, right_of(place), 1, place->comm, &send);
    MPI_Recv(&got, 1, MPI_INT, left_of(place), 1, place->comm, MPI_STATUS_IGNORE);
    expect_received("MPI_Recv", left_of(place), sizeof got);
    report("got %d", got);
    MPI_Barrier(place->comm);
    close_places(places);
    MPI_Finalize();
    return 0;
}
