/* Lengths that come from collective MPI functions. */
#include "parameter.h"
#include <mpi.h>
static void over_largest(int length) {
    for (int i = 0; i < length; ++i)
        work();
}
static void over_gathered(int length) {
    for (int i = 0; i < length; ++i)
        work();
}
static void over_sum(int length) {
    for (int i = 0; i < length; ++i)
        work();
}
static void over_constant(int length) {
    for (int i = 0; i < length; ++i)
        work();
}
int main(int argc, char** argv) {
    int n = 12, other = 3, rank, largest[2], gathered[2], sum = 0;
    MPI_Init(&argc, &argv);
    PARAMETER(n);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int sent[2] = {n, other};
    MPI_Allreduce(sent, largest, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allgather(&n, 1, MPI_INT, gathered, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce(&n, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    over_largest(largest[0]);
    over_constant(largest[1]);
    over_gathered(gathered[1]);
    if (rank == 1)
        over_sum(sum);
    MPI_Finalize();
    return 0;
}
