// Names of user regions, sections and types of tasks, each kept once: its address is the key of
// their nodes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"
#include "record/node_kinds.hpp"
#include "record/region_hints.hpp"

namespace vftrace {

// The key of a region's name: the address of our one copy of it, made in `arena` if the name is
// new. 0 without memory. Safe on any thread (each with its own arena) and in signal handlers: no
// lock. Costs a hash of the text and a look into a table.
std::uintptr_t region_key(const char* name, Arena& arena);

// Says what is done in regions of that name (the key of one).
void set_region_hint(std::uintptr_t key, RegionHint hint);
// What was said; `unknown` if nothing was.
RegionHint region_hint(std::uintptr_t key);

// The same for a section's name. Sections with the same name are one, whose level and live message
// (nullptr: none) are those of the first. The message is kept behind the name for readers of the
// tree file, up to `longest_live_message` bytes of it.
inline constexpr std::size_t longest_live_message = 255;
std::uintptr_t section_key(const char* name, std::uint8_t level, const char* live_message,
                           Arena& arena);

// The same of a type of asynchronous tasks. There are `most` of them; for a further one the key of
// further_task_types is returned, and `is_known` is false.
inline constexpr const char* further_task_types = "(further types of tasks)";
std::uintptr_t task_name_key(const char* name, std::uint32_t most, Arena& arena, bool& is_known);

// In a child of fork: the key that stands for what its parent knew by `key`.
std::uintptr_t key_in_child(NodeKind kind, std::uintptr_t key, Arena& arena);

// In a child of fork: names are to lie in its own memory.
void forget_region_names();

}  // namespace vftrace
