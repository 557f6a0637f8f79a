/* Blocking point-to-point messages around a ring: every send mode with every way to receive, with
   buffers that are larger than the message, no neighbour, and messages of no bytes. */
#include "places.h"

#include <stdlib.h>

enum { sent_ints = 13, buffer_ints = 100, tag = 17 };

typedef int SendFunction(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef void ReceiveFunction(const Place* place, int source, int* buffer, MPI_Status* status);

static void receive(const Place* place, int source, int* buffer, MPI_Status* status) {
    MPI_Recv(buffer, buffer_ints, MPI_INT, source, tag, place->comm, status);
}

static void receive_any(const Place* place, int source, int* buffer, MPI_Status* status) {
    (void)source;
    MPI_Recv(buffer, buffer_ints, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, place->comm, status);
}

static void receive_and_ignore_status(const Place* place, int source, int* buffer,
                                      MPI_Status* status) {
    MPI_Recv(buffer, buffer_ints, MPI_INT, source, tag, place->comm, MPI_STATUS_IGNORE);
    (void)status;
}

static void probe(const Place* place, int source, int* buffer, MPI_Status* status) {
    MPI_Probe(MPI_ANY_SOURCE, tag, place->comm, status);
    report_status("probe", place, status);
    receive(place, source, buffer, status);
}

static void probe_in_a_loop(const Place* place, int source, int* buffer, MPI_Status* status) {
    for (int flag = 0; !flag;)
        MPI_Iprobe(source, MPI_ANY_TAG, place->comm, &flag, status);
    report_status("iprobe", place, status);
    receive(place, source, buffer, status);
}

static void matched(const Place* place, int source, int* buffer, MPI_Status* status) {
    (void)source;
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, tag, place->comm, &message, status);
    report_status("mprobe", place, status);
    MPI_Mrecv(buffer, buffer_ints, MPI_INT, &message, status);
    report("message is null: %d", message == MPI_MESSAGE_NULL);
}

static void matched_in_a_loop(const Place* place, int source, int* buffer, MPI_Status* status) {
    MPI_Message message;
    MPI_Request request;
    for (int flag = 0; !flag;)
        MPI_Improbe(source, tag, place->comm, &flag, &message, status);
    MPI_Imrecv(buffer, buffer_ints, MPI_INT, &message, &request);
    MPI_Wait(&request, status);
}

static const struct {
    const char* name;
    SendFunction* call;
} sends[] = {{"MPI_Send", MPI_Send}, {"MPI_Bsend", MPI_Bsend}, {"MPI_Ssend", MPI_Ssend}};

static const struct {
    const char* name; /* of the receiving function */
    ReceiveFunction* call;
} receives[] = {{"MPI_Recv", receive},
                {"MPI_Recv", receive_any},
                {"MPI_Recv", probe},
                {"MPI_Recv", receive_and_ignore_status},
                {"MPI_Recv", probe_in_a_loop},
                {"MPI_Mrecv", matched},
                {"MPI_Imrecv", matched_in_a_loop}};

enum {
    send_count = sizeof sends / sizeof *sends,
    receive_count = sizeof receives / sizeof *receives
};

static void send_right(const Place* place, int mode) {
    int data[sent_ints], right = right_of(place);
    for (int i = 0; i < sent_ints; i++)
        data[i] = 1000 * place->rank + i;
    sends[mode].call(data, sent_ints, MPI_INT, right, tag, place->comm);
    expect_sent(sends[mode].name, world_rank(place, right), sizeof data);
}

static void receive_left(const Place* place, int way) {
    int data[buffer_ints] = {0}, left = left_of(place);
    MPI_Status status = FRESH_STATUS;
    receives[way].call(place, left, data, &status);
    expect_received(receives[way].name, world_rank(place, left), sent_ints * sizeof(int));
    if (receives[way].call != receive_and_ignore_status)
        report_status(receives[way].name, place, &status);
    report("data %u", checksum(data, sizeof data));
}

static void ring(const Place* place, int mode, int way) {
    if (place->rank == 0) {
        send_right(place, mode);
        receive_left(place, way);
    } else {
        receive_left(place, way);
        send_right(place, mode);
    }
}

static void send_and_receive(const Place* place) {
    int data[buffer_ints] = {0}, right = right_of(place), left = left_of(place);
    int world_right = world_rank(place, right), world_left = world_rank(place, left);
    MPI_Status status = FRESH_STATUS;
    int number[3] = {place->rank, 2, 3};
    MPI_Sendrecv(number, 3, MPI_INT, right, 1, data, buffer_ints, MPI_INT, left, 1, place->comm,
                 &status);
    expect_sent("MPI_Sendrecv", world_right, 3 * sizeof(int));
    expect_received("MPI_Sendrecv", world_left, 3 * sizeof(int));
    report_status("sendrecv", place, &status);
    MPI_Sendrecv_replace(data, 5, MPI_INT, right, 2, MPI_ANY_SOURCE, 2, place->comm,
                         MPI_STATUS_IGNORE);
    expect_sent("MPI_Sendrecv_replace", world_right, 5 * sizeof(int));
    expect_received("MPI_Sendrecv_replace", world_left, 5 * sizeof(int));
    report("data %u", checksum(data, sizeof data));

    /* A chain has ends: they have no neighbour on one side. */
    int before = place->rank == 0 ? MPI_PROC_NULL : left;
    int after = place->rank == place->size - 1 ? MPI_PROC_NULL : right;
    MPI_Sendrecv(number, 1, MPI_INT, after, 3, data, 1, MPI_INT, before, 3, place->comm, &status);
    if (after != MPI_PROC_NULL)
        expect_sent("MPI_Sendrecv", world_right, sizeof(int));
    if (before != MPI_PROC_NULL)
        expect_received("MPI_Sendrecv", world_left, sizeof(int));
    report_status("chain", place, &status);
    report("data %u", checksum(data, sizeof data));
}

static void nobody_and_nothing(const Place* place) {
    int data[4] = {1, 2, 3, 4};
    MPI_Status status = FRESH_STATUS;
    for (int mode = 0; mode < send_count; mode++)
        sends[mode].call(data, 4, MPI_INT, MPI_PROC_NULL, tag, place->comm);
    MPI_Recv(data, 4, MPI_INT, MPI_PROC_NULL, tag, place->comm, &status);
    report_status("from nobody", place, &status);
    MPI_Message message;
    MPI_Mprobe(MPI_PROC_NULL, tag, place->comm, &message, &status);
    report("message of nobody: %d", message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(data, 4, MPI_INT, &message, &status);
    report_status("mrecv from nobody", place, &status);

    MPI_Bsend(NULL, 0, MPI_INT, right_of(place), tag, place->comm);
    expect_sent("MPI_Bsend", world_rank(place, right_of(place)), 0);
    MPI_Recv(data, 4, MPI_INT, left_of(place), tag, place->comm, &status);
    expect_received("MPI_Recv", world_rank(place, left_of(place)), 0);
    report_status("nothing", place, &status);
    report("data %u", checksum(data, sizeof data));
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
        if (place->size > 1) /* no rank can wait for itself */
            for (int mode = 0; mode < send_count; mode++)
                for (int way = 0; way < receive_count; way++)
                    ring(place, mode, way);
        send_and_receive(place);
        nobody_and_nothing(place);
    }
    MPI_Buffer_detach(&buffer, &attached);
    report("buffer %d", attached);
    free(buffer);
    close_places(places);
    MPI_Finalize();
    return 0;
}
