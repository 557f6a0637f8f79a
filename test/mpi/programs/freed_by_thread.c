/* MPI_THREAD_MULTIPLE: a communicator is freed while another thread is still in
   its receive on it. */
#include "places.h"

#include <pthread.h>
#include <stdio.h>

enum { rounds = 200, sent = 8 };

typedef struct {
    MPI_Comm comm;
    char got[2 * sent];
} Receiver;

static void* receive(void* argument) {
    Receiver* receiver = argument;
    MPI_Recv(receiver->got, sizeof receiver->got, MPI_CHAR, MPI_ANY_SOURCE, 1, receiver->comm,
             MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char** argv) {
    Place places[place_count];
    char data[sent] = "freed";
    int provided;
    unsigned sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        printf("skipped: no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 0;
    }
    open_places(places);
    for (int round = 0; round < rounds; round++) {
        pthread_t thread;
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        Receiver receiver = {.comm = comm};
        pthread_create(&thread, NULL, receive, &receiver);
        data[sent - 1] = (char)round;
        MPI_Ssend(data, sent, MPI_CHAR, 0, 1, comm); /* until the receive has begun */
        MPI_Comm_free(&comm);
        pthread_join(thread, NULL);
        sum = sum * 31 + checksum(receiver.got, sent);
        expect_sent("MPI_Ssend", places[0].rank, sent);
        expect_received("MPI_Recv", places[0].rank, sent);
    }
    report("sum %u", sum);
    close_places(places);
    MPI_Finalize();
    return 0;
}
