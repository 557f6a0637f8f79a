/* A library between the profiler and MPI: the first MPI_Wait returns late, long after MPI has
   released the request, as if the thread had been preempted. The profiler also has a PMPI_Wait, so
   MPI's own is looked up. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

int first_wait_is_over; /* for the program */

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    static int calls;
    int first = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) == 0;
    int (*wait)(MPI_Request*, MPI_Status*) =
        (int (*)(MPI_Request*, MPI_Status*))dlsym(RTLD_NEXT, "PMPI_Wait");
    int result = wait(request, status);
    if (first) {
        __atomic_store_n(&first_wait_is_over, 1, __ATOMIC_RELEASE);
        usleep(300000);
    }
    return result;
}
