#include "mpi/communicators.hpp"

#include <cstdlib>
#include <pthread.h>

#include "mpi/functions.hpp"
#include "mpi/messages.hpp"
#include "mpi/mpi_state.hpp"
#include "mpi/requests.hpp"

namespace vftrace {
namespace {

enum class Kind : std::uint32_t { communicator, window };

constexpr std::size_t buckets = 256;  // of chains, because freed ones move to another list
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CommunicatorInfo* table[2][buckets];
CommunicatorInfo* freed;  // by the program

// A thread looks into the table only if the communicator differs from the last one, or if one has
// been freed in the meantime.
std::uint32_t generation = 1;
struct LastFound {
    Word handle;
    std::uint32_t generation;
    const CommunicatorInfo* info;
};
__attribute__((tls_model("initial-exec"))) thread_local LastFound last_found[2];

std::size_t bucket_of(Word handle) { return (handle * 0x9e3779b97f4a7c15u) >> 56; }

// All are 0, so that ranks that MPI does not set are defined.
int* new_ranks(int count) {
    return static_cast<int*>(std::calloc(static_cast<std::size_t>(count) + 1, sizeof(int)));
}
void free_ranks(const int* ranks) { std::free(const_cast<int*>(ranks)); }

// Finds a group's ranks in MPI_COMM_WORLD; `world` is nullptr if rank i is i. Frees the group.
// Returns false without memory or if MPI refuses.
bool translate_and_free(Word group, int size, const int*& world) {
    world = nullptr;
    int *own = new_ranks(size), *ranks = new_ranks(size);
    bool done = own && ranks;
    if (done) {
        for (int i = 0; i < size; i++)
            own[i] = i;
        done = call_real(FunctionId::MPI_Group_translate_ranks, group, size, word_of(own),
                         mpi_process.world_group, word_of(ranks)) == 0;
        bool same = size <= mpi_process.size;
        for (int i = 0; done && i < size; i++) {
            if (ranks[i] == family.constants.undefined || ranks[i] < 0)
                ranks[i] = unknown_peer;
            same = same && ranks[i] == i;
        }
        if (!same) {
            world = ranks;
            ranks = nullptr;
        }
    }
    free_ranks(own);
    free_ranks(ranks);
    Word freed = group;
    call_real(FunctionId::MPI_Group_free, word_of(&freed));
    return done;
}

Word group_of(FunctionId function, Word handle) {
    Word group = 0;
    return call_real(function, handle, word_of(&group)) == 0 ? to_handle(group) : Word{0};
}

int size_of(Word group) {
    int size = 0;
    return call_real(FunctionId::MPI_Group_size, group, word_of(&size)) == 0 ? size : -1;
}

bool describe_window(CommunicatorInfo& info) {
    Word group = group_of(FunctionId::MPI_Win_get_group, info.handle);
    if (!group || call_real(FunctionId::MPI_Group_rank, group, word_of(&info.rank)) != 0)
        return false;
    info.size = info.local_size = size_of(group);
    return info.size >= 0 && translate_and_free(group, info.size, info.world);
}

bool describe_communicator(CommunicatorInfo& info) {
    int inter = 0;
    if (call_real(FunctionId::MPI_Comm_test_inter, info.handle, word_of(&inter)) != 0 ||
        call_real(FunctionId::MPI_Comm_rank, info.handle, word_of(&info.rank)) != 0 ||
        call_real(FunctionId::MPI_Comm_size, info.handle, word_of(&info.local_size)) != 0)
        return false;
    info.inter = inter != 0;
    info.size = info.local_size;
    if (info.handle == handle_constant(family.constants.comm_world))
        return true;
    Word local = group_of(FunctionId::MPI_Comm_group, info.handle);
    if (!local)
        return false;
    if (!info.inter)
        return translate_and_free(local, info.size, info.world);
    if (!translate_and_free(local, info.local_size, info.local_world))
        return false;
    Word remote = group_of(FunctionId::MPI_Comm_remote_group, info.handle);
    if (!remote)
        return false;
    info.size = size_of(remote);
    return info.size >= 0 && translate_and_free(remote, info.size, info.world);
}

void free_info(CommunicatorInfo* info) {
    free_ranks(info->world);
    free_ranks(info->local_world);
    if (info->sources != info->destinations)
        free_ranks(info->destinations);
    free_ranks(info->sources);
    std::free(info);
}

// nullptr without memory, or if MPI refuses.
CommunicatorInfo* make_info(Kind kind, Word handle) {
    auto* info = static_cast<CommunicatorInfo*>(std::calloc(1, sizeof(CommunicatorInfo)));
    if (!info)
        return nullptr;
    info->handle = handle;
    if (!(kind == Kind::window ? describe_window(*info) : describe_communicator(*info))) {
        free_info(info);
        return nullptr;
    }
    info->listed_peers = info->size;
    if (!mpi_process.everyone) {
        info->listed_peers = 0;
        for (int i = 0; i < info->size; i++)
            info->listed_peers += is_listed(world_rank(*info, i));
    }
    return info;
}

CommunicatorInfo* find_in_table(Kind kind, Word handle) {
    CommunicatorInfo* info = table[static_cast<int>(kind)][bucket_of(handle)];
    while (info && info->handle != handle)
        info = info->next;
    return info;
}

// MPI is not called under the lock: it has its own locks, and may call back into the program.
[[gnu::noinline]] const CommunicatorInfo* look_up(Kind kind, Word handle, LastFound& last) {
    if (kind == Kind::communicator && handle == handle_constant(family.constants.comm_null))
        return nullptr;
    pthread_mutex_lock(&lock);
    CommunicatorInfo* info = find_in_table(kind, handle);
    last = {handle, generation, info};
    pthread_mutex_unlock(&lock);
    if (info)
        return info;
    CommunicatorInfo* made = make_info(kind, handle);
    if (!made)
        return nullptr;
    pthread_mutex_lock(&lock);
    info = find_in_table(kind, handle);  // another thread may have been faster
    if (!info) {
        info = made;
        CommunicatorInfo*& head = table[static_cast<int>(kind)][bucket_of(handle)];
        info->next = head;
        head = info;
        made = nullptr;
    }
    last = {handle, generation, info};
    pthread_mutex_unlock(&lock);
    if (made)
        free_info(made);
    return info;
}

const CommunicatorInfo* find(Kind kind, Word word) {
    Word handle = to_handle(word);
    LastFound& last = last_found[static_cast<int>(kind)];
    if (last.handle == handle && last.info &&
        last.generation == __atomic_load_n(&generation, __ATOMIC_ACQUIRE)) [[likely]]
        return last.info;
    return look_up(kind, handle, last);
}

void forget(Kind kind, Word word) {
    Word handle = to_handle(word);
    pthread_mutex_lock(&lock);
    for (CommunicatorInfo** link = &table[static_cast<int>(kind)][bucket_of(handle)]; *link;
         link = &(*link)->next)
        if ((*link)->handle == handle) {
            CommunicatorInfo* gone = *link;
            *link = gone->next;
            gone->next = freed;
            freed = gone;
            __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
            break;
        }
    // Open requests, and calls of other threads, may need it longer than the program: then it is
    // freed with a later one, or never.
    for (CommunicatorInfo** link = &freed; *link;) {
        CommunicatorInfo* gone = *link;
        if (mpi_process.threads_multiple || is_needed_by_pending(gone)) {
            link = &gone->next;
        } else {
            *link = gone->next;
            free_info(gone);
        }
    }
    pthread_mutex_unlock(&lock);
}

// Translates ranks of the communicator to ranks of MPI_COMM_WORLD.
void translate(const CommunicatorInfo& info, int* ranks, int count) {
    for (int i = 0; i < count; i++)
        ranks[i] = world_rank(info, ranks[i]);
}

bool read_cartesian(CommunicatorInfo& info) {
    int dimensions = 0;
    if (call_real(FunctionId::MPI_Cartdim_get, info.handle, word_of(&dimensions)) != 0)
        return false;
    int* neighbours = new_ranks(2 * dimensions);
    info.sources = info.destinations = neighbours;
    if (!neighbours)
        return false;
    for (int i = 0; i < dimensions; i++)
        if (call_real(FunctionId::MPI_Cart_shift, info.handle, i, 1, word_of(&neighbours[2 * i]),
                      word_of(&neighbours[2 * i + 1])) != 0)
            return false;
    translate(info, neighbours, 2 * dimensions);
    info.source_count = info.destination_count = 2 * dimensions;
    return true;
}

bool read_graph(CommunicatorInfo& info) {
    int count = 0;
    if (call_real(FunctionId::MPI_Graph_neighbors_count, info.handle, info.rank, word_of(&count)) !=
        0)
        return false;
    int* neighbours = new_ranks(count);
    info.sources = info.destinations = neighbours;
    if (!neighbours || call_real(FunctionId::MPI_Graph_neighbors, info.handle, info.rank, count,
                                 word_of(neighbours)) != 0)
        return false;
    translate(info, neighbours, count);
    info.source_count = info.destination_count = count;
    return true;
}

bool read_distributed_graph(CommunicatorInfo& info) {
    int in = 0, out = 0, weighted = 0;
    if (call_real(FunctionId::MPI_Dist_graph_neighbors_count, info.handle, word_of(&in),
                  word_of(&out), word_of(&weighted)) != 0)
        return false;
    int *sources = new_ranks(in), *destinations = new_ranks(out), *weights = new_ranks(in + out);
    info.sources = sources;
    info.destinations = destinations;
    bool read = sources && destinations && weights &&
                call_real(FunctionId::MPI_Dist_graph_neighbors, info.handle, in, word_of(sources),
                          word_of(weights), out, word_of(destinations), word_of(weights + in)) == 0;
    free_ranks(weights);
    if (!read)
        return false;
    translate(info, sources, in);
    translate(info, destinations, out);
    info.source_count = in;
    info.destination_count = out;
    return true;
}

bool read_neighbours(CommunicatorInfo& info) {
    int topology = 0;
    if (call_real(FunctionId::MPI_Topo_test, info.handle, word_of(&topology)) != 0)
        return false;
    if (topology == family.constants.cart)
        return read_cartesian(info);
    if (topology == family.constants.graph)
        return read_graph(info);
    return topology == family.constants.dist_graph && read_distributed_graph(info);
}

}  // namespace

const CommunicatorInfo* communicator_info(Word communicator) {
    return find(Kind::communicator, communicator);
}

const CommunicatorInfo* window_info(Word window) { return find(Kind::window, window); }

const CommunicatorInfo* communicator_with_neighbours(Word communicator) {
    // Two threads must not call collectives of one communicator at the same time.
    auto* info = const_cast<CommunicatorInfo*>(find(Kind::communicator, communicator));
    if (info && !info->neighbours_known)
        info->neighbours_known = read_neighbours(*info);
    return info && info->neighbours_known ? info : nullptr;
}

void forget_communicator(Word communicator) { forget(Kind::communicator, communicator); }
void forget_window(Word window) { forget(Kind::window, window); }

std::int32_t world_rank(const CommunicatorInfo& info, int peer) {
    if (peer < 0 || peer >= info.size)
        return no_peer;
    return info.world ? info.world[peer] : peer;
}

}  // namespace vftrace
