/* Neighbourhood collectives on the three kinds of topology, blocking, nonblocking and persistent:
   Cartesian with ends and with wrap-around, graph, and distributed graph whose sources and
   destinations differ; ranks may be reordered. */
#include "collective_modes.h"
#include "expect.h"

enum { max_neighbours = 8, block = 3, max_ints = max_neighbours * (block + max_neighbours) };

typedef struct {
    const char* name;
    MPI_Comm comm;
    /* The number of blocks in the buffers, and which of them are in use. */
    int sources, destinations;
    int is_source[max_neighbours], is_destination[max_neighbours];
    int alltoallw_may_hang; /* a bug in the MPI */
} Topology;

static const long size_of_int = sizeof(int);
static int data[max_ints], got[max_ints];

static int count(const int* flags, int number) {
    int result = 0;
    for (int i = 0; i < number; i++)
        result += flags[i];
    return result;
}

static void report_data(const Topology* topology, const char* what, int mode) {
    report("%s on %s, mode %d: %u", what, topology->name, mode, checksum(got, sizeof got));
}

static void collectives(const Topology* on, int mode) {
    int rank;
    MPI_Comm_rank(on->comm, &rank);
    for (int i = 0; i < max_ints; i++) {
        data[i] = 100 * rank + i;
        got[i] = -1;
    }
    int sources = count(on->is_source, on->sources);
    int destinations = count(on->is_destination, on->destinations);
    long bytes = block * size_of_int;
    COLLECTIVE(mode, Neighbor_allgather, neighbor_allgather, data, block, MPI_INT, got, block,
               MPI_INT, on->comm);
    sends(destinations, bytes);
    receives(sources, bytes);
    report_data(on, "allgather", mode);
    COLLECTIVE(mode, Neighbor_alltoall, neighbor_alltoall, data, block, MPI_INT, got, block,
               MPI_INT, on->comm);
    sends(destinations, bytes);
    receives(sources, bytes);
    report_data(on, "alltoall", mode);

    int counts[max_neighbours], displacements[max_neighbours];
    MPI_Aint addresses[max_neighbours];
    MPI_Datatype types[max_neighbours];
    for (int i = 0; i < max_neighbours; i++) {
        counts[i] = block - 1;
        displacements[i] = block * i;
        addresses[i] = displacements[i] * size_of_int;
        types[i] = MPI_INT;
    }
    bytes = (block - 1) * size_of_int;
    COLLECTIVE(mode, Neighbor_allgatherv, neighbor_allgatherv, data, block - 1, MPI_INT, got,
               counts, displacements, MPI_INT, on->comm);
    sends(destinations, bytes);
    receives(sources, bytes);
    report_data(on, "allgatherv", mode);
    COLLECTIVE(mode, Neighbor_alltoallv, neighbor_alltoallv, data, counts, displacements, MPI_INT,
               got, counts, displacements, MPI_INT, on->comm);
    sends(destinations, bytes);
    receives(sources, bytes);
    report_data(on, "alltoallv", mode);
    if (on->alltoallw_may_hang)
        return;
    COLLECTIVE(mode, Neighbor_alltoallw, neighbor_alltoallw, data, counts, addresses, types, got,
               counts, addresses, types, on->comm);
    sends(destinations, bytes);
    receives(sources, bytes);
    report_data(on, "alltoallw", mode);
}

static void run(Topology* topology) {
    for (int mode = 0; mode < collective_modes; mode++)
        collectives(topology, mode);
    MPI_Comm_free(&topology->comm);
}

/* A column of all ranks, one dimension with ends, one that wraps around on itself. */
static void cartesian(int size, int wraps) {
    Topology topology = {.name = wraps ? "ring" : "line", .sources = 4, .destinations = 4};
    int dimensions[2] = {size, 1}, periods[2] = {wraps, 1}, coordinates[2], rank;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 1, &topology.comm);
    MPI_Comm_rank(topology.comm, &rank);
    MPI_Cart_coords(topology.comm, rank, 2, coordinates);
    int has[4] = {wraps || coordinates[0] > 0, wraps || coordinates[0] < size - 1, 1, 1};
    for (int i = 0; i < 4; i++)
        topology.is_source[i] = topology.is_destination[i] = has[i];
    run(&topology);
}

/* A star: every rank is a neighbour of rank 0. */
static void graph(int size) {
    Topology topology = {.name = "star"};
    int index[max_neighbours], edges[2 * max_neighbours], rank;
    for (int i = 0; i < size; i++)
        index[i] = size - 1 + i;
    for (int i = 0; i < size - 1; i++) {
        edges[i] = i + 1;
        edges[size - 1 + i] = 0;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 1, &topology.comm);
    MPI_Comm_rank(topology.comm, &rank);
    topology.sources = topology.destinations = rank == 0 ? size - 1 : 1;
    for (int i = 0; i < topology.sources; i++)
        topology.is_source[i] = topology.is_destination[i] = 1;
    run(&topology);
}

/* Every rank sends to the next rank, in a ring, and to rank 0. */
static void distributed_graph(int rank, int size) {
    Topology topology = {.name = "funnel", .sources = 1, .destinations = 1};
#ifdef MPICH_VERSION
    topology.alltoallw_may_hang = 1; /* seen in 4.0 */
#endif
    int sources[max_neighbours] = {(rank + size - 1) % size};
    int destinations[max_neighbours] = {(rank + 1) % size};
    if (rank == 0)
        for (int other = 1; other < size - 1; other++)
            sources[topology.sources++] = other;
    else if (rank < size - 1)
        destinations[topology.destinations++] = 0;
    for (int i = 0; i < topology.sources; i++)
        topology.is_source[i] = 1;
    for (int i = 0; i < topology.destinations; i++)
        topology.is_destination[i] = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, topology.sources, sources, MPI_UNWEIGHTED,
                                   topology.destinations, destinations, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &topology.comm);
    run(&topology);
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    expect_rank(rank);
    cartesian(size, 0);
    cartesian(size, 1);
    graph(size);
    distributed_graph(rank, size);
    expect_write();
    MPI_Finalize();
    return 0;
}
