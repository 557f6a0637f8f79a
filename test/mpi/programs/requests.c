/* Requests that do not end by ordinary completion: cancelled, freed early, many with one handle,
   and those for which the communicator is freed first. */
#include "places.h"

enum { many = 200 };

static void cancelled(const Place* place) {
    int data[4] = {0}, flag = -7;
    MPI_Request request;
    MPI_Status status = FRESH_STATUS;
    MPI_Irecv(data, 4, MPI_INT, MPI_ANY_SOURCE, 99, place->comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    report("cancelled %d null %d", flag, request == MPI_REQUEST_NULL);
}

/* Cancelled too late: the message has arrived and is received. */
static void cancelled_too_late(const Place* place) {
    int data = place->rank, got = -1, flag = -7;
    MPI_Request request;
    MPI_Status status = FRESH_STATUS;
    MPI_Irecv(&got, 1, MPI_INT, left_of(place), 1, place->comm, &request);
    MPI_Send(&data, 1, MPI_INT, right_of(place), 1, place->comm);
    for (flag = 0; !flag;)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    expect_sent("MPI_Send", world_rank(place, right_of(place)), sizeof data);
    expect_received("MPI_Irecv", world_rank(place, left_of(place)), sizeof data);
    report_status("too late", place, &status);
    report("data %d", got);
}

/* The message is sent nevertheless. */
static void freed_early(const Place* place) {
    static int data[3];
    int got[3] = {0};
    MPI_Request request;
    data[0] = place->rank;
    data[1] = 77;
    MPI_Isend(data, 3, MPI_INT, right_of(place), 2, place->comm, &request);
    MPI_Request_free(&request);
    MPI_Recv(got, 3, MPI_INT, left_of(place), 2, place->comm, MPI_STATUS_IGNORE);
    MPI_Barrier(place->comm);
    expect_sent("MPI_Isend", world_rank(place, right_of(place)), sizeof data);
    expect_received("MPI_Recv", world_rank(place, left_of(place)), sizeof data);
    report("freed early: %d, null %d", got[0] + got[1], request == MPI_REQUEST_NULL);
}

/* Sends so small that they complete at once may share one request. Messages differ in size. */
static void many_small(const Place* place) {
    char data[many] = {0}, got[many][many];
    MPI_Request requests[2 * many];
    int right = right_of(place), left = left_of(place);
    for (int i = 0; i < many; i++) {
        data[i] = (char)(place->rank + i);
        MPI_Irecv(got[i], many, MPI_CHAR, left, i, place->comm, &requests[many + i]);
    }
    MPI_Barrier(place->comm);
    for (int i = 0; i < many; i++) {
        MPI_Isend(data, i, MPI_CHAR, right, i, place->comm, &requests[i]);
        expect_sent("MPI_Isend", world_rank(place, right), i);
        expect_received("MPI_Irecv", world_rank(place, left), i);
    }
    MPI_Waitall(2 * many, requests, MPI_STATUSES_IGNORE);
    unsigned sum = 0;
    for (int i = 0; i < many; i++)
        sum += checksum(got[i], i);
    report("many %u", sum);
}

static void communicator_freed_first(const Place* place) {
    int data = 5 + place->rank, got = -1, right = right_of(place), left = left_of(place);
    MPI_Comm comm, other;
    MPI_Request requests[3];
    MPI_Status statuses[2] = {FRESH_STATUS, FRESH_STATUS};
    MPI_Comm_dup(place->comm, &comm);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &requests[0]);
    MPI_Isend(&data, 1, MPI_INT, right, 1, comm, &requests[1]);
    MPI_Comm_free(&comm);
    MPI_Comm_split(place->comm, 0, 0, &other); /* may get the handle of the freed one */
    MPI_Waitall(2, requests, statuses);
    expect_sent("MPI_Isend", world_rank(place, right), sizeof data);
    expect_received("MPI_Irecv", world_rank(place, left), sizeof data);
    report_status("freed communicator", place, &statuses[0]);
    report("data %d, null %d", got, comm == MPI_COMM_NULL);
    MPI_Comm_free(&other);
}

/* The handle of a freed communicator is reused for one with another order of ranks. */
static void handles_used_again(const Place* place) {
    int data = place->rank, got = -1;
    for (int round = 0; round < 4; round++) {
        Place again = *place;
        MPI_Comm_split(place->comm, 0, round % 2 ? -place->rank : place->rank, &again.comm);
        MPI_Comm_rank(again.comm, &again.rank);
        int mirrored = round % 2;
        int right = right_of(&again), left = left_of(&again);
        MPI_Sendrecv(&data, 1, MPI_INT, right, 3, &got, 1, MPI_INT, left, 3, again.comm,
                     MPI_STATUS_IGNORE);
        expect_sent("MPI_Sendrecv", world_rank(place, mirrored ? place->size - 1 - right : right),
                    sizeof data);
        expect_received("MPI_Sendrecv", world_rank(place, mirrored ? place->size - 1 - left : left),
                        sizeof data);
        report("round %d: %d", round, got);
        MPI_Comm_free(&again.comm);
    }
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    int members = open_places(places);
    for (int p = 0; p < members; p++) {
        cancelled(&places[p]);
        cancelled_too_late(&places[p]);
        freed_early(&places[p]);
        many_small(&places[p]);
        communicator_freed_first(&places[p]);
        handles_used_again(&places[p]);
    }
    close_places(places);
    MPI_Finalize();
    return 0;
}
