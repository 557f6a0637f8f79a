/* Signals its start by making a file, and ends when another file exists.
   waits_for_file STARTED GO */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        fclose(fopen(argv[1], "w"));
    while (access(argv[2], F_OK) != 0)
        usleep(10000);
    MPI_Finalize();
    return 0;
}
