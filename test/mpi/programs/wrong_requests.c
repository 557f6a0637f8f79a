/* Null pointers, wrong requests and messages that are too long, with an error handler that returns:
   the error classes are MPI's, failed operations are not recorded, continuing ones are.
   Argument: the cases, as characters, that this MPI survives. */
#include "places.h"

#include <stddef.h>
#include <string.h>

static void report_error(const char* what, int code) {
    int class = 0;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    report("%s: class %d", what, class);
}

static MPI_Request no_request(void) {
    MPI_Request request;
    memset(&request, 0, sizeof request);
    return request;
}

static void try_case(int rank, char which) {
    int data[4] = {1, 2, 3, 4}, got = 0, count = 1 << 28, indices[4];
    MPI_Comm self = MPI_COMM_SELF;
    MPI_Request request;
    MPI_Status statuses[4] = {FRESH_STATUS};
    MPI_Irecv(&got, 1, MPI_INT, 0, 0, self, &request);
    MPI_Request bad[2] = {request, no_request()};
    switch (which) {
    case 'a':
        report_error("wait, null", MPI_Wait(NULL, MPI_STATUS_IGNORE));
        break;
    case 'b':
        report_error("waitall, null", MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE));
        break;
    case 'c':
        report_error("comm_free, null", MPI_Comm_free(NULL));
        break;
    case 'd':
        report_error("win_free, null", MPI_Win_free(NULL));
        break;
    case 'e':
        report_error("waitsome, no count", MPI_Waitsome(1, &request, NULL, indices, statuses));
        break;
    case 'f':
        report_error("waitsome, wrong", MPI_Waitsome(2, bad, &count, indices, statuses));
        break;
    case 'g':
        report_error("testany, no flag", MPI_Testany(1, &request, &count, NULL, statuses));
        break;
    case 'h':
        report_error("waitany, no index", MPI_Waitany(1, &request, NULL, statuses));
        break;
    case 'i':
        report_error("request_free, null", MPI_Request_free(NULL));
        break;
    case 'j':
        report_error("start, null", MPI_Start(NULL));
        break;
    case 'k':
        report_error("cancel, null", MPI_Cancel(NULL));
        break;
    case 'l':
        report_error("testsome, wrong", MPI_Testsome(2, bad, &count, indices, statuses));
        break;
    case 'm':
        report_error("mrecv, null", MPI_Mrecv(&got, 1, MPI_INT, NULL, statuses));
        break;
    case 'n':
        report_error("waitsome, -1", MPI_Waitsome(-1, &request, &count, indices, statuses));
        break;
    case 'o':
        report_error("waitall, wrong", MPI_Waitall(2, bad, statuses));
        break;
    case 'p':
        report_error("test, null", MPI_Test(NULL, &count, statuses));
        break;
    case 'q':
        report_error("test, no flag", MPI_Test(&request, NULL, statuses));
        break;
    case 'r':
        report_error("testall, null", MPI_Testall(2, NULL, &count, statuses));
        break;
    case 's':
        report_error("startall, null", MPI_Startall(2, NULL));
        break;
    case 't':
        report_error("imrecv, null", MPI_Imrecv(&got, 1, MPI_INT, NULL, &request));
        break;
    }
    MPI_Send(data, 1, MPI_INT, 0, 0, self);
    MPI_Wait(&request, statuses);
    report("%c: got %d", which, got);
    expect_sent("MPI_Send", rank, sizeof got);
    expect_received("MPI_Irecv", rank, sizeof got);
}

/* Persistent, and active while MPI_Waitall refuses its arguments. */
static void waitall_refused(int rank) {
    char data[100] = {5}, got[100] = {0};
    MPI_Status statuses[2] = {FRESH_STATUS};
    MPI_Request request;
    MPI_Recv_init(got, 100, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
    for (int round = 0; round < 2; round++) {
        MPI_Start(&request);
        MPI_Request bad[2] = {request, no_request()};
        report_error("waitall, persistent and wrong", MPI_Waitall(2, bad, statuses));
        MPI_Send(data, 100, MPI_CHAR, 0, 1, MPI_COMM_SELF);
        MPI_Wait(&request, &statuses[0]);
        report("persistent: %d", got[0]);
        expect_sent("MPI_Send", rank, 100);
        expect_received("MPI_Start", rank, 100);
    }
    MPI_Request_free(&request);
}

/* The send is a message; the receive, whose buffer is too small for it, fails. */
static void truncated(const Place* place, int by_waitany) {
    int data[4] = {1, 2, 3, 4}, got = 0, index = -7;
    MPI_Request request;
    MPI_Status status = FRESH_STATUS;
    MPI_Irecv(&got, 1, MPI_INT, left_of(place), 2, place->comm, &request);
    MPI_Send(data, 4, MPI_INT, right_of(place), 2, place->comm);
    report_error(by_waitany ? "waitany, truncated" : "wait, truncated",
                 by_waitany ? MPI_Waitany(1, &request, &index, &status)
                            : MPI_Wait(&request, &status));
    report("index %d, null %d", index, request == MPI_REQUEST_NULL);
    expect_sent("MPI_Send", right_of(place), sizeof data);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    open_places(places);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (const char* which = argc > 1 ? argv[1] : ""; *which; which++)
        try_case(places[0].rank, *which);
    waitall_refused(places[0].rank);
    truncated(&places[0], 1);
    truncated(&places[0], 0);
    close_places(places);
    MPI_Finalize();
    return 0;
}
