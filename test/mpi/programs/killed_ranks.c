/* All ranks exchange messages, and are then killed by signal 9 at the same time. */
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

static int rank, size;

void exchange(void) {
    int out[10] = {0}, in[10];
    MPI_Sendrecv(out, 10, MPI_INT, (rank + 1) % size, 0, in, 10, MPI_INT, (rank + size - 1) % size,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    signal(SIGTERM, SIG_IGN); /* sent by the launcher to ranks that are still alive */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; i++)
        exchange();
    MPI_Barrier(MPI_COMM_WORLD);
    kill(getpid(), SIGKILL);
    return 0;
}
