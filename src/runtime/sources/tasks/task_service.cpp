#include "tasks/task_service.hpp"

#include <csignal>
#include <cstdint>

#include "guest/own_errno.hpp"
#include "guest/seccomp.hpp"
#include "tasks/blocked_loops.hpp"
#include "tasks/live_task_ranks.hpp"
#include "tasks/task_prometheus.hpp"
#include "tasks/task_snapshots.hpp"

namespace vftrace {
namespace {

std::uint64_t attempts;  // to start; 0: there are no tasks

// Signals are blocked while their handlers run. No thread may be created in a handler, because it
// may have interrupted the C library while that held locks.
bool may_be_in_handler() {
    sigset_t blocked;
    if (sigprocmask(SIG_SETMASK, nullptr, &blocked) != 0)
        return true;
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        if (sigismember(&blocked, number) == 1 && sigaction(number, nullptr, &action) == 0 &&
            action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
            return true;
    }
    return false;
}

}  // namespace

bool task_service_is_started;

void prepare_task_service(const Options& options) {
    prepare_task_snapshots(options);
    prepare_blocked_loops(options);
    prepare_task_prometheus(options);
}

void start_task_service() {
    // In a program that always seems to be in a handler, the first tasks try this, then fewer and
    // fewer.
    const std::uint64_t attempt = __atomic_add_fetch(&attempts, 1, __ATOMIC_RELAXED);
    if ((attempt & (attempt - 1)) != 0)
        return;
    const int saved_errno = own_errno();
    if (!seccomp_filter_was_added() && !may_be_in_handler() &&
        !__atomic_exchange_n(&task_service_is_started, true, __ATOMIC_RELAXED)) {
        start_task_snapshots();
        start_blocked_loops();
        start_task_prometheus();
    }
    own_errno() = saved_errno;
}

void forget_task_service() {
    task_service_is_started = false;
    attempts = 0;
    forget_live_task_ranks();
    forget_task_snapshots();
    forget_blocked_loops();
}

void end_task_service() {
    if (relaxed(attempts) == 0)
        return;
    end_task_snapshots();
    end_blocked_loops();
    end_task_prometheus();
}

}  // namespace vftrace
