// The handlers of signals that kill, and of the signal that requests a snapshot.
#include "lifecycle/signals.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/message.hpp"
#include "guest/all_signals.hpp"
#include "guest/seccomp.hpp"
#include "lifecycle/abrupt_end.hpp"
#include "lifecycle/recover_from_outside.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/signal_actions.hpp"
#include "tree/own_record.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

enum class Origin { fault, other };

// All signals that kill by default, except SIGKILL and those of the real-time range.
constexpr struct {
    int number;
    Origin origin;  // what usually sends it
} deadly_signals[] = {
    {SIGSYS, Origin::fault},    {SIGTRAP, Origin::fault}, {SIGILL, Origin::fault},
    {SIGBUS, Origin::fault},    {SIGFPE, Origin::fault},  {SIGSEGV, Origin::fault},
    {SIGABRT, Origin::other},   {SIGQUIT, Origin::other}, {SIGTERM, Origin::other},
    {SIGINT, Origin::other},    {SIGHUP, Origin::other},  {SIGPIPE, Origin::other},
    {SIGALRM, Origin::other},   {SIGUSR1, Origin::other}, {SIGUSR2, Origin::other},
    {SIGXCPU, Origin::other},   {SIGXFSZ, Origin::other}, {SIGVTALRM, Origin::other},
    {SIGPROF, Origin::other},   {SIGIO, Origin::other},   {SIGPWR, Origin::other},
#ifdef SIGSTKFLT
    {SIGSTKFLT, Origin::other},
#endif
};

// The first process of a container is killed by its own faults, not by signals that are sent.
bool is_immortal() { return syscall(SYS_getpid) == 1; }

// Calls visit(number, origin) for all signals that kill this process.
template <class Visitor>
void for_each_deadly_signal(Visitor&& visit) {
    bool immortal = process_record ? process_record->pid == 1 : is_immortal();
    for (const auto& row : deadly_signals)
        if (!immortal || row.origin == Origin::fault)
            visit(row.number, row.origin);
    for (int number = SIGRTMIN; !immortal && number <= SIGRTMAX; number++)
        visit(number, Origin::other);
}

// Sets the default action and sends the same signal again. It is delivered when the handler
// returns, at the place where it arrived first, so a core dump shows that place. No other handler
// may run before.
void let_it_happen(int number, siginfo_t* information, void* context) {
    set_default_action(number);
    // The kernel's set has 64 signals; libc's sigset_t is larger and would reach beyond it.
    auto mask = reinterpret_cast<std::uint64_t*>(&static_cast<ucontext_t*>(context)->uc_sigmask);
    *mask = ~(std::uint64_t{1} << (number - 1));
    long process = syscall(SYS_getpid), thread = syscall(SYS_gettid);
    if (syscall(SYS_rt_tgsigqueueinfo, process, thread, number, information) != 0)
        syscall(SYS_tgkill, process, thread, number);  // after a fault it would happen again
}

void on_deadly_signal(int number, siginfo_t* information, void* context) {
    wait_if_dying();  // the signal is that of stop_other_threads(), or too late
    if (information->si_code <= 0 && is_immortal())
        return;  // sent by a process, and ignored without the library
    int saved_errno = errno;
    AllSignalsBlocked::block_for_ever();  // including those that libc uses itself, as for
                                          // pthread_cancel
    // The tree file exists during the run and while the process writes its profile.
    if (seccomp_filter_was_noted()) {  // not by a wrapper, which would have removed this handler
        mark_end_without_system_calls(ProcessState::signal, number);
    } else if (process_is_ours() && seccomp_filter_was_added()) {
        mark_end(ProcessState::signal, number);
    } else if (process_is_ours() && tree_file_path()) {
        be_the_one_to_end();
        stop_other_threads();
        mark_end(ProcessState::signal, number);
        const char* no_more[] = {nullptr};
        start_recovery(no_more, true);
    }
    let_it_happen(number, information, context);
    errno = saved_errno;
}

// Stays installed when the run is over, because the sender of the signal does not know that.
void on_snapshot_signal(int, siginfo_t*, void*) {
    const char* snapshot[] = {"--snapshot", nullptr};
    if (process_is_ours() && run_phase == RunPhase::recording)
        start_recovery(snapshot, false);
}

int snapshot_signal(const Options& options) {
    if (options.snapshot_signal == "USR1")
        return SIGUSR1;
    return options.snapshot_signal == "USR2" ? SIGUSR2 : 0;
}

}  // namespace

void start_signals(const Options& options) {
    int snapshot = snapshot_signal(options);
    if (snapshot) {
        TakingSignals().take(snapshot, on_snapshot_signal, HandlerStack::alternate_if_ours,
                             SA_RESTART);
        if (!is_taken(snapshot))
            message("the program uses SIG%s itself: the signal does not write snapshots",
                    options.snapshot_signal.c_str());
    }
    if (options.tree_file_handle_signals) {
        TakingSignals signals;
        for_each_deadly_signal([&](int number, Origin origin) {
            // Faults may be overflows of the stack.
            const auto stack =
                origin == Origin::fault ? HandlerStack::alternate : HandlerStack::alternate_if_ours;
            if (number != snapshot)
                signals.take(number, on_deadly_signal, stack, 0);
        });
    }
}

void stop_signals() {
    for_each_deadly_signal([](int number, Origin) {
        if (handler_of(number) == on_deadly_signal)
            give_signal_back(number);
    });
}

void leave_signals_to_program() {
    stop_signals();
    for (int number : {SIGUSR1, SIGUSR2})
        if (handler_of(number) == on_snapshot_signal)
            give_signal_back(number);
}

void stop_other_threads() {
    const HeldSignalActions held;
    int number = 0;
    for_each_deadly_signal([&number](int candidate, Origin) {
        if (!number && handler_of(candidate) == on_deadly_signal && is_taken(candidate))
            number = candidate;
    });
    if (number)
        signal_other_threads(number);
    else if (has_other_threads())
        process_record->threads_went_on = true;
}

}  // namespace vftrace
