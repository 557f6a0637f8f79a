/* Uses MPI, but sends nothing. */
#include <mpi.h>

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    MPI_Finalize();
    return 0;
}
