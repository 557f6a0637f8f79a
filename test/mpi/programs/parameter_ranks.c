/* Records parameters before and after MPI_Init: n, the same on all ranks; rank; half, which differs
   on the upper half; only_last, only on the last rank. */
#include "expect.h"

#include <mpi.h>
#include <vftrace.h>

int main(int argc, char** argv) {
    int n = 1000, rank, ranks;
    VFTRACE_PARAMETER(n);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    expect_rank(rank);
    double half = rank < ranks / 2 ? 0.5 : 1.5;
    VFTRACE_PARAMETER(n);
    VFTRACE_PARAMETER(half);
    VFTRACE_PARAMETER(rank);
    if (rank == ranks - 1)
        vftrace_parameter(&n, sizeof n, "only_last");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
