/* All collectives on intracommunicators, blocking, nonblocking and persistent, with every root,
   with separate send and receive buffers and in place. */
#include "collective_modes.h"
#include "places.h"

#include <string.h>

/* Every rank has `block` ints for each other rank; v and w forms have r + 1 ints for rank r. */
enum { max_ranks = 4, block = 3, max_ints = max_ranks * (block + max_ranks) };

static int data[max_ints], got[max_ints];
static int counts[max_ranks], displacements[max_ranks], byte_displacements[max_ranks];
static MPI_Datatype types[max_ranks];
static const long size_of_int = sizeof(int);

static void fill(const Place* place) {
    for (int i = 0; i < max_ints; i++) {
        data[i] = 100 * place->rank + i;
        got[i] = 1000 * place->rank + i; /* initial values for calls in place */
    }
    int displacement = 0;
    for (int rank = 0; rank < place->size; rank++) {
        counts[rank] = rank + 1;
        displacements[rank] = displacement;
        byte_displacements[rank] = displacement * (int)sizeof(int);
        displacement += counts[rank];
        types[rank] = MPI_INT;
    }
}

static void report_data(const char* what, int mode) {
    report("%s, mode %d: %u %u", what, mode, checksum(data, sizeof data),
           checksum(got, sizeof got));
}

/* The sizes of the v forms: rank r has r + 1 ints from every rank. `but` is left out, -1 for none.
 */
static void sends_to_each_its_count(const Place* place, int but) {
    for (int rank = 0; rank < place->size; rank++)
        if (rank != but)
            sends(1, counts[rank] * size_of_int);
}

static void receives_from_each_its_count(const Place* place, int but) {
    for (int rank = 0; rank < place->size; rank++)
        if (rank != but)
            receives(1, counts[rank] * size_of_int);
}

static void to_and_from_root(const Place* place, int mode, int root) {
    int at_root = place->rank == root, n = place->size, mine = place->rank + 1;
    long bytes = block * size_of_int;

    fill(place);
    COLLECTIVE(mode, Bcast, bcast, data, block, MPI_INT, root, place->comm);
    sends(at_root ? n : 0, bytes);
    receives(at_root ? 0 : 1, bytes);
    report_data("bcast", mode);

    COLLECTIVE(mode, Gather, gather, data, block, MPI_INT, got, block, MPI_INT, root, place->comm);
    sends(1, bytes);
    receives(at_root ? n : 0, bytes);
    report_data("gather", mode);
    COLLECTIVE(mode, Gatherv, gatherv, data, mine, MPI_INT, got, counts, displacements, MPI_INT,
               root, place->comm);
    sends(1, mine * size_of_int);
    if (at_root)
        receives_from_each_its_count(place, -1);
    report_data("gatherv", mode);

    collective_starts = 1; /* MPICH 4.0 cannot start a persistent scatter again */
    COLLECTIVE(mode, Scatter, scatter, data, block, MPI_INT, got, block, MPI_INT, root,
               place->comm);
    sends(at_root ? n : 0, bytes);
    receives(1, bytes);
    collective_starts = 2;
    report_data("scatter", mode);
    COLLECTIVE(mode, Scatterv, scatterv, data, counts, displacements, MPI_INT, got, mine, MPI_INT,
               root, place->comm);
    if (at_root)
        sends_to_each_its_count(place, -1);
    receives(1, mine * size_of_int);
    report_data("scatterv", mode);

    COLLECTIVE(mode, Reduce, reduce, data, got, block, MPI_INT, MPI_SUM, root, place->comm);
    sends(1, bytes);
    receives(at_root ? n : 0, bytes);
    report_data("reduce", mode);
}

