/* MPI_THREAD_MULTIPLE: while one thread of rank 0 is returning from MPI_Wait (late_return.c), a
   second one receives with a request that has the same handle. */
#include "expect.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

extern int first_wait_is_over; /* late_return.c */

static MPI_Request first, second; /* handles as MPI returned them */

__attribute__((noinline)) static void receive_first(void) {
    char into[100];
    MPI_Request request;
    MPI_Irecv(into, sizeof into, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
    first = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void receive_second(void) {
    char into[2000];
    MPI_Request request;
    MPI_Irecv(into, sizeof into, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request);
    second = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void* run_first(void* unused) {
    receive_first();
    return unused;
}

int main(int argc, char** argv) {
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    expect_rank(rank);
    if (provided < MPI_THREAD_MULTIPLE) {
        puts("skipped: no MPI_THREAD_MULTIPLE");
    } else if (rank == 1) {
        char data[2000] = {0};
        MPI_Send(data, 100, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(data, 1, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, 2000, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    } else {
        char go = 0;
        pthread_t thread;
        pthread_create(&thread, NULL, run_first, NULL);
        while (!__atomic_load_n(&first_wait_is_over, __ATOMIC_ACQUIRE))
            sched_yield();
        MPI_Send(&go, 1, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
        receive_second();
        pthread_join(thread, NULL);
        report("one handle: %d", first == second);
    }
    MPI_Finalize();
    expect_write();
    return 0;
}
