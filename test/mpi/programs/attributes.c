/* Attributes of MPI_COMM_WORLD: prints a line when MPI calls its copy and delete functions.
   attributes copy: the program duplicates MPI_COMM_WORLD once.
   attributes fail: it does not, and its copy function refuses. */
#include "expect.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int world_rank, refuses;

static int copy(MPI_Comm comm, int key, void* extra, void* value, void* result, int* copied) {
    printf("rank %d: copied\n", world_rank);
    fflush(stdout);
    *(void**)result = value;
    *copied = 1;
    return refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void* value, void* extra) {
    printf("rank %d: deleted\n", world_rank);
    fflush(stdout);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    expect_rank(world_rank);
    refuses = strcmp(argv[1], "fail") == 0;
    MPI_Comm_create_keyval(copy, forget, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
    if (!refuses) {
        MPI_Comm duplicate;
        MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
        MPI_Comm_free(&duplicate);
    }
    MPI_Finalize();
    printf("rank %d: finalised\n", world_rank);
    report("finalised");
    return 0;
}
