/* Partitioned messages (MPI-4): one message per start, whatever the number of partitions, and
   partitions that differ between sender and receiver. */
#include "places.h"

#include <stdio.h>

#if MPI_VERSION >= 4

enum { ints = 24, rounds = 2 };

static void ring(const Place* place, int sent_partitions, int received_partitions) {
    int data[ints] = {0}, got[ints] = {0};
    int right = right_of(place), left = left_of(place);
    MPI_Request requests[2];
    MPI_Psend_init(data, sent_partitions, ints / sent_partitions, MPI_INT, right, 1, place->comm,
                   MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(got, received_partitions, ints / received_partitions, MPI_INT, left, 1,
                   place->comm, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < ints; i++)
            data[i] = 100 * place->rank + 10 * round + i;
        MPI_Startall(2, requests);
        MPI_Pready(sent_partitions - 1, requests[0]);
        if (sent_partitions > 1)
            MPI_Pready_range(0, sent_partitions - 2, requests[0]);
        for (int flag = 0; !flag;)
            MPI_Parrived(requests[1], 0, &flag);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        expect_sent("MPI_Startall", world_rank(place, right), sizeof data);
        expect_received("MPI_Startall", world_rank(place, left), sizeof got);
        report("data %u", checksum(got, sizeof got));
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    int members = open_places(places);
    for (int p = 0; p < members; p++) {
        ring(&places[p], 1, 1);
        ring(&places[p], 4, 2);
    }
    close_places(places);
    MPI_Finalize();
    return 0;
}

#else
int main(void) {
    puts("skipped: partitioned messages came with MPI-4");
    return 0;
}
#endif
