// Queries of the program about its own sections.
#pragma once

#include <cstdint>

#include <vftrace/sections.h>

#include "base/guarded.hpp"
#include "queries/live_index.hpp"
#include "tree/call_tree.hpp"

namespace vftrace {

// See vftrace_section_data() in vftrace/sections.h.
int section_data(int figure, const char* name, int options, double* value);

// For ask_sections(): begin_question() locks the index and returns the pointer to it, which is
// nullptr before the first query; it returns nullptr if nothing is recorded. end_question() unlocks
// it; if the query was not answered completely, the index is damaged and is dropped.
LiveIndex** begin_question();
void end_question(bool answered);

// Calls work(index, now), with `now` in ticks; memory may run out in it. Returns an enum
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

// In a child of fork, because the index is that of its parent.
void forget_section_index();

}  // namespace vftrace
