// Queries of the program about its own sections.
#pragma once

#include <cstdint>

#include <vftrace/sections.h>

#include "base/guarded.hpp"
#include "sections/live_index.hpp"
#include "tree/call_tree.hpp"

namespace vftrace {

// As vftrace_section_data() in vftrace/sections.h says.
int section_data(int figure, const char* name, int options, double* value);

// For ask_sections(): the index under its lock, nullptr before the first question; nullptr if
// nothing is recorded. And the end of that; an answer that was not complete has torn the index.
LiveIndex** begin_question();
void end_question(bool answered);

// Calls work(index, now), now in ticks, where memory may run out. Returns an enum
// vftrace_section_error.
template <class Work>
int ask_sections(Work work) {
    LiveIndex** index = begin_question();
    if (!index)
        return VFTRACE_SECTION_NO_FIGURES;
    const bool answered = run_guarded([&] {
        if (!*index)
            *index = new LiveIndex(NodeKind::section);
        work(**index, tree_ticks());
    });
    end_question(answered);
    return answered ? VFTRACE_SECTION_OK : VFTRACE_SECTION_NO_MEMORY;
}

// How long a tick of the tree's clock is.
double seconds_per_tick();

// In a child of fork: what is known is about its parent.
void forget_section_index();

}  // namespace vftrace
