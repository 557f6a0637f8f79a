/* Waits for messages by polling; also polls between pieces of work, which is not waiting. */
#include <time.h>

#include "places.h"

enum { messages = 5, pieces = 200 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((no_instrument_function, noinline)) static void work_for(double time) {
    static volatile long sink;
    for (double end = seconds() + time; seconds() < end;)
        sink++;
}

__attribute__((noinline)) static int ask(MPI_Request* request) {
    int flag = 0;
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

__attribute__((noinline)) static void wait_by_asking(MPI_Request* request) {
    while (!ask(request)) {
    }
}

__attribute__((noinline)) static int ask_at_work(MPI_Request* request) {
    int flag = 0;
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    return flag;
}

__attribute__((noinline)) static void work_and_ask(MPI_Request* request) {
    for (int piece = 0; piece < pieces; piece++) {
        work_for(100e-6);
        ask_at_work(request);
    }
}

int main(int argc, char** argv) {
    Place places[place_count];
    int got = -1, data = 5;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    open_places(places);
    const Place* place = &places[0];
    for (int message = 0; message < messages; message++) {
        if (place->rank == 0) {
            work_for(0.05);
            MPI_Send(&data, 1, MPI_INT, 1, 1, place->comm);
            expect_sent("MPI_Send", 1, sizeof data);
        } else if (place->rank == 1) {
            MPI_Irecv(&got, 1, MPI_INT, 0, 1, place->comm, &request);
            wait_by_asking(&request);
            expect_received("MPI_Irecv", 0, sizeof got);
        }
    }
    MPI_Barrier(place->comm);
    if (place->rank == 1) {
        MPI_Irecv(&got, 1, MPI_INT, 0, 2, place->comm, &request);
        work_and_ask(&request);
        MPI_Send(&data, 1, MPI_INT, 0, 3, place->comm);
        expect_sent("MPI_Send", 0, sizeof data);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect_received("MPI_Irecv", 0, sizeof got);
    } else if (place->rank == 0) {
        MPI_Recv(&got, 1, MPI_INT, 1, 3, place->comm, MPI_STATUS_IGNORE);
        expect_received("MPI_Recv", 1, sizeof got);
        MPI_Send(&data, 1, MPI_INT, 1, 2, place->comm);
        expect_sent("MPI_Send", 1, sizeof data);
    }
    report("got %d", got);
    close_places(places);
    MPI_Finalize();
    return 0;
}
