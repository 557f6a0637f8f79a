// MPI and OpenMP: the encountering thread communicates, then all threads do.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static int total;

__attribute__((noinline)) void leaf(void) {
#pragma omp atomic
    total++;
}

__attribute__((noinline)) void funneled(void) {
#pragma omp parallel num_threads(2)
    {
        leaf();
#pragma omp master
        MPI_Barrier(MPI_COMM_WORLD);
#pragma omp barrier
    }
}

__attribute__((noinline)) void in_turn(int rank, int ranks) {
    int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
#pragma omp parallel num_threads(2)
    {
        int sent = rank, received = -1;
#pragma omp critical
        MPI_Sendrecv(&sent, 1, MPI_INT, next, 0, &received, 1, MPI_INT, previous, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (received == previous)
            leaf();
    }
}

int main(int count, char** arguments) {
    int rank, ranks, provided, sum;
    MPI_Init_thread(&count, &arguments, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 5; i++)
        funneled();
    if (provided >= MPI_THREAD_SERIALIZED)
        in_turn(rank, ranks);
    MPI_Reduce(&total, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
