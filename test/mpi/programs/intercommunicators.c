/* Messages between two groups: the even ranks and the odd ones, each in reverse order. Peers are
   ranks of the remote group; rooted collectives with MPI_ROOT, MPI_PROC_NULL and a remote rank. */
#include "collective_modes.h"
#include "expect.h"

#include <stdio.h>

enum { max_ranks = 4, block = 3, max_ints = max_ranks * (block + max_ranks) };

static const long size_of_int = sizeof(int);
static int data[max_ints], got[max_ints];
static MPI_Comm inter;
static int world_rank, odd; /* me, and my group */
static int rank, size;      /* in my group */
static int remote_size;

static int members(int world_size, int of_odd) { return (world_size + 1 - of_odd) / 2; }

/* Rank in MPI_COMM_WORLD of a rank of the remote group: descending even or odd numbers. */
static int remote_in_world(int remote_rank) { return 2 * (remote_size - 1 - remote_rank) + !odd; }

static void fill(void) {
    for (int i = 0; i < max_ints; i++) {
        data[i] = 100 * world_rank + i;
        got[i] = 0;
    }
}

static void report_data(const char* what, int mode) {
    report("%s, mode %d: %u", what, mode, checksum(got, sizeof got));
}

static void point_to_point(void) {
    MPI_Request requests[2 * max_ranks];
    MPI_Status status, statuses[2 * max_ranks];
    fill();
    for (int peer = 0; peer < remote_size; peer++) {
        MPI_Irecv(&got[peer * block], block, MPI_INT, peer, 1, inter, &requests[2 * peer]);
        MPI_Isend(data, block - 1, MPI_INT, peer, 1, inter, &requests[2 * peer + 1]);
        expect_received("MPI_Irecv", remote_in_world(peer), (block - 1) * size_of_int);
        expect_sent("MPI_Isend", remote_in_world(peer), (block - 1) * size_of_int);
    }
    MPI_Waitall(2 * remote_size, requests, statuses);
    for (int peer = 0; peer < remote_size; peer++)
        report("source %d", statuses[2 * peer].MPI_SOURCE);
    int first = remote_in_world(0);
    if (rank == 0) {
        MPI_Sendrecv(data, block, MPI_INT, 0, 2, got, max_ints, MPI_INT, MPI_ANY_SOURCE, 2, inter,
                     &status);
        expect_sent("MPI_Sendrecv", first, block * size_of_int);
        expect_received("MPI_Sendrecv", first, block * size_of_int);
        report("source %d", status.MPI_SOURCE);
    }
    report_data("point to point", 0);
}

/* Group `sender` gets the data of rank `root` of the other group, or that rank gets the group's.
 */
static void rooted(int mode, int root_is_odd, int root_rank) {
    int is_root = odd == root_is_odd && rank == root_rank, is_remote = odd != root_is_odd;
    int root = is_remote ? root_rank : is_root ? MPI_ROOT : MPI_PROC_NULL;
    long bytes = block * size_of_int;
    int counts[max_ranks], displacements[max_ranks], total = 0;
    for (int peer = 0; peer < remote_size; peer++) {
        counts[peer] = peer + 1;
        displacements[peer] = total;
        total += counts[peer];
    }
    int to_all = is_root ? remote_size : 0;

    fill();
    COLLECTIVE(mode, Bcast, bcast, is_root ? data : got, block, MPI_INT, root, inter);
    sends(to_all, bytes);
    receives(is_remote, bytes);
    report_data("bcast", mode);
    COLLECTIVE(mode, Gather, gather, data, block, MPI_INT, got, block, MPI_INT, root, inter);
    sends(is_remote, bytes);
    receives(to_all, bytes);
    report_data("gather", mode);
    COLLECTIVE(mode, Gatherv, gatherv, data, rank + 1, MPI_INT, got, counts, displacements, MPI_INT,
               root, inter);
    sends(is_remote, (rank + 1) * size_of_int);
    for (int peer = 0; peer < to_all; peer++)
        receives(1, counts[peer] * size_of_int);
    report_data("gatherv", mode);
    collective_starts = 1; /* MPICH 4.0 cannot start a persistent scatter again */
    COLLECTIVE(mode, Scatter, scatter, data, block, MPI_INT, got, block, MPI_INT, root, inter);
    collective_starts = 2;
    sends(to_all, bytes);
    receives(is_remote, bytes);
    report_data("scatter", mode);
    COLLECTIVE(mode, Scatterv, scatterv, data, counts, displacements, MPI_INT, got, rank + 1,
               MPI_INT, root, inter);
    for (int peer = 0; peer < to_all; peer++)
        sends(1, counts[peer] * size_of_int);
    receives(is_remote, (rank + 1) * size_of_int);
    report_data("scatterv", mode);
    COLLECTIVE(mode, Reduce, reduce, data, got, block, MPI_INT, MPI_SUM, root, inter);
    sends(is_remote, bytes);
    receives(to_all, bytes);
    report_data("reduce", mode);
}

