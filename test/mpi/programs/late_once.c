/* A hundred barriers, to one of which rank 2 comes 50 ms late. */
#include <mpi.h>
#include <time.h>

__attribute__((noinline)) static void work(int is_long) {
    struct timespec time = {0, is_long ? 50000000 : 20000};
    nanosleep(&time, NULL);
}

int main(int count, char** arguments) {
    int rank;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++) {
        work(rank == 2 && i == 50);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
