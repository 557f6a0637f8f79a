/* Makes a number of calls of one kind, for counting instructions; for the stub MPI.
   call_number comm_rank|send|isend NUMBER */
#include "stub_mpi.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    Handle comm, request;
    char data[64] = {0};
    int rank;
    long number = atol(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(COMM_WORLD, &comm);
    if (strcmp(argv[1], "comm_rank") == 0) {
        for (long i = 0; i < number; i++)
            MPI_Comm_rank(comm, &rank);
    } else if (strcmp(argv[1], "send") == 0) {
        for (long i = 0; i < number; i++)
            MPI_Send(data, sizeof data, TYPE_BYTE, 1, 1, comm);
    } else {
        for (long i = 0; i < number; i++) {
            MPI_Isend(data, sizeof data, TYPE_BYTE, 1, 1, comm, &request);
            MPI_Wait(&request, STATUS_IGNORE);
        }
    }
    return 0; /* without MPI_Finalize, because there are no ranks to collect profiles from */
}
