/* Nonblocking point-to-point messages around a ring: every send mode, completed in every way that
   waits for certain requests; ready sends; messages to and from MPI_PROC_NULL. */
#include "places.h"

#include <stdlib.h>

enum { sent_ints = 9, buffer_ints = 50, requests_of_all = 4 };

typedef int SendFunction(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
typedef void CompleteFunction(MPI_Request* requests, MPI_Status* statuses);

static const struct {
    const char* name;
    SendFunction* call;
} sends[] = {{"MPI_Isend", MPI_Isend},
             {"MPI_Ibsend", MPI_Ibsend},
             {"MPI_Issend", MPI_Issend},
             {"MPI_Irsend", MPI_Irsend}};

static void wait_each(MPI_Request* requests, MPI_Status* statuses) {
    for (int i = requests_of_all; i-- > 0;)
        MPI_Wait(&requests[i], &statuses[i]);
}

static void test_each(MPI_Request* requests, MPI_Status* statuses) {
    for (int i = 0; i < requests_of_all; i++)
        for (int flag = 0; !flag;)
            MPI_Test(&requests[i], &flag, &statuses[i]);
}

static void wait_all(MPI_Request* requests, MPI_Status* statuses) {
    MPI_Waitall(requests_of_all, requests, statuses);
}

static void test_all(MPI_Request* requests, MPI_Status* statuses) {
    for (int flag = 0; !flag;)
        MPI_Testall(requests_of_all, requests, &flag, statuses);
}

static void look_then_wait(MPI_Request* requests, MPI_Status* statuses) {
    for (int i = 0; i < requests_of_all; i++) {
        for (int flag = 0; !flag;)
            MPI_Request_get_status(requests[i], &flag, &statuses[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
}

static void wait_all_and_ignore(MPI_Request* requests, MPI_Status* statuses) {
    (void)statuses;
    MPI_Waitall(requests_of_all, requests, MPI_STATUSES_IGNORE);
}

static CompleteFunction* const completions[] = {wait_each, test_each,      wait_all,
                                                test_all,  look_then_wait, wait_all_and_ignore};

enum {
    send_count = sizeof sends / sizeof *sends,
    completion_count = sizeof completions / sizeof *completions
};

static void ring(const Place* place, int mode, CompleteFunction* complete) {
    int data[2][sent_ints], got[2][buffer_ints] = {{0}};
    int right = right_of(place), left = left_of(place);
    MPI_Request requests[requests_of_all];
    MPI_Status statuses[requests_of_all] = {FRESH_STATUS, FRESH_STATUS, FRESH_STATUS, FRESH_STATUS};
    MPI_Irecv(got[0], buffer_ints, MPI_INT, left, 7, place->comm, &requests[0]);
    MPI_Irecv(got[1], buffer_ints, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, place->comm, &requests[1]);
    MPI_Barrier(place->comm); /* a ready send needs the receive */
    for (int i = 0; i < 2; i++) {
        int ints = sent_ints - i;
        for (int k = 0; k < sent_ints; k++)
            data[i][k] = 100 * place->rank + 10 * i + k;
        sends[mode].call(data[i], ints, MPI_INT, right, 7 + i, place->comm, &requests[2 + i]);
        expect_sent(sends[mode].name, world_rank(place, right), ints * (long)sizeof(int));
        expect_received("MPI_Irecv", world_rank(place, left), ints * (long)sizeof(int));
    }
    complete(requests, statuses);
    for (int i = 0; i < requests_of_all; i++)
        report("null after completion: %d", requests[i] == MPI_REQUEST_NULL);
    if (complete != wait_all_and_ignore)
        for (int i = 0; i < 2; i++)
            report_status("irecv", place, &statuses[i]);
    report("data %u", checksum(got, sizeof got));
    MPI_Barrier(place->comm); /* the next ring has a receive from any source */
}

static void ready(const Place* place) {
    int data = place->rank, got = -1;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, left_of(place), 1, place->comm, &request);
    MPI_Barrier(place->comm);
    MPI_Rsend(&data, 1, MPI_INT, right_of(place), 1, place->comm);
    expect_sent("MPI_Rsend", world_rank(place, right_of(place)), sizeof data);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_received("MPI_Irecv", world_rank(place, left_of(place)), sizeof data);
    report("ready %d", got);
}

static void nobody(const Place* place) {
    int data = 3;
    MPI_Request requests[2];
    MPI_Status statuses[2] = {FRESH_STATUS, FRESH_STATUS};
    MPI_Isend(&data, 1, MPI_INT, MPI_PROC_NULL, 1, place->comm, &requests[0]);
    MPI_Irecv(&data, 1, MPI_INT, MPI_PROC_NULL, 1, place->comm, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    report_status("from nobody", place, &statuses[1]);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    int members = open_places(places);
    int attached = 64 * 1024;
    void* buffer = malloc(attached);
    MPI_Buffer_attach(buffer, attached);
    for (int p = 0; p < members; p++) {
        const Place* place = &places[p];
        for (int mode = 0; mode < send_count; mode++)
            for (int c = 0; c < completion_count; c++)
                ring(place, mode, completions[c]);
        ready(place);
        nobody(place);
    }
    MPI_Buffer_detach(&buffer, &attached);
    free(buffer);
    close_places(places);
    MPI_Finalize();
    return 0;
}
