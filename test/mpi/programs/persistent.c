/* Persistent point-to-point requests: all send modes, started alone and together, several times,
   never, and with MPI_PROC_NULL as the peer. A message belongs to the call that starts it. */
#include "places.h"

#include <stdlib.h>

enum { sent_ints = 11, buffer_ints = 40, rounds = 3 };

typedef int InitFunction(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static InitFunction* const init_send[] = {MPI_Send_init, MPI_Bsend_init, MPI_Ssend_init,
                                          MPI_Rsend_init};

enum { send_count = sizeof init_send / sizeof *init_send, request_count = send_count + 1 };

/* One message of every mode: each started separately, or all by one call. */
static void rounds_of_messages(const Place* place, int start_together) {
    int data[send_count][sent_ints], got[send_count][buffer_ints] = {{0}};
    int right = right_of(place), left = left_of(place);
    MPI_Request receives[request_count], requests[request_count];
    MPI_Status statuses[request_count] = {FRESH_STATUS, FRESH_STATUS, FRESH_STATUS, FRESH_STATUS,
                                          FRESH_STATUS};
    for (int i = 0; i < send_count; i++) {
        MPI_Recv_init(got[i], buffer_ints, MPI_INT, i % 2 ? MPI_ANY_SOURCE : left, i, place->comm,
                      &receives[i]);
        init_send[i](data[i], sent_ints - i, MPI_INT, right, i, place->comm, &requests[i]);
    }
    MPI_Recv_init(got[0], 1, MPI_INT, MPI_PROC_NULL, 0, place->comm, &receives[send_count]);
    MPI_Send_init(data[0], 1, MPI_INT, MPI_PROC_NULL, 0, place->comm, &requests[send_count]);
    for (int round = 0; round < rounds; round++) {
        MPI_Startall(request_count, receives);
        MPI_Barrier(place->comm); /* a ready send needs the receive */
        for (int i = 0; i < send_count; i++) {
            for (int k = 0; k < sent_ints; k++)
                data[i][k] = 1000 * place->rank + 100 * round + 10 * i + k;
            long bytes = (sent_ints - i) * (long)sizeof(int);
            expect_sent(start_together ? "MPI_Startall" : "MPI_Start", world_rank(place, right),
                        bytes);
            expect_received("MPI_Startall", world_rank(place, left), bytes);
        }
        if (start_together)
            MPI_Startall(request_count, requests);
        else
            for (int i = 0; i < request_count; i++)
                MPI_Start(&requests[i]);
        MPI_Waitall(request_count, requests, MPI_STATUSES_IGNORE);
        if (start_together)
            MPI_Waitall(request_count, receives, statuses);
        else
            for (int i = 0; i < request_count; i++)
                MPI_Wait(&receives[i], &statuses[i]);
        for (int i = 0; i < request_count; i++)
            report_status("round", place, &statuses[i]);
        report("data %u, still a request %d", checksum(got, sizeof got),
               receives[0] != MPI_REQUEST_NULL && requests[0] != MPI_REQUEST_NULL);
    }
    int flag = -7, index = -7;
    MPI_Wait(&receives[0], &statuses[0]);
    report_status("inactive", place, &statuses[0]);
    MPI_Testall(request_count, requests, &flag, MPI_STATUSES_IGNORE);
    MPI_Waitany(request_count, receives, &index, MPI_STATUS_IGNORE);
    report("inactive: flag %d undefined %d", flag, index == MPI_UNDEFINED);
    for (int i = 0; i < request_count; i++) {
        MPI_Request_free(&requests[i]);
        MPI_Request_free(&receives[i]);
        report("freed %d", requests[i] == MPI_REQUEST_NULL && receives[i] == MPI_REQUEST_NULL);
    }
}

static void never_started(const Place* place) {
    int data = 1;
    MPI_Request request;
    MPI_Send_init(&data, 1, MPI_INT, place->rank, 0, place->comm, &request);
    MPI_Request_free(&request);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    int members = open_places(places);
    int attached = 64 * 1024;
    void* buffer = malloc(attached);
    MPI_Buffer_attach(buffer, attached);
    for (int p = 0; p < members; p++) {
        rounds_of_messages(&places[p], 0);
        rounds_of_messages(&places[p], 1);
        never_started(&places[p]);
    }
    MPI_Buffer_detach(&buffer, &attached);
    free(buffer);
    close_places(places);
    MPI_Finalize();
    return 0;
}
