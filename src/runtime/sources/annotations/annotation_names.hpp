// The names with which programs annotate, and the rows of what is known about each
// (record/annotation_rows.hpp).
#pragma once

#include <cstdint>

#include "record/annotation_rows.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// Found by its text. Never removed, except in a child of fork.
struct AnnotationName {
    std::uint64_t hash;
    AnnotationName* next;
    AnnotationRow* row;
    std::uintptr_t key;  // of the nodes of its regions
    const char* detail;
    AnnotationInterface interface;
    AnnotationRole role;
    bool is_pattern;  // stands for all names that only differ from it in the numbers at its '*'
    char text[];      // as the program has it, but not longer than longest_annotation
};

// Whether `text`, "" for nullptr, is meant by the name.
bool is_meant(const AnnotationName& name, const char* text);

// The name of this text, made if it is new; nullptr without memory. Safe on any thread and in
// signal handlers: takes no lock. `stack`: where the thread is.
const AnnotationName* annotation_name(ThreadState& state, AnnotationInterface interface,
                                      AnnotationRole role, const char* text, const char* detail,
                                      std::uintptr_t stack);

// Adds to the figures of the row.
void note_value(AnnotationRow& row, double value);
void note_bytes(AnnotationRow& row, std::int64_t bytes);
inline void count(std::uint64_t& figure) { __atomic_fetch_add(&figure, 1, __ATOMIC_RELAXED); }

// In a child of fork: the names must be in its own memory.
void forget_annotation_names();

}  // namespace vftrace
