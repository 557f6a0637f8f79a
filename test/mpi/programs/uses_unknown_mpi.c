/* See unknown_mpi.c. */
#include <stdio.h>

enum { calls = 10000 };

int MPI_Init(int*, char***);
int MPI_Send(void*, int, long, int, int, long);
int MPI_Finalize(void);

int main(void) {
    int failures = MPI_Init(NULL, NULL) != 0;
    for (int i = 0; i < calls; i++)
        failures += MPI_Send(NULL, 1, 2, 3, 4, 5) != 0;
    failures += MPI_Finalize() != 0;
    printf("%d failures\n", failures);
    return 4;
}
