// The actions of signals: those that the program has set, and those in effect.
//
// If the action is the default, ours can be installed instead. The wrappers of sigaction, signal
// and related functions, in signal_actions.cpp, then show the default to the program, and let it
// set any other action; when it returns to the default, ours is installed again. Calls inside the C
// library and raw system calls see our action, which is harmless: code that saves and restores the
// action restores ours.
#pragma once

#include <csignal>
#include <cstdint>

#include "guest/all_signals.hpp"

namespace vftrace {

using SignalHandler = void (*)(int, siginfo_t*, void*);

// Finds the C library's functions. To be called before any other function here.
void prepare_signal_actions();

// The stack on which a handler of ours runs.
enum class HandlerStack {
    // The alternate stack that we gave to the thread. In processes that set their own alternate
    // stacks it is the interrupted stack: theirs may be too small for us, or be freed while still
    // known to the kernel, which is harmless for the program as long as no such signal arrives.
    alternate_if_ours,
    alternate  // any alternate stack: the interrupted one may have overflowed
};

// While an object exists, other threads do not change actions. To be held by the thread that ends
// the process: a thread that wants to change an action afterwards stays there, so is_taken()
// remains true.
class HeldSignalActions {
  public:
    HeldSignalActions();
    ~HeldSignalActions();
    HeldSignalActions(const HeldSignalActions&) = delete;
    HeldSignalActions& operator=(const HeldSignalActions&) = delete;

  private:
    AllSignalsBlocked blocked_;
    bool locked_;
};

// Takes signals while it exists; several with one object cost one or two system calls each.
class TakingSignals {
  public:
    TakingSignals();
    TakingSignals(const TakingSignals&) = delete;
    TakingSignals& operator=(const TakingSignals&) = delete;

    // From now on `handler` is called whenever the program's action for the signal is the default,
    // with all signals blocked; `more_flags` are added to its flags. May be called repeatedly.
    void take(int number, SignalHandler handler, HandlerStack stack, int more_flags);

  private:
    HeldSignalActions held_;
    std::uint64_t not_default_;  // the program ignores or handles these; bit 0 is signal 1
};

// Ends the effect of TakingSignals::take() or keep_signal(): the program's action replaces ours
// again.
void give_signal_back(int number);

// The program is about to set its own alternate stack (HandlerStack), which is too small for any of
// our handlers if `all_handlers` is set. Async-signal-safe.
void leave_alternate_stacks(bool all_handlers);
// Whether the program has done so.
bool alternate_stacks_are_left();

// From now on `handler` is called for this signal whatever the program sets: the program sees and
// changes an action that does not take effect (action_of_program()). For a signal that only we
// send. The handler runs on HandlerStack::alternate_if_ours. give_signal_back() discards pending
// signals: once the signal is not sent any more, none arrives later.
void keep_signal(int number, SignalHandler handler, int more_flags);
struct sigaction action_of_program(int number);

// The handler passed to TakingSignals::take() or keep_signal(), or nullptr.
SignalHandler handler_of(int number);

// Whether a signal of this number would call our handler now, not one of the program.
bool is_taken(int number);

// Sets the default action, whatever the current one is. Async-signal-safe.
void set_default_action(int number);

}  // namespace vftrace
