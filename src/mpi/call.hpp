// One call of an MPI function: the activation in the call tree around the real call.
#pragma once

#include "guest/frame_address.hpp"
#include "mpi/functions.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// Where and as what a wrapper was called.
struct Site {
    Entry entry;
    const void* caller;    // return address
    std::uintptr_t stack;  // of the return address
};

class Call {
  public:
    // Begins an activation, if this thread records, unless the call is made by an MPI function:
    // libraries call themselves, and Fortran bindings call the C functions. Then nested() is true.
    Call(FunctionId function, const Site& site);

    // Takes the time: the real function has returned.
    void stop();
    // Ends the activation. Between stop() and this the library does its own work, and the MPI
    // calls that it makes are nested.
    void leave();

    bool nested() const { return nested_; }
    // False if the call comes from our own work on the tree.
    bool of_program() const { return !ours_; }
    // Whether there is an activation: not while paused, before main, after the end.
    bool recorded() const { return node_ != nullptr; }

    FunctionId function() const { return function_; }
    // Of a call that is recorded.
    ThreadState& thread() const { return *state_; }
    const Node* node() const { return node_; }
    std::uint64_t start_ticks() const { return start_; }
    std::uint64_t end_ticks() const { return end_; }

    // The call has found nothing to be done yet. Where the last one did so too, shortly before, the
    // program does nothing but wait: what measuring costs there only takes the place of waiting.
    void found_nothing();

    // The barrier before a collective, as an activation below this one.
    void synchronise(Word communicator);

  private:
    void enter_unusual(ThreadState* state, std::uintptr_t key, const Site& site);

    ThreadState* state_ = nullptr;
    Node* node_ = nullptr;
    std::uint64_t start_ = 0, end_ = 0;
    std::uintptr_t stack_;
    FunctionId function_;
    bool nested_ = false, ours_ = false, from_fortran_;
};

}  // namespace vftrace
