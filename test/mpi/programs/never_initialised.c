/* A program that is linked to MPI and does not use it: asking is allowed at any time. */
#include <mpi.h>
#include <stdio.h>

int main(void) {
    int initialised = -7, finalised = -7;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    printf("initialised %d finalised %d\n", initialised, finalised);
    return 3;
}
