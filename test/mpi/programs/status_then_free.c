/* Requests that MPI_Request_get_status reports complete, and MPI_Request_free ends: the message has
   arrived, and nothing is wrong. */
#include "places.h"

enum { rounds = 5, ints = 4 };

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    open_places(places);
    const Place* place = &places[0];
    int right = right_of(place), left = left_of(place);
    for (int round = 0; round < rounds; round++) {
        int data[ints] = {1, 2, 3, round + place->rank}, got[ints + 1] = {0}, flag = 0;
        MPI_Request requests[2];
        MPI_Status status = FRESH_STATUS;
        MPI_Irecv(got, ints + 1, MPI_INT, MPI_ANY_SOURCE, round, place->comm, &requests[0]);
        MPI_Isend(data, ints, MPI_INT, right, round, place->comm, &requests[1]);
        while (!flag)
            MPI_Request_get_status(requests[0], &flag, round % 2 ? &status : MPI_STATUS_IGNORE);
        for (flag = 0; !flag;)
            MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        expect_sent("MPI_Isend", right, sizeof data);
        expect_received("MPI_Irecv", left, sizeof data);
        report("got %d", got[ints - 1]);
        MPI_Barrier(place->comm);
    }
    close_places(places);
    MPI_Finalize();
    return 0;
}
