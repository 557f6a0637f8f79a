// The functions of a source of figures that are called at certain stages of the process and its
// threads.
//
// A member is nullptr if the source has nothing to do there. A source's own hooks, which run at
// every call, are called directly and not through this table.
#pragma once

#include <span>

#include "tree/thread_state.hpp"

namespace vftrace {

struct Options;  // config/options.hpp

struct Source {
    // The library starts, before any event: `options` determine what the source has to measure.
    void (*prepare)(const Options& options) = nullptr;
    // The process now has its record, at its first event; also in a child of fork. Little is
    // allowed here, because this may be called in a signal handler.
    void (*process_begins)() = nullptr;
    // The program begins: libraries may now be opened and threads created.
    void (*begin)() = nullptr;
    // The calling thread starts or stops recording. It is in its slow path.
    void (*thread_begins)(ThreadState& state) = nullptr;
    void (*thread_ends)(ThreadState& state) = nullptr;
    // Time stops for the calling thread, and continues.
    void (*thread_pauses)(ThreadState& state) = nullptr;
    void (*thread_resumes)(ThreadState& state) = nullptr;
    // In a child of fork before its first event: existing data belong to the parent.
    void (*forget_parent)() = nullptr;
    // The run has ended and nothing more is recorded: the source must add what is still open to its
    // figures. `own` is the state of the calling thread, which does not have open frames, or
    // nullptr. Other threads may continue.
    void (*finish)(ThreadState* own) = nullptr;
};

// The sources of record/sources.inc, each defined in the folder that implements it: `constexpr
// Source mpi_source`.
#define VFTRACE_SOURCE(id, title) extern const Source id##_source;
#include "record/sources.inc"

// All of them, in that order.
extern const std::span<const Source* const> sources;

template <class Member, class... Arguments>
void call_sources(Member Source::*what, Arguments&&... arguments) {
    for (const Source* source : sources)
        if (source->*what)
            (source->*what)(arguments...);
}

}  // namespace vftrace
