/* Operations that are created, started or completed while recording is off or the profiler is
   paused, and partly while it is on. Those started while recording is on are recorded. */
#include "places.h"

#include <dlfcn.h>
#include <stddef.h>

enum { rounds = 10, bytes = 100 };

static void call_profiler(const char* function) {
    void (*call)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, function);
    if (call)
        call();
}

static void stop_messages(void) { MPI_Pcontrol(0); }
static void start_messages(void) { MPI_Pcontrol(1); }
static void pause_all(void) { call_profiler("vftrace_pause"); }
static void resume_all(void) { call_profiler("vftrace_resume"); }

static const struct {
    const char* name;
    void (*off)(void);
    void (*on)(void);
} switches[] = {{"MPI_Pcontrol", stop_messages, start_messages},
                {"vftrace_pause", pause_all, resume_all}};
enum { switch_count = sizeof switches / sizeof *switches };

static void completed_while_off(const Place* place, int way) {
    int data = 70 + place->rank, got[2] = {-1, -1}, right = right_of(place), left = left_of(place);
    MPI_Request requests[2];
    MPI_Irecv(&got[0], 1, MPI_INT, left, 1, place->comm, &requests[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, place->comm, &requests[1]);
    MPI_Send(&data, 1, MPI_INT, right, 1, place->comm);
    MPI_Send(&data, 1, MPI_INT, right, 2, place->comm);
    switches[way].off();
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Waitall(1, &requests[1], MPI_STATUSES_IGNORE);
    switches[way].on();
    report("%s, completed while off: %d %d", switches[way].name, got[0], got[1]);
    for (int i = 0; i < 2; i++) {
        expect_sent("MPI_Send", right, sizeof data);
        expect_received("MPI_Irecv", left, sizeof data);
    }
}

static void persistent(const Place* place, int way, int made_while_off) {
    char data[bytes], got[bytes] = {0};
    int right = right_of(place), left = left_of(place);
    unsigned sum = 0;
    MPI_Request requests[2];
    if (made_while_off)
        switches[way].off();
    MPI_Send_init(data, bytes, MPI_CHAR, right, 3, place->comm, &requests[0]);
    MPI_Recv_init(got, bytes, MPI_CHAR, left, 3, place->comm, &requests[1]);
    if (made_while_off)
        switches[way].on();
    else
        switches[way].off();
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < bytes; i++)
            data[i] = (char)(place->rank + round + i);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        sum = sum * 31 + checksum(got, bytes);
        if (made_while_off) {
            expect_sent("MPI_Startall", right, bytes);
            expect_received("MPI_Startall", left, bytes);
        }
    }
    if (!made_while_off)
        switches[way].on();
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    report("%s, persistent, made while off %d: %u", switches[way].name, made_while_off, sum);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    open_places(places);
    for (int way = 0; way < switch_count; way++) {
        completed_while_off(&places[0], way);
        persistent(&places[0], way, 1);
        persistent(&places[0], way, 0);
    }
    close_places(places);
    MPI_Finalize();
    return 0;
}