/* Only the root's arguments are different; the other ranks do as above. */
static void in_place_at_root(const Place* place, int mode, int root) {
    int at_root = place->rank == root, n = place->size, mine = place->rank + 1;
    long bytes = block * size_of_int;
    void* in_place = MPI_IN_PLACE;

    fill(place);
    COLLECTIVE(mode, Gather, gather, at_root ? in_place : data, at_root ? 77 : block, MPI_INT, got,
               block, MPI_INT, root, place->comm);
    sends(at_root ? 0 : 1, bytes);
    receives(at_root ? n - 1 : 0, bytes);
    report_data("gather in place", mode);
    COLLECTIVE(mode, Gatherv, gatherv, at_root ? in_place : data, mine, MPI_INT, got, counts,
               displacements, MPI_INT, root, place->comm);
    sends(at_root ? 0 : 1, mine * size_of_int);
    if (at_root)
        receives_from_each_its_count(place, root);
    report_data("gatherv in place", mode);

    collective_starts = 1;
    COLLECTIVE(mode, Scatter, scatter, data, block, MPI_INT, at_root ? in_place : got,
               at_root ? 77 : block, MPI_INT, root, place->comm);
    sends(at_root ? n - 1 : 0, bytes);
    receives(at_root ? 0 : 1, bytes);
    collective_starts = 2;
    report_data("scatter in place", mode);
    COLLECTIVE(mode, Scatterv, scatterv, data, counts, displacements, MPI_INT,
               at_root ? in_place : got, mine, MPI_INT, root, place->comm);
    if (at_root)
        sends_to_each_its_count(place, root);
    receives(at_root ? 0 : 1, mine * size_of_int);
    report_data("scatterv in place", mode);

    COLLECTIVE(mode, Reduce, reduce, at_root ? in_place : data, got, block, MPI_INT, MPI_SUM, root,
               place->comm);
    sends(at_root ? 0 : 1, bytes);
    receives(at_root ? n - 1 : 0, bytes);
    report_data("reduce in place", mode);
}

static void between_all(const Place* place, int mode) {
    int n = place->size, mine = place->rank + 1;
    long bytes = block * size_of_int;

    fill(place);
    COLLECTIVE(mode, Allgather, allgather, data, block, MPI_INT, got, block, MPI_INT, place->comm);
    sends(n, bytes);
    receives(n, bytes);
    report_data("allgather", mode);
    COLLECTIVE(mode, Allgatherv, allgatherv, data, mine, MPI_INT, got, counts, displacements,
               MPI_INT, place->comm);
    sends(n, mine * size_of_int);
    receives_from_each_its_count(place, -1);
    report_data("allgatherv", mode);

    COLLECTIVE(mode, Alltoall, alltoall, data, block, MPI_INT, got, block, MPI_INT, place->comm);
    sends(n, bytes);
    receives(n, bytes);
    report_data("alltoall", mode);
    /* Each rank is sent its own count, so it receives the same number of ints from all. */
    int from_all[max_ranks], from_displacements[max_ranks], from_bytes[max_ranks];
    for (int rank = 0; rank < n; rank++) {
        from_all[rank] = mine;
        from_displacements[rank] = rank * mine;
        from_bytes[rank] = rank * mine * (int)sizeof(int);
    }
    COLLECTIVE(mode, Alltoallv, alltoallv, data, counts, displacements, MPI_INT, got, from_all,
               from_displacements, MPI_INT, place->comm);
    sends_to_each_its_count(place, -1);
    receives(n, mine * size_of_int);
    report_data("alltoallv", mode);
    COLLECTIVE(mode, Alltoallw, alltoallw, data, counts, byte_displacements, types, got, from_all,
               from_bytes, types, place->comm);
    sends_to_each_its_count(place, -1);
    receives(n, mine * size_of_int);
    report_data("alltoallw", mode);

    COLLECTIVE(mode, Allreduce, allreduce, data, got, block, MPI_INT, MPI_MAX, place->comm);
    sends(n, bytes);
    receives(n, bytes);
    report_data("allreduce", mode);
}

