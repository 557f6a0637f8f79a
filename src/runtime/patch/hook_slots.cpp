#include "patch/hook_slots.hpp"

#include <cstddef>
#include <cstring>
#include <dlfcn.h>

#include "symbol/linkage_slots.hpp"

namespace vftrace {
namespace {

struct HookSlot {
    std::uintptr_t slot, hook;
};
// Modules with hooks are few, and have a slot or two for each hook.
constexpr std::size_t most_slots = 256;
HookSlot slots[most_slots];
std::size_t slot_count;

// The hook of that name, if the program's calls by this name lead to ours.
std::uintptr_t hook_named(const char* name, const KnownHooks& hooks) {
    if (name[0] != '_' && name[0] != 'v')  // most names
        return 0;
    for (const KnownHook& hook : hooks)
        if (std::strcmp(name, hook.name) == 0 &&
            reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, name)) == hook.address())
            return hook.address();
    return 0;
}

}  // namespace

void note_hook_slots(std::uintptr_t module_address, const KnownHooks& hooks) {
    dl_find_object found;
    if (_dl_find_object(reinterpret_cast<void*>(module_address), &found) != 0 ||
        !found.dlfo_link_map)
        return;
    const link_map& map = *found.dlfo_link_map;
    LinkageTables(map.l_addr, map.l_ld).visit([&](const char* name, std::uintptr_t slot) {
        const std::uintptr_t hook = hook_named(name, hooks);
        if (hook && slot_count < most_slots)
            slots[slot_count++] = {slot, hook};
    });
}

std::uintptr_t hook_of_slot(std::uintptr_t slot) {
    for (std::size_t i = 0; i < slot_count; i++)
        if (slots[i].slot == slot)
            return slots[i].hook;
    return 0;
}

void forget_hook_slots(std::uintptr_t start, std::uintptr_t end) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < slot_count; i++)
        if (slots[i].slot - start >= end - start)
            slots[kept++] = slots[i];
    slot_count = kept;
}

}  // namespace vftrace
