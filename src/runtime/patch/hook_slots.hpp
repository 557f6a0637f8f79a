// Slots of linkage tables that will lead to our hooks but have not been bound by the dynamic linker
// yet: before the program runs, these are all that are bound at the first call.
#pragma once

#include <cstdint>

#include "patch/site_table.hpp"

namespace vftrace {

// Records the slots of the module at `address` that are for our hooks, if calls by the hooks' names
// lead to ours. To be called at the start, by the thread that holds the turn.
void note_hook_slots(std::uintptr_t address, const KnownHooks& hooks);

// What a slot will lead to; 0: not known.
std::uintptr_t hook_of_slot(std::uintptr_t slot);

// To be called when the module at these addresses has been unloaded.
void forget_hook_slots(std::uintptr_t start, std::uintptr_t end);

}  // namespace vftrace
