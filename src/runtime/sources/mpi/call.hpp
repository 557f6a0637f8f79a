// One call of an MPI function: the activation in the call tree around the real call.
#pragma once

#include "guest/frame_address.hpp"
#include "mpi/functions.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// Where a wrapper was called, and by which name.
struct Site {
    Entry entry;
    const void* caller;    // return address
    std::uintptr_t stack;  // where the return address is
};

class Call {
  public:
    // Begins an activation if this thread records, unless an MPI function makes the call: libraries
    // call their own functions, and Fortran bindings call the C functions. Then nested() is true.
    Call(FunctionId function, const Site& site);

    // Reads the clock, because the real function has returned.
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
    // For a call that is recorded.
    ThreadState& thread() const { return *state_; }
    const Node* node() const { return node_; }
    std::uint64_t start_ticks() const { return start_; }
    std::uint64_t end_ticks() const { return end_; }

    // To be called if the call has found that nothing is done yet. If the previous call did so too,
    // shortly before, the program is only waiting: the cost of measuring then merely replaces
    // waiting.
    void found_nothing();

    // Executes the barrier before a collective, as an activation below this one.
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
