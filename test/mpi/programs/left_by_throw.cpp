/* Like left_by_jump.c, with an exception. */
extern "C" {
#include "expect.h"
}

#include <mpi.h>

constexpr int failures = 300;

static void leave(MPI_Comm*, int*, ...) { throw 1; }

int main(int argc, char** argv) {
    char data[8] = {};
    int rank, size, left = 0, got = -1;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    expect_rank(rank);
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; rank == 0 && i < failures; i++) {
        try {
            MPI_Bcast(data, -1, MPI_CHAR, 0, MPI_COMM_WORLD);
        } catch (int) {
            left++;
        }
    }
    report("left %d calls", left);

    int right = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Bcast(data, 5, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    report("got %d", got);
    expect_calls("MPI_Bcast", 1 + left);
    expect_calls("MPI_Sendrecv", 1);
    expect_calls("MPI_Finalize", 1);
    if (rank == 0)
        expect_collective_sent("MPI_Bcast", size, 5);
    else
        expect_collective_received("MPI_Bcast", 1, 5);
    expect_sent("MPI_Sendrecv", right, sizeof got);
    expect_received("MPI_Sendrecv", before, sizeof got);
    MPI_Errhandler_free(&handler);
    expect_write();
    MPI_Finalize();
    return 0;
}
