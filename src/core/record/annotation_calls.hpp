// What libvftrace_annotations tells libvftrace: functions that the latter hands out through
// vftrace_annotation_calls(), and that the functions of other tools' interfaces call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/annotation_words.hpp"

namespace vftrace {

// A name of an interface, in a role, as libvftrace knows it.
struct AnnotationName;

struct AnnotationCalls {
    std::uint32_t bytes;  // sizeof(AnnotationCalls)
    // Whether the interface is to be recorded.
    bool (*takes)(AnnotationInterface interface);
    // Changes in a child of fork, where names have to be looked up again.
    const std::uint32_t* generation;
    // Returns nullptr if nothing is recorded now, or without memory. `text` may contain any bytes;
    // nullptr and "" are the same name. `detail`: see AnnotationRow.
    const AnnotationName* (*name_of)(AnnotationInterface interface, AnnotationRole role,
                                     const char* text, const char* detail);
    // A region begins and ends on this thread. `stack`: frame_address() of the function that the
    // program has called. In end(), a text or detail that is nullptr may be any: the innermost
    // region of the interface in this role is meant.
    void (*begin)(const AnnotationName* name, std::uintptr_t stack);
    void (*end)(AnnotationInterface interface, AnnotationRole role, const char* text,
                const char* detail);
    // Something that begins and ends anywhere: returns a number for end_task(), 0 if it is not
    // recorded.
    std::uint64_t (*begin_task)(const AnnotationName* name);
    void (*end_task)(std::uint64_t id);
    // Counts an event with this number of bytes; negative: memory was freed.
    void (*happened)(const AnnotationName* name, std::int64_t bytes);
    void (*value)(const AnnotationName* name, double value);
    void (*metadata)(AnnotationInterface interface, const char* key, const char* value);
    // Ends whose beginning is not known.
    void (*unmatched)(AnnotationInterface interface, AnnotationRole role, const char* text);
    void (*pause)(std::uintptr_t stack);
    void (*resume)(std::uintptr_t callsite, std::uintptr_t stack);
    // The calls of a region on this thread so far, and the time in it, in seconds. Returns whether
    // there were any.
    bool (*figures)(AnnotationInterface interface, const char* text, std::uint64_t& calls,
                    double& seconds);
};

// A function of libvftrace_annotations that stands for one of another tool's library. If that is
// linked statically into the program, libvftrace makes it call ours, and sets `real`.
struct AnnotationFunction {
    const char* name;
    void* ours;
    void** real;
};

using GetAnnotationCalls = const AnnotationCalls*();
using GetAnnotationFunctions = const AnnotationFunction*(std::size_t* count);

}  // namespace vftrace
