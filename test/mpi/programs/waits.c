/* Loops over requests, some complete, some not and some null: indices, counts, flags and statuses
   are those of MPI alone. The order in which messages are sent is fixed by
   barriers, so the results are, too. */
#include "places.h"

enum { request_count = 4, sent_ints = 3, buffer_ints = 10 };

static const int order[request_count] = {2, 0, 3, 1};

typedef struct {
    const Place* place;
    MPI_Request requests[request_count];
    MPI_Status statuses[request_count];
    int data[request_count][buffer_ints];
} Receives;

static void post(Receives* all, const Place* place) {
    *all = (Receives){.place = place};
    for (int i = 0; i < request_count; i++)
        MPI_Irecv(all->data[i], buffer_ints, MPI_INT, i % 2 ? MPI_ANY_SOURCE : left_of(place), i,
                  place->comm, &all->requests[i]);
}

/* Sends one message to the right when all ranks are done with the last one, and returns when the
   left neighbour has sent its message. */
static void send_one(const Place* place, int tag) {
    int data[sent_ints] = {place->rank, tag, 5}, right = right_of(place);
    MPI_Barrier(place->comm);
    MPI_Send(data, sent_ints, MPI_INT, right, tag, place->comm);
    expect_sent("MPI_Send", world_rank(place, right), sizeof data);
    expect_received("MPI_Irecv", world_rank(place, left_of(place)), sizeof data);
    MPI_Barrier(place->comm);
}

static void report_nulls(const char* what, const Receives* all) {
    int nulls = 0;
    for (int i = 0; i < request_count; i++)
        nulls |= (all->requests[i] == MPI_REQUEST_NULL) << i;
    report("%s: null requests %x, data %u", what, nulls, checksum(all->data, sizeof all->data));
}