static void between_all_in_place(const Place* place, int mode) {
    int n = place->size, mine = place->rank + 1, same[max_ranks], apart[max_ranks];
    long bytes = block * size_of_int;
    int bytes_apart[max_ranks];
    for (int rank = 0; rank < n; rank++) {
        same[rank] = block - 1;
        apart[rank] = rank * block;
        bytes_apart[rank] = apart[rank] * (int)sizeof(int);
    }

    fill(place);
    COLLECTIVE(mode, Allgather, allgather, MPI_IN_PLACE, 77, MPI_BYTE, got, block, MPI_INT,
               place->comm);
    sends(n - 1, bytes);
    receives(n - 1, bytes);
    report_data("allgather in place", mode);
    COLLECTIVE(mode, Allgatherv, allgatherv, MPI_IN_PLACE, 77, MPI_BYTE, got, counts, displacements,
               MPI_INT, place->comm);
    sends(n - 1, mine * size_of_int);
    receives_from_each_its_count(place, place->rank);
    report_data("allgatherv in place", mode);

    COLLECTIVE(mode, Alltoall, alltoall, MPI_IN_PLACE, 77, MPI_BYTE, got, block, MPI_INT,
               place->comm);
    sends(n - 1, bytes);
    receives(n - 1, bytes);
    report_data("alltoall in place", mode);
    COLLECTIVE(mode, Alltoallv, alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_BYTE, got, same, apart,
               MPI_INT, place->comm);
    sends(n - 1, bytes - size_of_int);
    receives(n - 1, bytes - size_of_int);
    report_data("alltoallv in place", mode);
    COLLECTIVE(mode, Alltoallw, alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, got, same, bytes_apart,
               types, place->comm);
    sends(n - 1, bytes - size_of_int);
    receives(n - 1, bytes - size_of_int);
    report_data("alltoallw in place", mode);

    COLLECTIVE(mode, Allreduce, allreduce, MPI_IN_PLACE, got, block, MPI_INT, MPI_MAX, place->comm);
    sends(n - 1, bytes);
    receives(n - 1, bytes);
    report_data("allreduce in place", mode);
}

/* Counted as a reduction to rank 0, which then scatters. */
static void reduce_scatters(const Place* place, int mode, int in_place) {
    int n = place->size, at_root = place->rank == 0, mine = place->rank + 1;
    int self = at_root && in_place; /* messages to the rank itself are left out */
    int all = 0;
    fill(place);
    for (int rank = 0; rank < n; rank++)
        all += counts[rank];

    void* from = in_place ? MPI_IN_PLACE : data;
    COLLECTIVE(mode, Reduce_scatter, reduce_scatter, from, got, counts, MPI_INT, MPI_SUM,
               place->comm);
    sends(1 - self, all * size_of_int);
    receives(at_root ? n - self : 0, all * size_of_int);
    if (at_root)
        sends_to_each_its_count(place, self ? 0 : -1);
    receives(1 - self, mine * size_of_int);
    report_data("reduce_scatter", mode);

    COLLECTIVE(mode, Reduce_scatter_block, reduce_scatter_block, from, got, block, MPI_INT, MPI_SUM,
               place->comm);
    sends(1 - self, n * block * size_of_int);
    receives(at_root ? n - self : 0, n * block * size_of_int);
    sends(at_root ? n - self : 0, block * size_of_int);
    receives(1 - self, block * size_of_int);
    report_data("reduce_scatter_block", mode);
}

/* A chain: each rank receives from the rank below and sends to the rank above. */
static void scans(const Place* place, int mode, int in_place) {
    int has_below = place->rank > 0, has_above = place->rank < place->size - 1;
    void* from = in_place ? MPI_IN_PLACE : data;
    long bytes = block * size_of_int;
    fill(place);
    COLLECTIVE(mode, Scan, scan, from, got, block, MPI_INT, MPI_SUM, place->comm);
    sends(has_above, bytes);
    receives(has_below, bytes);
    report_data("scan", mode);
    COLLECTIVE(mode, Exscan, exscan, from, got, block, MPI_INT, MPI_SUM, place->comm);
    sends(has_above, bytes);
    receives(has_below, bytes);
    if (has_below) /* undefined on rank 0 */
        report_data("exscan", mode);
}

static void barriers(const Place* place) {
    MPI_Request request;
    MPI_Barrier(place->comm);
    MPI_Ibarrier(place->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    Place places[place_count];
    MPI_Init(&argc, &argv);
    int members = open_places(places);
    for (int p = 0; p < members; p++)
        for (int mode = 0; mode < collective_modes; mode++) {
            const Place* place = &places[p];
            for (int root = 0; root < place->size; root++) {
                to_and_from_root(place, mode, root);
                in_place_at_root(place, mode, root);
            }
            between_all(place, mode);
            between_all_in_place(place, mode);
            for (int in_place = 0; in_place < 2; in_place++) {
                reduce_scatters(place, mode, in_place);
                scans(place, mode, in_place);
            }
            barriers(place);
        }
    close_places(places);
    MPI_Finalize();
    return 0;
}
