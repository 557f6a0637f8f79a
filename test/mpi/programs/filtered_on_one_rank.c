/* Rank 0 calls a function so often that its hooks are removed there; the others call it
 * occasionally. */
#include <mpi.h>

static volatile unsigned sink;

__attribute__((noinline)) static void tiny(void) { sink++; }

__attribute__((noinline)) static void work(int calls) {
    for (int call = 0; call < calls; call++)
        tiny();
}

int main(int count, char** arguments) {
    int rank;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    work(rank == 0 ? 20000000 : 10);
    MPI_Finalize();
    return 0;
}
