/* Rank 0 is paused while all ranks call collectives: the others must not wait longer for it than
   without a profiler. */
#include "places.h"

#include <dlfcn.h>

static void call_profiler(const char* function) {
    void (*call)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, function);
    if (call)
        call();
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    open_places(places);
    int rank = places[0].rank, size = places[0].size;
    int value = rank == 0 ? 42 : 3, sum = 0;
    if (rank == 0)
        call_profiler("vftrace_pause");
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        call_profiler("vftrace_resume");
    report("value %d, sum %d", value, sum);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    report("maximum %d", sum);
    if (rank != 0) {
        expect_calls("MPI_Bcast", 1);
        expect_collective_received("MPI_Bcast", 1, sizeof value);
        expect_collective_sent("MPI_Allreduce", size, sizeof value);
        expect_collective_received("MPI_Allreduce", size, sizeof value);
    }
    expect_calls("MPI_Allreduce", rank == 0 ? 1 : 2);
    expect_collective_sent("MPI_Allreduce", size, sizeof value);
    expect_collective_received("MPI_Allreduce", size, sizeof value);
    close_places(places);
    MPI_Finalize();
    return 0;
}
