// Regions that the program has annotated for other tools, in the tree of the calling thread.
//
// Each thread remembers which of them are open, because interfaces know what each of their ends
// means, and because the same place may be annotated for several tools.
#pragma once

#include <cstdint>

#include "annotations/annotation_names.hpp"

namespace vftrace {

void begin_annotation(const AnnotationName& name, std::uintptr_t stack);

// Ends the innermost open one of the interface and the role, with this text and this detail;
// nullptr: any. If none is open, the end is counted.
void end_annotation(AnnotationInterface interface, AnnotationRole role, const char* text,
                    const char* detail);

// Counts the end of something that had not begun.
void count_unmatched(AnnotationInterface interface, AnnotationRole role, const char* text);

// To be called when a thread begins: what an earlier one had open is not open any more.
void thread_has_no_annotations(ThreadState& state);

}  // namespace vftrace
