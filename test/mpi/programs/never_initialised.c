/* A program linked to MPI that does not use it: inquiry functions may be called at any time. */
#include <mpi.h>
#include <stdio.h>

int main(void) {
    int initialised = -7, finalised = -7;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    printf("initialised %d finalised %d\n", initialised, finalised);
    return 3;
}
