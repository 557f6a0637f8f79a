// What a program has annotated for other tools: as stored in memory with a process's record, and in
// the tree file.
//
//   ProcessRecord::annotations -> AnnotationRow -> AnnotationRow ...       the newest first
//
// The times of regions are those of their nodes.
#pragma once

#include <cstdint>

#include "record/annotation_words.hpp"

namespace vftrace {

// Complete, apart from its figures, before it is listed. Any thread adds to the figures, by relaxed
// atomics.
struct AnnotationRow {
    AnnotationRow* next;
    const char* name;    // for a region the key of its nodes
    const char* detail;  // where it happens, such as an execution space; the value of metadata; ""
    AnnotationInterface interface;
    AnnotationRole role;
    std::uint64_t events;  // of what is not a region: how often it happened
    // Regions that were begun directly inside one with the same name, of another interface: they
    // are one.
    std::uint64_t merged;
    // Ends without a beginning, and ends inside which another one was still open.
    std::uint64_t unmatched, crossed;
    std::uint64_t bytes;       // of deep copies and allocations
    std::uint64_t live, peak;  // of allocations: bytes now, and at most
    // Values of a counter, or the numbers in names that were combined to this one. The doubles are
    // stored as their bits.
    std::uint64_t values;
    std::uint64_t sum, smallest, largest;
};

// Names of one process. Further ones of an interface and a role are combined to one.
inline constexpr std::uint32_t most_annotations = 8192;
// Of names that differ only in numbers; further ones become one, with '*' in place of the numbers.
inline constexpr std::uint32_t most_alike_annotations = 16;
// Bytes of a name; the rest is cut off.
inline constexpr std::uint32_t longest_annotation = 1000;

}  // namespace vftrace
