/* Each rank computes for half a second, and waits for the others. */
#include <mpi.h>

static volatile double sink;

__attribute__((noinline)) static void compute(void) {
    for (double begun = MPI_Wtime(); MPI_Wtime() - begun < 0.5;)
        for (int i = 0; i < 100000; i++)
            sink += i * 0.5;
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    compute();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
