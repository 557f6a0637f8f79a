// The names of task types: "session (server.cpp:12)". The texts are names of regions
// (tree/region_names.hpp), whose addresses are keys of nodes.
#pragma once

#include <cstdint>

#include "tree/thread_state.hpp"

struct vftrace_task_handler;

namespace vftrace {

// Types beyond the first `most` count as one.
void prepare_task_types(std::uint32_t most);

// The key of tasks with this name, file and line (see vftrace_task_create()); 0 without memory.
// Costs a hash of the text.
std::uintptr_t task_type_key(ThreadState& state, const char* type, const char* file, int line,
                             std::uintptr_t stack);

// The key of internal work of a library, which is not a type.
inline constexpr std::uintptr_t internal_task_key = 1;

// The same for a coroutine (see vftrace_task_create_at()), or internal_task_key. Costs a look-up in
// a table: texts at the same address are the same until a library is unloaded.
std::uintptr_t coroutine_type_key(ThreadState& state, const char* function, const char* file,
                                  std::uint32_t line, const char* const* internal_files,
                                  std::uintptr_t stack);

// The same for a handler of asio (see vftrace_task_create_handler()).
std::uintptr_t handler_type_key(ThreadState& state, const vftrace_task_handler& handler,
                                std::uintptr_t stack);

// In a child of fork, because keys are those of the parent.
void forget_task_types();

}  // namespace vftrace
