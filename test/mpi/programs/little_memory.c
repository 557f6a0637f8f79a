/* One rank cannot get large pieces of memory in MPI_Finalize; one has a large profile.
   little_memory SHORT_RANK LARGE_RANK */
#include "expect.h"

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { fan_out = 4, depth = 8, limit_bytes = 400000 };

void __cyg_profile_func_enter(void* function, void* caller);
void __cyg_profile_func_exit(void* function, void* caller);
void* __libc_malloc(size_t bytes);

static volatile int is_short;
static char code[fan_out * depth];

/* The profiler allocates memory here, because it uses the program's malloc. */
__attribute__((no_instrument_function)) void* malloc(size_t bytes) {
    return is_short && bytes > limit_bytes ? NULL : __libc_malloc(bytes);
}

/* 4 + 16 + ... + 65,536 call paths. */
__attribute__((no_instrument_function)) static void call_many(int level) {
    for (int i = 0; i < fan_out && level < depth; i++) {
        __cyg_profile_func_enter(&code[fan_out * level + i], NULL);
        call_many(level + 1);
        __cyg_profile_func_exit(&code[fan_out * level + i], NULL);
    }
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    expect_rank(rank);
    if (rank == atoi(argv[2]))
        call_many(0);
    MPI_Barrier(MPI_COMM_WORLD);
    is_short = rank == atoi(argv[1]);
    MPI_Finalize();
    is_short = 0;
    report("finalised");
    return 0;
}
