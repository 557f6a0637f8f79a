/* Computes and communicates: an MPI call in a sampled program has its callers. */
#include <mpi.h>
#include <stdio.h>

static volatile double sink;

__attribute__((noinline)) void spin(long turns) {
    double x = 1.0;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

__attribute__((noinline)) void exchange(int rank) {
    double own = rank, sum;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sink = sum;
}

__attribute__((noinline)) void step(int rank) {
    spin(2000000 * (rank + 1));
    exchange(rank);
    sink = 1;
}

int main(int count, char** arguments) {
    int rank;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++)
        step(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
