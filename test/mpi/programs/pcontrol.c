/* MPI_Pcontrol switches the recording of messages off and on; calls are counted in any case. */
#include "places.h"

enum { calls = 5 };

static void ring(const Place* place, int is_recorded) {
    int right = right_of(place), left = left_of(place), got = -1, sum = place->rank;
    for (int i = 0; i < calls; i++)
        MPI_Sendrecv(&i, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, place->comm,
                     MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, place->comm);
    report("got %d, sum %d", got, sum);
    expect_calls("MPI_Sendrecv", calls);
    expect_calls("MPI_Allreduce", 1);
    expect_calls("MPI_Pcontrol", 1);
    if (is_recorded) {
        for (int i = 0; i < calls; i++) {
            expect_sent("MPI_Sendrecv", right, sizeof got);
            expect_received("MPI_Sendrecv", left, sizeof got);
        }
        expect_collective_sent("MPI_Allreduce", place->size - 1, sizeof sum);
        expect_collective_received("MPI_Allreduce", place->size - 1, sizeof sum);
    }
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    open_places(places);
    static const int levels[] = {1, 0, 0, 2, 0, 1};
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
        MPI_Pcontrol(levels[i]);
        ring(&places[0], levels[i] != 0);
    }
    close_places(places);
    MPI_Finalize();
    return 0;
}
