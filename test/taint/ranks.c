/* Loops over ranks; messages whose size is a parameter. */
#include "parameter.h"
#include <mpi.h>
#include <stdlib.h>
static void share(int n, int ranks) {
    for (int i = 0; i < n / ranks; ++i)
        work();
}
static void over_ranks(int ranks) {
    for (int i = 0; i < ranks; ++i)
        work();
}
int main(int argc, char** argv) {
    int n = 12, ranks, rank;
    MPI_Init(&argc, &argv);
    PARAMETER(n);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    share(n, ranks);
    over_ranks(ranks);
    double* data = calloc((size_t)n, sizeof *data);
    double sum, one = rank;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(data, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    free(data);
    MPI_Finalize();
    return 0;
}
