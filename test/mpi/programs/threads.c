/* MPI_THREAD_MULTIPLE: several threads send, receive and complete at the same time, some of them
   requests that another thread started. */
#include "places.h"

#include <pthread.h>
#include <stdio.h>

enum { thread_count = 4, rounds = 25, ints = 8 };

typedef struct {
    const Place* place;
    int number;
    unsigned sum;
    MPI_Request handed_over;
    int into[ints];
} Worker;

static void* exchange(void* argument) {
    Worker* worker = argument;
    const Place* place = worker->place;
    int data[ints], got[ints];
    for (int round = 0; round < rounds; round++) {
        MPI_Request requests[2];
        for (int i = 0; i < ints; i++)
            data[i] = 1000 * worker->number + 100 * place->rank + round + i;
        MPI_Irecv(got, ints, MPI_INT, left_of(place), worker->number, place->comm, &requests[0]);
        MPI_Isend(data, ints - 1, MPI_INT, right_of(place), worker->number, place->comm,
                  &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        if (round % 2)
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        else
            for (int flag = 0; !flag;)
                MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        worker->sum = worker->sum * 31 + checksum(got, (ints - 1) * sizeof(int));
    }
    MPI_Irecv(worker->into, ints, MPI_INT, left_of(place), 100 + worker->number, place->comm,
              &worker->handed_over);
    return NULL;
}

int main(int argc, char** argv) {
    Place places[place_count];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    open_places(places);
    const Place* place = &places[0];
    int right = right_of(place), left = left_of(place);
    report("multiple %d", provided == MPI_THREAD_MULTIPLE);
    if (provided < MPI_THREAD_MULTIPLE) {
        puts("skipped: no MPI_THREAD_MULTIPLE");
    } else {
        pthread_t threads[thread_count];
        Worker workers[thread_count] = {{0}};
        for (int i = 0; i < thread_count; i++) {
            workers[i].place = place;
            workers[i].number = i;
            pthread_create(&threads[i], NULL, exchange, &workers[i]);
        }
        for (int i = 0; i < thread_count; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < thread_count; i++) {
            MPI_Send(&i, 1, MPI_INT, right, 100 + i, place->comm);
            MPI_Wait(&workers[i].handed_over, MPI_STATUS_IGNORE);
            report("thread %d: %u, then %d", i, workers[i].sum, workers[i].into[0]);
            expect_sent("MPI_Send", right, sizeof i);
            expect_received("MPI_Irecv", left, sizeof i);
            for (int round = 0; round < rounds; round++) {
                expect_sent("MPI_Isend", right, (ints - 1) * sizeof(int));
                expect_received("MPI_Irecv", left, (ints - 1) * sizeof(int));
            }
        }
        expect_calls("MPI_Isend", thread_count * rounds);
        expect_calls("MPI_Irecv", thread_count * (rounds + 1));
    }
    close_places(places);
    MPI_Finalize();
    return 0;
}
