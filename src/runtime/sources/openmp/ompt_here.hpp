// What the callbacks of OMPT share: the thread that they are called on, and tables of displayed
// kinds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "guest/frame_address.hpp"
#include "openmp/activations.hpp"
#include "openmp/ompt.hpp"

namespace vftrace {

// The calling thread, as long as it records.
class Here {
  public:
    explicit Here(int endpoint = ompt::scope_begin)
        : state_(endpoint & ompt::scope_begin ? recording_state() : known_state()) {
        // The callback's own frame lies below those of the library that called it, and these below
        // the program's: what is open on top decides.
        stack_ = state_ ? place_in_caller(*state_, frame_address()) : 0;
    }
    explicit operator bool() const { return state_; }
    ThreadState& state() const { return *state_; }
    std::uintptr_t stack() const { return stack_; }

    // The node of what is entered; nullptr if it is not recorded.
    Node* enter(OpenmpConstruct construct, const void* code) const {
        return enter_construct(openmp_key(construct, code_address(code)), stack_);
    }
    void leave(OpenmpConstruct construct) const { leave_construct(*state_, construct, stack_); }

    void enter_or_leave(OpenmpConstruct construct, int endpoint, const void* code) const {
        if (endpoint & ompt::scope_begin)
            enter(construct, code);
        if (endpoint & ompt::scope_end)
            leave(construct);
    }

  private:
    ThreadState* state_;
    std::uintptr_t stack_;
};

// How the kinds of a callback are shown; kinds without a row are not.
struct Kind {
    int kind;
    OpenmpConstruct construct;
};

template <std::size_t rows>
const OpenmpConstruct* construct_of(const Kind (&table)[rows], int kind) {
    for (const Kind& row : table)
        if (row.kind == kind)
            return &row.construct;
    return nullptr;
}

struct Registration {
    int event;
    ompt::Callback callback;
};

template <class Type>
ompt::Callback checked(Type callback) {
    return reinterpret_cast<ompt::Callback>(callback);
}

}  // namespace vftrace