static void waitany(const Place* place) {
    Receives all;
    post(&all, place);
    for (int step = 0; step < request_count; step++) {
        int index = -7;
        MPI_Status status = FRESH_STATUS;
        send_one(place, order[step]);
        MPI_Waitany(request_count, all.requests, &index, &status);
        report("waitany index %d", index);
        report_status("waitany", place, &status);
        report_nulls("waitany", &all);
    }
    int index = -7;
    MPI_Status status = FRESH_STATUS;
    MPI_Waitany(request_count, all.requests, &index, &status);
    report("waitany of nulls: undefined %d", index == MPI_UNDEFINED);
    report_status("waitany of nulls", place, &status);
    MPI_Waitany(request_count, all.requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitany(0, all.requests, &index, MPI_STATUS_IGNORE);
    report("waitany of none: undefined %d", index == MPI_UNDEFINED);
}

/* The request that is complete is not the first of the list. */
static void testany(const Place* place) {
    Receives all;
    post(&all, place);
    for (int step = 0; step < request_count; step++) {
        int index = -7, flag = -7;
        MPI_Status status = FRESH_STATUS;
        MPI_Testany(request_count, all.requests, &index, &flag, MPI_STATUS_IGNORE);
        report("testany too early: flag %d undefined %d", flag, index == MPI_UNDEFINED);
        send_one(place, order[step]);
        do
            MPI_Testany(request_count, all.requests, &index, &flag, &status);
        while (!flag);
        report("testany index %d flag %d", index, flag);
        report_status("testany", place, &status);
        report_nulls("testany", &all);
    }
    int index = -7, flag = -7;
    MPI_Testany(request_count, all.requests, &index, &flag, MPI_STATUS_IGNORE);
    report("testany of nulls: undefined %d flag %d", index == MPI_UNDEFINED, flag);
}

static void report_some(const char* what, Receives* all, int out, const int* indices) {
    report("%s: out %d undefined %d", what, out, out == MPI_UNDEFINED);
    for (int i = 0; out != MPI_UNDEFINED && i < out; i++) {
        report("%s: index %d", what, indices[i]);
        report_status(what, all->place, &all->statuses[i]);
    }
    report_nulls(what, all);
}

static void waitsome(const Place* place) {
    Receives all;
    post(&all, place);
    int out, indices[request_count];
    for (int step = 0; step < request_count; step++) {
        send_one(place, order[step]);
        MPI_Waitsome(request_count, all.requests, &out, indices, all.statuses);
        report_some("waitsome", &all, out, indices);
    }
    MPI_Waitsome(request_count, all.requests, &out, indices, all.statuses);
    report_some("waitsome of nulls", &all, out, indices);
    MPI_Waitsome(0, all.requests, &out, indices, MPI_STATUSES_IGNORE);
    report_some("waitsome of none", &all, out, indices);
}

static void testsome(const Place* place) {
    Receives all;
    post(&all, place);
    int out, indices[request_count];
    for (int step = 0; step < request_count; step++) {
        MPI_Testsome(request_count, all.requests, &out, indices, all.statuses);
        report_some("testsome too early", &all, out, indices);
        send_one(place, order[step]);
        do
            MPI_Testsome(request_count, all.requests, &out, indices, all.statuses);
        while (out == 0);
        report_some("testsome", &all, out, indices);
    }
    MPI_Testsome(request_count, all.requests, &out, indices, MPI_STATUSES_IGNORE);
    report_some("testsome of nulls", &all, out, indices);
    MPI_Testsome(0, all.requests, &out, indices, MPI_STATUSES_IGNORE);
    report_some("testsome of none", &all, out, indices);
}

/* All messages arrive and one call returns them, with the statuses in the order of the indices. */
static void some_at_once(const Place* place) {
    Receives all;
    post(&all, place);
    for (int step = 0; step < request_count; step++)
        send_one(place, order[step]);
    for (int done = 0, out, indices[request_count]; done < request_count; done += out) {
        MPI_Waitsome(request_count, all.requests, &out, indices, all.statuses);
        for (int i = 0; i < out; i++)
            report("status of index: %d", all.statuses[i].MPI_TAG == indices[i]);
    }
    report_nulls("some at once", &all);
}

static void testall(const Place* place) {
    Receives all;
    post(&all, place);
    int flag;
    for (int step = 0; step < request_count; step++) {
        flag = -7;
        MPI_Testall(request_count, all.requests, &flag, all.statuses);
        report("testall too early: flag %d", flag);
        report_nulls("testall", &all);
        send_one(place, order[step]);
    }
    do
        MPI_Testall(request_count, all.requests, &flag, all.statuses);
    while (!flag);
    for (int i = 0; i < request_count; i++)
        report_status("testall", place, &all.statuses[i]);
    report_nulls("testall", &all);
    MPI_Testall(request_count, all.requests, &flag, MPI_STATUSES_IGNORE);
    report("testall of nulls: flag %d", flag);
}

static void nulls(const Place* place) {
    MPI_Request request = MPI_REQUEST_NULL, requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status = FRESH_STATUS, statuses[2] = {FRESH_STATUS, FRESH_STATUS};
    int flag = -7;
    MPI_Wait(&request, &status);
    report_status("wait for null", place, &status);
    MPI_Test(&request, &flag, &status);
    report("test of null: flag %d", flag);
    MPI_Waitall(2, requests, statuses);
    report_status("waitall for null", place, &statuses[1]);
    MPI_Waitall(0, requests, MPI_STATUSES_IGNORE);
    MPI_Request_get_status(request, &flag, &status);
    report("get_status of null: flag %d", flag);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    int members = open_places(places);
    for (int p = 0; p < members; p++) {
        waitany(&places[p]);
        testany(&places[p]);
        waitsome(&places[p]);
        testsome(&places[p]);
        some_at_once(&places[p]);
        testall(&places[p]);
        nulls(&places[p]);
    }
    close_places(places);
    MPI_Finalize();
    return 0;
}
