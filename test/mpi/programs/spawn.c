/* A parent starts another process and communicates with it: a peer outside its MPI_COMM_WORLD. */
#include "expect.h"

#include <mpi.h>
#include <stdio.h>

static void parent(const char* program) {
    int data = 42, got = -1;
    MPI_Comm child;
    expect_rank(0);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
                       MPI_ERRCODES_IGNORE) != MPI_SUCCESS) {
        puts("skipped: this MPI cannot start processes here");
        return;
    }
    MPI_Send(&data, 1, MPI_INT, 0, 1, child);
    MPI_Recv(&got, 1, MPI_INT, 0, 1, child, MPI_STATUS_IGNORE);
    expect_sent("MPI_Send", -1, sizeof data);
    expect_received("MPI_Recv", -1, sizeof got);
    report("got %d", got);
    expect_write();
    MPI_Comm_disconnect(&child);
}

static void child(MPI_Comm parent) {
    int data;
    MPI_Recv(&data, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
    data++;
    MPI_Send(&data, 1, MPI_INT, 0, 1, parent);
    MPI_Comm_disconnect(&parent);
}

int main(int argc, char** argv) {
    MPI_Comm above;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&above);
    if (above == MPI_COMM_NULL)
        parent(argv[0]);
    else
        child(above);
    MPI_Finalize();
    return 0;
}
