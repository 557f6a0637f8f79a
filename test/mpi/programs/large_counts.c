/* Messages of more than 2^31 bytes, by datatypes that refer to the same memory repeatedly, and by
   counts of 64 bits if the MPI has them. One rank, so that little is copied. */
#include "expect.h"

#include <mpi.h>
#include <stdlib.h>

static const long long block = 16 << 20, blocks = 144, bytes = 2415919104;

int main(int argc, char** argv) {
    MPI_Datatype many, row;
    MPI_Init(&argc, &argv);
    expect_rank(0);
    char *memory = calloc(1, block), *got = calloc(1, block);
    memory[block - 1] = 7;

    /* A root that is the only rank copies nothing. */
    MPI_Type_contiguous(block, MPI_CHAR, &row);
    MPI_Type_vector(blocks, 1, 0, row, &many);
    MPI_Type_commit(&many);
    MPI_Bcast(memory, 3, many, 0, MPI_COMM_WORLD);
    expect_collective_sent("MPI_Bcast", 1, 3 * bytes);

    /* Rows that overlap completely. */
    MPI_Sendrecv(memory, 1, many, 0, 1, got, 1, many, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_sent("MPI_Sendrecv", 0, bytes);
    expect_received("MPI_Sendrecv", 0, bytes);
    report("last %d", got[block - 1]);
#if MPI_VERSION >= 4
    MPI_Bcast_c(memory, 3 * bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    expect_collective_sent("MPI_Bcast_c", 1, 3 * bytes);
    MPI_Sendrecv_c(memory, (MPI_Count)1, many, 0, 1, got, 1, many, 0, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    expect_sent("MPI_Sendrecv_c", 0, bytes);
    expect_received("MPI_Sendrecv_c", 0, bytes);
#endif
    MPI_Type_free(&row);
    MPI_Type_free(&many);
    free(memory);
    free(got);
    expect_write();
    MPI_Finalize();
    return 0;
}
