// The sections that the program registers: the handles that it holds while it runs.
//
// They outlive the record: a program may register sections before main, with profiling off and
// after the end. The key of a section's nodes is created when the section first begins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tree/thread_state.hpp"
#include <vftrace/sections.h>

namespace vftrace {

struct Section : ::vftrace_section {
    std::uint64_t hash;
    Section* next;             // with this hash, in the table
    std::uintptr_t key;        // of its nodes; 0: none in this process yet
    const char* live_message;  // nullptr: none
    std::uint8_t level;        // 0 ... last_section_level
    bool prints_dots;
    char name[];  // with prefix
};

// The only section with this prefix (a pointer from section_prefix(), or nullptr) and name, which
// is created if there is none; nullptr without memory. May be called by any thread and in signal
// handlers. The level, message and dots are those of the first call with this name.
Section* register_section(const char* prefix, const char* name, int level, const char* live_message,
                          bool prints_dots);

// The only copy of the text, so that addresses can be compared; "" without memory.
const char* section_prefix(const char* text);

// The key of its nodes in this process; 0 without memory. `state` is the calling thread's.
std::uintptr_t key_of(Section& section, ThreadState& state, std::uintptr_t stack);

// In a child of fork, because its keys must be in its own memory.
void forget_section_keys();

// The first section with this name, including the prefix; nullptr if none is registered.
const Section* find_section(const char* name);

}  // namespace vftrace
