/* An error handler leaves failed MPI calls by longjmp, back into the function that made them, on
   rank 0 only: later calls of this function are calls like any other. */
#include "places.h"

#include <setjmp.h>

enum { failures = 300 };

static jmp_buf back;

static void leave(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    (void)code;
    longjmp(back, 1);
}

int main(int argc, char** argv) {
    Place places[place_count];
    char data[8] = {0};
    volatile int left = 0, i;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    open_places(places);
    const Place* place = &places[0];
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (i = 0; place->rank == 0 && i < failures; i = i + 1) {
        if (setjmp(back))
            left = left + 1;
        else
            MPI_Bcast(data, -1, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    report("left %d calls", left);

    int got = -1, right = right_of(place);
    MPI_Bcast(data, 5, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(&place->rank, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left_of(place), 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    report("got %d", got);
    expect_calls("MPI_Bcast", 1 + left);
    expect_calls("MPI_Sendrecv", 1);
    expect_calls("MPI_Finalize", 1);
    if (place->rank == 0)
        expect_collective_sent("MPI_Bcast", place->size, 5);
    else
        expect_collective_received("MPI_Bcast", 1, 5);
    expect_sent("MPI_Sendrecv", right, sizeof got);
    expect_received("MPI_Sendrecv", left_of(place), sizeof got);
    MPI_Errhandler_free(&handler);
    close_places(places);
    MPI_Finalize();
    return 0;
}
