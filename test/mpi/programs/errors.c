/* Invalid arguments, with an error handler that returns: the codes are MPI's, and failed calls are
   not recorded. */
#include "places.h"

#include <stddef.h>

static void report_error(const char* what, int code) {
    int class = -1;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    report("%s: class %d", what, class);
}

int main(int argc, char** argv) {
    Place places[place_count];
    int data[4] = {0}, size, flag, index;
    MPI_Request request = MPI_REQUEST_NULL, none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Comm null = MPI_COMM_NULL;
    MPI_Init(&argc, &argv);
    open_places(places);
    int peer = right_of(&places[0]), too_high = places[0].size;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

    report_error("send, no communicator", MPI_Send(data, 1, MPI_INT, peer, 0, null));
    report_error("send, negative count", MPI_Send(data, -1, MPI_INT, peer, 0, world));
    report_error("send, no such rank", MPI_Send(data, 1, MPI_INT, too_high, 0, world));
    report_error("send, no datatype", MPI_Send(data, 1, MPI_DATATYPE_NULL, peer, 0, world));
    report_error("send, negative tag", MPI_Send(data, 1, MPI_INT, peer, -5, world));
    report_error("recv, no communicator",
                 MPI_Recv(data, 1, MPI_INT, peer, 0, null, MPI_STATUS_IGNORE));
    report_error("recv, negative count",
                 MPI_Recv(data, -1, MPI_INT, peer, 0, world, MPI_STATUS_IGNORE));
    report_error("sendrecv, no such rank",
                 MPI_Sendrecv(data, 1, MPI_INT, too_high, 0, data + 2, 1, MPI_INT, peer, 0, world,
                              MPI_STATUS_IGNORE));
    report_error("isend, no communicator", MPI_Isend(data, 1, MPI_INT, peer, 0, null, &request));
    report_error("isend, negative count", MPI_Isend(data, -3, MPI_INT, peer, 0, world, &request));
    report_error("irecv, no such rank",
                 MPI_Irecv(data, 1, MPI_INT, too_high + 5, 0, world, &request));
    report_error("send_init, no such rank",
                 MPI_Send_init(data, 1, MPI_INT, too_high, 0, world, &request));
    request = MPI_REQUEST_NULL;
    report_error("start, no request", MPI_Start(&request));
    report_error("wait, no request", MPI_Wait(&request, MPI_STATUS_IGNORE));
    report_error("waitall, no requests", MPI_Waitall(2, none, MPI_STATUSES_IGNORE));
    report_error("waitall, negative count", MPI_Waitall(-1, none, MPI_STATUSES_IGNORE));
    report_error("testany, negative count",
                 MPI_Testany(-2, none, &index, &flag, MPI_STATUS_IGNORE));
    report_error("request_free, no request", MPI_Request_free(&request));
    report_error("cancel, no request", MPI_Cancel(&request));
    report_error("bcast, no communicator", MPI_Bcast(data, 1, MPI_INT, 0, null));
    report_error("bcast, no such root", MPI_Bcast(data, 1, MPI_INT, too_high, world));
    report_error("reduce, no operation",
                 MPI_Reduce(data, data + 1, 1, MPI_INT, MPI_OP_NULL, 0, world));
    report_error("allreduce, no datatype",
                 MPI_Allreduce(data, data + 1, 1, MPI_DATATYPE_NULL, MPI_SUM, world));
    report_error("gatherv, no communicator",
                 MPI_Gatherv(data, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, null));
    report_error("alltoallw, no communicator",
                 MPI_Alltoallw(data, NULL, NULL, NULL, data, NULL, NULL, NULL, null));
    report_error("neighbours without topology",
                 MPI_Neighbor_alltoall(data, 1, MPI_INT, data, 1, MPI_INT, world));
    report_error("barrier, no communicator", MPI_Barrier(null));
    report_error("comm_size, no communicator", MPI_Comm_size(null, &size));
    report_error("comm_free, no communicator", MPI_Comm_free(&null));
    report_error("put, no window", MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL));

    /* A message that is longer than the buffer: the call fails, the ranks continue. */
    int big[4] = {1, 2, 3, 4}, small[2] = {0, 0};
    MPI_Status status = FRESH_STATUS;
    report_error("truncated", MPI_Sendrecv(big, 4, MPI_INT, places[0].rank, 1, small, 2, MPI_INT,
                                           places[0].rank, 1, world, &status));
    MPI_Barrier(world);
    MPI_Sendrecv(big, 4, MPI_INT, peer, 2, data, 4, MPI_INT, left_of(&places[0]), 2, world,
                 MPI_STATUS_IGNORE);
    expect_sent("MPI_Sendrecv", peer, sizeof big);
    expect_received("MPI_Sendrecv", left_of(&places[0]), sizeof big);
    report("afterwards %d", data[3]);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
    close_places(places);
    MPI_Finalize();
    return 0;
}
