// What a thread remembers about annotations (ThreadState::annotations).
#pragma once

#include <cstdint>

#include "annotations/annotation_names.hpp"

namespace vftrace {

// An open region, the innermost last.
struct OpenAnnotation {
    const AnnotationName* name;
    Node* node;  // nullptr: it is not in the tree, or part of the region around it
    bool is_merged;
};

struct ThreadAnnotations {
    static constexpr std::uint32_t most = 1024;
    std::uint32_t count;
    std::uint32_t too_deep;  // further ones, which are not remembered
    OpenAnnotation open[most];

    // Names that were looked up, by the address of the text.
    static constexpr std::size_t recent_names = 16;
    const AnnotationName* recent[recent_names];
    const AnnotationName*& recent_at(const char* text) {
        const auto address = reinterpret_cast<std::uintptr_t>(text);
        return recent[(address >> 3 ^ address >> 7) % recent_names];
    }
};

}  // namespace vftrace
