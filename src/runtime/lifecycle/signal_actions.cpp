// The actions of signals, and the functions of the C library that change or return them.
#include "lifecycle/signal_actions.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <optional>
#include <string_view>

#include "guest/bounded_lock.hpp"
#include "guest/next_function.hpp"
#include "guest/proc_status.hpp"
#include "lifecycle/abrupt_end.hpp"

namespace vftrace {
namespace {

using Action = struct sigaction;
using SetAction = int (*)(int, const Action*, Action*);
using SetHandler = sighandler_t (*)(int, sighandler_t);

constexpr int signal_count = 65;

// One row per signal. Written under the lock.
struct TakenSignal {
    SignalHandler handler;  // nullptr: not taken
    HandlerStack stack;
    int flags;
    Action of_program;  // what the program sees in place of ours: the default, with its flags
    bool kept;          // ours stays, and `of_program` may be any action
};
TakenSignal taken[signal_count];
BoundedLock lock;

// For our own actions: bypasses sanitizers, which would call our handler at another time.
SetAction libc_sigaction;

// Which of our handlers do not use alternate stacks, because the program has set its own. Without
// `class`, because the atomic functions of clang accept only such enumerations.
enum StayAway : int { stay_none, stay_unless_stack_may_overflow, stay_all };
StayAway stay_away;

bool runs_on_alternate_stack(HandlerStack stack) {
    switch (__atomic_load_n(&stay_away, __ATOMIC_RELAXED)) {
    case stay_none:
        return true;
    case stay_unless_stack_may_overflow:
        return stack == HandlerStack::alternate;
    default:
        return false;
    }
}

// Returns 0, with the previous action in `before`, if that is not nullptr.
int put_our_action(int number, Action* before = nullptr) {
    const TakenSignal& row = taken[number];
    Action ours{};
    ours.sa_sigaction = row.handler;
    ours.sa_flags = SA_SIGINFO | row.flags | (runs_on_alternate_stack(row.stack) ? SA_ONSTACK : 0);
    // With the signals that the C library uses itself, which sigfillset() leaves out: the one that
    // cancels a thread would otherwise end a handler of ours halfway.
    std::memset(&ours.sa_mask, 0xff, sizeof ours.sa_mask);
    return libc_sigaction(number, &ours, before);
}

// Takes the place of a handler of the program that is called once (SA_RESETHAND), because the
// kernel would restore the default action without notice. The calls are tail calls: no frame of
// ours is on the stack.
void call_once(int number, siginfo_t* information, void* context) {
    TakenSignal& row = taken[number];
    Action program = row.of_program;
    row.of_program.sa_handler = SIG_DFL;  // flags and mask stay
    int saved_errno = errno;
    put_our_action(number);
    errno = saved_errno;
    if (program.sa_handler == SIG_DFL)  // another thread was faster
        return row.handler(number, information, context);
    if (program.sa_flags & SA_SIGINFO)
        return program.sa_sigaction(number, information, context);
    return program.sa_handler(number);
}

bool is_ours(const Action& action, int number) {
    return (action.sa_flags & SA_SIGINFO) &&
           (action.sa_sigaction == taken[number].handler || action.sa_sigaction == call_once);
}

// Replaces the default action by ours, now or after the next signal.
void replace_default(int number) {
    TakenSignal& row = taken[number];
    Action now;
    if (libc_sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_IGN)
        return;
    if (now.sa_handler == SIG_DFL) {
        row.of_program = now;
        put_our_action(number);
    } else if ((now.sa_flags & SA_RESETHAND) && !is_ours(now, number)) {
        row.of_program = now;
        now.sa_sigaction = call_once;
        now.sa_flags = (now.sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
        libc_sigaction(number, &now, nullptr);
    }
}

// The same for an action that was the default a moment ago.
void replace_former_default(int number) {
    Action before;
    if (put_our_action(number, &before) != 0)
        return;
    if (before.sa_handler == SIG_DFL) {
        taken[number].of_program = before;
    } else {  // another thread has changed it since
        libc_sigaction(number, &before, nullptr);
        replace_default(number);
    }
}

// The signals that the program ignores or handles; all of them if this cannot be found out.
std::uint64_t signals_without_default() {
    constexpr std::string_view masks[] = {"SigIgn", "SigCgt"};
    std::uint64_t ignored_and_handled[] = {0, 0};
    const bool known = numbers_in_status("/proc/self/status", masks, ignored_and_handled, 16) == 2;
    return known ? ignored_and_handled[0] | ignored_and_handled[1] : ~std::uint64_t{0};
}

// While an object exists, the program's call may see and replace our action; no other thread does
// so, and no handler runs in between.
class ProgramCall {
  public:
    explicit ProgramCall(int number) : number_(number), concerns_us_(handler_of(number)) {
        if (!concerns_us_)
            return;
        held_.emplace();
        if (another_thread_ends_process()) {
            held_.reset();
            wait_if_dying();
        }
    }
    ProgramCall(const ProgramCall&) = delete;
    ProgramCall& operator=(const ProgramCall&) = delete;

    // Replaces ours by the action that the program is to see as the previous one.
    void show(Action& before) const {
        if (concerns_us_ && is_ours(before, number_))
            before = taken[number_].of_program;
    }
    sighandler_t shown(sighandler_t before) const {
        Action action{};
        action.sa_handler = before;
        action.sa_flags = SA_SIGINFO;  // if it is ours
        return concerns_us_ && is_ours(action, number_) ? taken[number_].of_program.sa_handler
                                                        : before;
    }
    // The program has changed its action. A child process that is not recorded may keep the
    // default.
    void changed() const {
        if (!concerns_us_ || !process_is_ours())
            return;
        int saved_errno = errno;
        replace_default(number_);
        errno = saved_errno;
    }
    // The program's action if ours stays; else nullptr.
    Action* kept() const {
        return concerns_us_ && taken[number_].kept ? &taken[number_].of_program : nullptr;
    }
    // Whether our action is in effect now.
    bool is_ours_now() const {
        Action now;
        return concerns_us_ && libc_sigaction(number_, nullptr, &now) == 0 && is_ours(now, number_);
    }

  private:
    int number_;
    bool concerns_us_;
    std::optional<HeldSignalActions> held_;
};

// Flags that the kernel adds to those of the C library.
#if defined(__x86_64__)
constexpr int kernel_flags = 0x04000000;  // SA_RESTORER
#else
constexpr int kernel_flags = 0;
#endif

// Does the same as signal().
sighandler_t change_kept_handler(Action& kept, int number, sighandler_t handler) {
    sighandler_t before = kept.sa_handler;
    kept = {};
    kept.sa_handler = handler;
    kept.sa_flags = SA_RESTART | kernel_flags;
    sigaddset(&kept.sa_mask, number);
    return before;
}

int change_action(SetAction real, int number, const Action* action, Action* before) {
    ProgramCall call(number);
    if (Action* kept = call.kept()) {
        Action now = *kept;  // both arguments may be the same object
        if (action) {
            *kept = *action;
            kept->sa_flags |= kernel_flags;
        }
        if (before)
            *before = now;
        return 0;
    }
    int result = real(number, action, before);
    if (result == 0) {
        if (before)
            call.show(*before);
        if (action)
            call.changed();
    }
    return result;
}

sighandler_t change_handler(SetHandler real, int number, sighandler_t handler) {
    ProgramCall call(number);
    if (Action* kept = call.kept())
        return change_kept_handler(*kept, number, handler);
    sighandler_t before = call.shown(real(number, handler));
    if (before != SIG_ERR)
        call.changed();
    return before;
}

// Newer versions of libc keep some names for old programs only, and dlsym may not find them.
SetHandler next_or_signal(SetHandler& known, const char* name) {
    const SetHandler found = next_function(known, name);
    return found ? found : next_function(known, "signal");
}

}  // namespace

void prepare_signal_actions() {
    if (libc_sigaction)
        return;
    if (void* libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD))
        libc_sigaction = reinterpret_cast<SetAction>(dlsym(libc, "sigaction"));
    if (!libc_sigaction)
        libc_sigaction = next_function<SetAction>("sigaction");
}

TakingSignals::TakingSignals() : not_default_(signals_without_default()) {}

void TakingSignals::take(int number, SignalHandler handler, HandlerStack stack, int more_flags) {
    if (taken[number].kept)
        return;
    taken[number].stack = stack;
    taken[number].flags = more_flags;
    __atomic_store_n(&taken[number].handler, handler, __ATOMIC_RELAXED);
    if (not_default_ >> (number - 1) & 1)
        replace_default(number);
    else
        replace_former_default(number);
}

void keep_signal(int number, SignalHandler handler, int more_flags) {
    const HeldSignalActions held;
    TakenSignal& row = taken[number];
    row.stack = HandlerStack::alternate_if_ours;
    row.flags = more_flags;
    Action now;
    if (libc_sigaction(number, nullptr, &now) == 0 && !(row.handler && is_ours(now, number)))
        row.of_program = now;
    __atomic_store_n(&row.handler, handler, __ATOMIC_RELAXED);
    row.kept = true;
    put_our_action(number);
}

Action action_of_program(int number) { return taken[number].of_program; }

SignalHandler handler_of(int number) {
    if (number <= 0 || number >= signal_count)
        return nullptr;
    return __atomic_load_n(&taken[number].handler, __ATOMIC_RELAXED);
}

void give_signal_back(int number) {
    if (!handler_of(number))
        return;
    const HeldSignalActions held;
    Action now;
    if (libc_sigaction(number, nullptr, &now) == 0 && is_ours(now, number)) {
        if (taken[number].kept) {  // ignoring a signal discards pending ones in all threads
            Action ignored{};
            ignored.sa_handler = SIG_IGN;
            libc_sigaction(number, &ignored, nullptr);
        }
        libc_sigaction(number, &taken[number].of_program, nullptr);
    }
    __atomic_store_n(&taken[number].handler, nullptr, __ATOMIC_RELAXED);
    taken[number].kept = false;
}

void leave_alternate_stacks(bool all_handlers) {
    const StayAway now = all_handlers ? stay_all : stay_unless_stack_may_overflow;
    if (__atomic_load_n(&stay_away, __ATOMIC_RELAXED) >= now)
        return;
    const int saved_errno = errno;
    const HeldSignalActions held;
    if (stay_away < now)
        __atomic_store_n(&stay_away, now, __ATOMIC_RELAXED);
    for (int number = 1; number < signal_count; number++) {
        Action action;
        if (handler_of(number) && libc_sigaction(number, nullptr, &action) == 0 &&
            is_ours(action, number) && action.sa_sigaction != call_once)
            put_our_action(number);
    }
    errno = saved_errno;
}

bool alternate_stacks_are_left() {
    return __atomic_load_n(&stay_away, __ATOMIC_RELAXED) != stay_none;
}

bool is_taken(int number) {
    Action now;
    return handler_of(number) && libc_sigaction(number, nullptr, &now) == 0 &&
           (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler_of(number);
}

HeldSignalActions::HeldSignalActions() : locked_(lock.lock()) {}
HeldSignalActions::~HeldSignalActions() {
    if (locked_)
        lock.unlock();
}

void set_default_action(int number) {
    Action standard{};
    standard.sa_handler = SIG_DFL;
    libc_sigaction(number, &standard, nullptr);
}

}  // namespace vftrace

using namespace vftrace;

#define VFTRACE_WRAPPER extern "C" [[gnu::visibility("default")]]

// libc has most of these functions under several names, which headers and old programs use.
#define VFTRACE_WRAP_ACTION(wrapper, name)                                                         \
    VFTRACE_WRAPPER int wrapper(int, const Action*, Action*) noexcept asm(name);                   \
    int wrapper(int number, const Action* action, Action* before) noexcept {                       \
        static SetAction known;                                                                    \
        return change_action(next_function(known, name), number, action, before);                  \
    }
VFTRACE_WRAP_ACTION(wrapped_sigaction, "sigaction")
VFTRACE_WRAP_ACTION(wrapped_underscore_sigaction, "__sigaction")

#define VFTRACE_WRAP_HANDLER(wrapper, name)                                                        \
    VFTRACE_WRAPPER sighandler_t wrapper(int, sighandler_t) noexcept asm(name);                    \
    sighandler_t wrapper(int number, sighandler_t handler) noexcept {                              \
        static SetHandler known;                                                                   \
        return change_handler(next_or_signal(known, name), number, handler);                       \
    }
VFTRACE_WRAP_HANDLER(wrapped_signal, "signal")
VFTRACE_WRAP_HANDLER(wrapped_bsd_signal, "bsd_signal")
VFTRACE_WRAP_HANDLER(wrapped_ssignal, "ssignal")
VFTRACE_WRAP_HANDLER(wrapped_sysv_signal, "sysv_signal")
VFTRACE_WRAP_HANDLER(wrapped_underscore_sysv_signal, "__sysv_signal")

// This function blocks or unblocks the signal too, so it must not be called while we block it.
VFTRACE_WRAPPER sighandler_t wrapped_sigset(int, sighandler_t) noexcept asm("sigset");
sighandler_t wrapped_sigset(int number, sighandler_t handler) noexcept {
    static SetHandler known;
    const SetHandler real = next_function(known, "sigset");
    if (Action* kept = ProgramCall(number).kept())
        return change_kept_handler(*kept, number, handler);
    sighandler_t before = real(number, handler);
    ProgramCall call(number);
    sighandler_t shown = call.shown(before);
    if (before != SIG_ERR)
        call.changed();
    return shown;
}

using ChangeOne = int (*)(int);
VFTRACE_WRAPPER int wrapped_sigignore(int) noexcept asm("sigignore");
int wrapped_sigignore(int number) noexcept {
    static ChangeOne known;
    const ChangeOne real = next_function(known, "sigignore");
    ProgramCall call(number);
    if (Action* kept = call.kept()) {
        change_kept_handler(*kept, number, SIG_IGN);
        return 0;
    }
    return real(number);
}

// Sets or clears SA_RESTART of the action in effect, which is ours if the program's is the default.
using Interrupt = int (*)(int, int);
VFTRACE_WRAPPER int wrapped_siginterrupt(int, int) noexcept asm("siginterrupt");
int wrapped_siginterrupt(int number, int interrupt) noexcept {
    static Interrupt known;
    const Interrupt real = next_function(known, "siginterrupt");
    ProgramCall call(number);
    if (call.kept())
        return 0;
    int result = real(number, interrupt);
    if (result == 0 && call.is_ours_now()) {
        int& flags = taken[number].of_program.sa_flags;
        flags = interrupt ? flags & ~SA_RESTART : flags | SA_RESTART;
    }
    return result;
}
