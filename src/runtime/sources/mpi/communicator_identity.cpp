// The number of a communicator in traces, which is the same on all of its ranks.
#include "mpi/communicator_identity.hpp"

#include <algorithm>
#include <cstdlib>
#include <pthread.h>

#include "base/fnv.hpp"

namespace vftrace {
namespace {

constexpr std::uint64_t identity_of_world = 1;

std::uint64_t add_to_hash(std::uint64_t hash, std::uint64_t number) {
    for (int byte = 0; byte < 8; byte++)
        hash = fnv1a(hash, static_cast<unsigned char>(number >> 8 * byte));
    return hash;
}

// `world`: ranks in MPI_COMM_WORLD; nullptr: rank i is i.
std::uint64_t hash_of_group(const int* world, int size) {
    std::uint64_t hash = add_to_hash(fnv_basis, static_cast<std::uint64_t>(size));
    for (int i = 0; i < size; i++)
        hash = add_to_hash(hash, static_cast<std::uint32_t>(world ? world[i] : i));
    return hash;
}

// Both sides of an intercommunicator compute the same hash.
std::uint64_t hash_of_groups(const CommunicatorInfo& info) {
    const std::uint64_t peers = hash_of_group(info.world, info.size);
    if (!info.inter)
        return peers;
    const std::uint64_t local = hash_of_group(info.local_world, info.local_size);
    return add_to_hash(add_to_hash(fnv_basis, std::min(peers, local)), std::max(peers, local));
}

std::uint64_t not_special(std::uint64_t identity) {
    return identity > identity_of_world ? identity : identity + 2;
}

// How many communicators of a group have been found at their first use.
struct FoundOfGroup {
    std::uint64_t hash, count;
    FoundOfGroup* next;
};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
FoundOfGroup* found_of_groups;

// To be called under the lock. Without memory, all count as the first one.
std::uint64_t count_found(std::uint64_t hash) {
    FoundOfGroup* found = found_of_groups;
    while (found && found->hash != hash)
        found = found->next;
    if (!found) {
        found = static_cast<FoundOfGroup*>(std::calloc(1, sizeof(FoundOfGroup)));
        if (!found)
            return 0;
        found->hash = hash;
        found->next = found_of_groups;
        found_of_groups = found;
    }
    return found->count++;
}

void set(const CommunicatorInfo& info, std::uint64_t identity) {
    __atomic_store_n(&info.identity, identity, __ATOMIC_RELEASE);
}

}  // namespace

void set_identity(const CommunicatorInfo& made, const CommunicatorInfo& parent,
                  std::uint64_t number) {
    if (__atomic_load_n(&made.identity, __ATOMIC_ACQUIRE) != 0)
        return;
    // One call can create several groups, as MPI_Comm_split does.
    const std::uint64_t made_by = add_to_hash(add_to_hash(fnv_basis, identity_of(parent)), number);
    set(made, not_special(add_to_hash(made_by, hash_of_groups(made))));
}

std::uint64_t identity_of(const CommunicatorInfo& info) {
    std::uint64_t identity = __atomic_load_n(&info.identity, __ATOMIC_ACQUIRE);
    if (identity != 0)
        return identity;
    const std::uint64_t hash = hash_of_groups(info);
    pthread_mutex_lock(&lock);
    identity = __atomic_load_n(&info.identity, __ATOMIC_ACQUIRE);
    if (identity == 0) {  // another thread may have been faster
        identity = info.handle == handle_constant(family.constants.comm_world)
                       ? identity_of_world
                       : not_special(add_to_hash(hash, count_found(hash)));
        set(info, identity);
    }
    pthread_mutex_unlock(&lock);
    return identity;
}

}  // namespace vftrace
