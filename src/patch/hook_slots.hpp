// Slots of linkage tables that will lead to our hooks but have not been bound by the dynamic linker
// yet: before the program runs, all that are bound at the first call.
#pragma once

#include <cstdint>

#include "patch/site_table.hpp"

namespace vftrace {

// Notes the slots of the module at `address`, where calls by the names of our hooks
// lead to these. To be called at start; by the thread whose turn it is.
void note_hook_slots(std::uintptr_t address, const KnownHooks& hooks);

// What a slot will lead to; 0: not known.
std::uintptr_t hook_of_slot(std::uintptr_t slot);

// The module at these addresses has been unloaded.
void forget_hook_slots(std::uintptr_t start, std::uintptr_t end);

}  // namespace vftrace
