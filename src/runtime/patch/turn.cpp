#include "patch/turn.hpp"

#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.hpp"

namespace vftrace {

struct TurnOwner {
    int process;  // that may write: a child of vfork shares this memory and the code, and must not
    int busy;
};

namespace {

TurnOwner* owner;  // zeroed in a child of fork, whose other threads are gone

TurnOwner* get_owner() {
    TurnOwner* known = __atomic_load_n(&owner, __ATOMIC_ACQUIRE);
    if (known)
        return known;
    auto* mapped = static_cast<TurnOwner*>(map_memory_wiped_on_fork(sizeof(TurnOwner)));
    if (!mapped)
        return nullptr;
    if (__atomic_compare_exchange_n(&owner, &known, mapped, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return mapped;
    unmap_memory(mapped, sizeof(TurnOwner));
    return known;
}

}  // namespace

Turn::Turn(int attempts) : saved_errno_(errno), owner_(get_owner()) {
    if (!owner_)
        return;
    const auto self = static_cast<int>(syscall(SYS_getpid));
    int process = 0;
    __atomic_compare_exchange_n(&owner_->process, &process, self, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    if (process != 0 && process != self)
        return;
    while (!(mine_ = !__atomic_exchange_n(&owner_->busy, 1, __ATOMIC_ACQUIRE)) && --attempts)
        syscall(SYS_sched_yield);
}

Turn::~Turn() {
    if (mine_)
        __atomic_store_n(&owner_->busy, 0, __ATOMIC_RELEASE);
    errno = saved_errno_;
}

}  // namespace vftrace