static void between_all(int mode) {
    long bytes = block * size_of_int;
    int n = remote_size, to[max_ranks], to_displacements[max_ranks], to_bytes[max_ranks];
    int from[max_ranks], from_displacements[max_ranks], from_bytes[max_ranks];
    int by_rank[max_ranks], by_rank_displacements[max_ranks];
    MPI_Datatype types[max_ranks];
    int to_total = 0, by_rank_total = 0;
    for (int peer = 0; peer < max_ranks; peer++) {
        to[peer] = peer + 1; /* to remote rank r: r + 1 ints; so each rank gets its own rank + 1 */
        to_displacements[peer] = to_total;
        to_bytes[peer] = to_total * (int)sizeof(int);
        to_total += peer < n ? to[peer] : 0;
        from[peer] = rank + 1;
        from_displacements[peer] = peer * (rank + 1);
        from_bytes[peer] = from_displacements[peer] * (int)sizeof(int);
        by_rank[peer] = peer + 2; /* remote rank r has r + 2 ints for every rank */
        by_rank_displacements[peer] = by_rank_total;
        by_rank_total += by_rank[peer];
        types[peer] = MPI_INT;
    }

    fill();
    COLLECTIVE(mode, Allgather, allgather, data, block, MPI_INT, got, block, MPI_INT, inter);
    sends(n, bytes);
    receives(n, bytes);
    report_data("allgather", mode);
    COLLECTIVE(mode, Allgatherv, allgatherv, data, rank + 2, MPI_INT, got, by_rank,
               by_rank_displacements, MPI_INT, inter);
    sends(n, (rank + 2) * size_of_int);
    for (int peer = 0; peer < n; peer++)
        receives(1, by_rank[peer] * size_of_int);
    report_data("allgatherv", mode);
    COLLECTIVE(mode, Alltoall, alltoall, data, block, MPI_INT, got, block, MPI_INT, inter);
    sends(n, bytes);
    receives(n, bytes);
    report_data("alltoall", mode);
    COLLECTIVE(mode, Alltoallv, alltoallv, data, to, to_displacements, MPI_INT, got, from,
               from_displacements, MPI_INT, inter);
    for (int peer = 0; peer < n; peer++)
        sends(1, to[peer] * size_of_int);
    receives(n, (rank + 1) * size_of_int);
    report_data("alltoallv", mode);
    COLLECTIVE(mode, Alltoallw, alltoallw, data, to, to_bytes, types, got, from, from_bytes, types,
               inter);
    for (int peer = 0; peer < n; peer++)
        sends(1, to[peer] * size_of_int);
    receives(n, (rank + 1) * size_of_int);
    report_data("alltoallw", mode);
    COLLECTIVE(mode, Allreduce, allreduce, data, got, block, MPI_INT, MPI_SUM, inter);
    sends(n, bytes);
    receives(n, bytes);
    report_data("allreduce", mode);
}

/* Counted as a reduction to remote rank 0, and a scatter by local rank 0 of what comes from there.
   Both groups have the same total. */
static void reduce_scatters(int mode) {
    int total = size * remote_size, share = remote_size, counts[max_ranks];
    long bytes = total * size_of_int, share_bytes = share * size_of_int;
    for (int member = 0; member < max_ranks; member++)
        counts[member] = share;
    fill();
    COLLECTIVE(mode, Reduce_scatter, reduce_scatter, data, got, counts, MPI_INT, MPI_SUM, inter);
    sends(1, bytes);
    receives(rank == 0 ? remote_size : 0, bytes);
    sends(rank == 0 ? size : 0, share_bytes);
    receives(1, share_bytes);
    report_data("reduce_scatter", mode);
    COLLECTIVE(mode, Reduce_scatter_block, reduce_scatter_block, data, got, share, MPI_INT, MPI_SUM,
               inter);
    sends(1, bytes);
    receives(rank == 0 ? remote_size : 0, bytes);
    sends(rank == 0 ? size : 0, share_bytes);
    receives(1, share_bytes);
    report_data("reduce_scatter_block", mode);
}

int main(int argc, char** argv) {
    int world_size;
    MPI_Comm local;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    expect_rank(world_rank);
    if (world_size < 2) {
        puts("skipped: two groups need two ranks");
        MPI_Finalize();
        return 0;
    }
    odd = world_rank % 2;
    size = members(world_size, odd);
    remote_size = members(world_size, !odd);
    MPI_Comm_split(MPI_COMM_WORLD, odd, -world_rank, &local);
    MPI_Comm_rank(local, &rank);
    /* The leaders are given by their ranks in the world: the last of each group is its rank 0. */
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, remote_in_world(0), 5, &inter);

    point_to_point();
    for (int mode = 0; mode < collective_modes; mode++) {
        for (int group = 0; group < 2; group++)
            for (int root = 0; root < members(world_size, group); root++)
                rooted(mode, group, root);
        between_all(mode);
        reduce_scatters(mode);
        MPI_Barrier(inter);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    expect_write();
    MPI_Finalize();
    return 0;
}
