/* A program that uses the sessions model (MPI-4), without MPI_Init and MPI_COMM_WORLD. */
#include "expect.h"

#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4

int main(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, size, got = -1;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    expect_rank(rank);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE);
    expect_sent("MPI_Sendrecv", right, sizeof got);
    expect_received("MPI_Sendrecv", left, sizeof got);
    report("got %d", got);
    expect_write();
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}

#else
int main(void) {
    puts("skipped: sessions came with MPI-4");
    return 0;
}
#endif
