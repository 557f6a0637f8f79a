/* Annotations of ranks, also after MPI_Finalize. */
#include <mpi.h>
#include <stddef.h>

#define WEAK __attribute__((weak))
int GPTLstart(const char*) WEAK;
int GPTLstop(const char*) WEAK;
void* ps_tool_create_counter(const char*) WEAK;
void ps_tool_sample_counter(void*, double) WEAK;

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!GPTLstart)
        return 1;
    ps_tool_sample_counter(ps_tool_create_counter("bytes"), rank);
    for (int i = 0; i < 2; i++) {
        GPTLstart("solve");
        MPI_Barrier(MPI_COMM_WORLD);
        GPTLstop("solve");
    }
    GPTLstop("after"); /* of nothing */
    MPI_Finalize();
    GPTLstart("late");
    GPTLstop("late");
    return 0;
}
