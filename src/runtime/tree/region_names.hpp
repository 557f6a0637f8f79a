// Names of user regions, sections and types of tasks. Each name is kept once: its address is the
// key of the nodes with this name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"
#include "record/node_kinds.hpp"
#include "record/region_hints.hpp"

namespace vftrace {

// The key of a region's name: the address of our only copy of it, made in `arena` if the name is
// new. 0 without memory. Safe on any thread (each with its own arena) and in signal handlers: takes
// no lock. Costs hashing the text and one table lookup.
std::uintptr_t region_key(const char* name, Arena& arena);

// Records which kind of work is done in the regions of a name, given by its key.
void set_region_hint(std::uintptr_t key, RegionHint hint);
// The hint; `unknown` if there is none.
RegionHint region_hint(std::uintptr_t key);

// The same as region_key() for a section's name. Sections with the same name are one section; its
// level and live message (nullptr: none) are those of the first. The message, up to
// `longest_live_message` bytes of it, is kept after the name for readers of the tree file.
inline constexpr std::size_t longest_live_message = 255;
std::uintptr_t section_key(const char* name, std::uint8_t level, const char* live_message,
                           Arena& arena);

// The same for a type of asynchronous tasks. At most `most` types are distinguished; for any
// further one the key of further_task_types is returned, and `is_known` is false.
inline constexpr const char* further_task_types = "(further types of tasks)";
std::uintptr_t task_name_key(const char* name, std::uint32_t most, Arena& arena, bool& is_known);

// In a child of fork: the child's key for what its parent knew by `key`.
std::uintptr_t key_in_child(NodeKind kind, std::uintptr_t key, Arena& arena);

// In a child of fork: the names must be in its own memory.
void forget_region_names();

}  // namespace vftrace
