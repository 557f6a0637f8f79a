// Activations of OpenMP constructs in the calling thread's tree.
#pragma once

#include <cstdint>

#include "record/openmp_constructs.hpp"
#include "tree/activation.hpp"
#include "tree/grafts.hpp"

namespace vftrace {

// Set before the first event.
struct OpenmpSettings {
    bool active = false;  // openmp.active, and profiling is not switched off
};
extern OpenmpSettings openmp_settings;

// Closes the innermost open activation of a construct, wherever in the code it was begun, and what
// is open above it. Does nothing if there is none in the task that the thread works on.
void leave_construct(ThreadState& state, OpenmpConstruct construct, std::uintptr_t stack);

// Records an activation that began at `start` (ticks), has ended, and in which nothing was called.
// Returns its node, nullptr if it is not recorded.
Node* book_activation(std::uintptr_t key, std::uint64_t start, std::uintptr_t stack);

// Leaves a worksharing construct that is open on top although it has ended: code from GCC does not
// report the end of a `single`, nor that of a cancelled loop.
void leave_unended_worksharing(ThreadState& state, std::uintptr_t stack);
// The same for an operation for a device, when the next one or a construct begins.
void leave_unended_operation(ThreadState& state, std::uintptr_t stack);

// The innermost open construct for a device in the task that the thread works on; nullptr if there
// is none.
const Node* open_target(const ThreadState& state);

// The node for a task that is created now: below the current path, or, if such a task is already in
// that path, its node again, so that recursive tasks do not create endless paths. nullptr if it
// cannot be recorded.
Node* place_of_task(ThreadState& state, const void* code, std::uintptr_t stack);

inline Node* enter_construct(std::uintptr_t key, std::uintptr_t stack) {
    return enter_activation(key, NodeKind::openmp, stack);
}

inline std::uintptr_t code_address(const void* code) {
    return reinterpret_cast<std::uintptr_t>(code);
}

}  // namespace vftrace
