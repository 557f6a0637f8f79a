// Which executable or shared library an address belongs to, remembered beyond its unloading.
#include "symbol/modules.hpp"

#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "base/bounded_lock.hpp"

namespace vftrace {
namespace {

// A fixed ceiling keeps readers free of locks: entries are filled before the table->count grows,
// and never move. Programs with more libraries get names without module beyond it.
constexpr std::uint16_t max_modules = 1024;
ModuleTable no_modules;
ModuleTable* table = &no_modules;
std::uint16_t last_hit;
Arena arena;
MemorySource memory;
BoundedLock lock;
const char* executable_path = "";

const char* keep(const char* text) {
    std::size_t size = std::strlen(text) + 1;
    void* copy = arena.allocate(size);
    return copy ? static_cast<const char*>(std::memcpy(copy, text, size)) : "";
}

std::uint16_t find_loaded(std::uintptr_t address) {
    std::uint16_t known = __atomic_load_n(&table->count, __ATOMIC_ACQUIRE);
    for (std::uint16_t i = 0; i < known; i++) {
        const LoadedModule& candidate = table->modules[i];
        if (candidate.loaded && address - candidate.start < candidate.end - candidate.start)
            return i;
    }
    return no_module;
}

std::uint16_t add_module(const dl_find_object& found) {
    if (!table->modules && memory)
        table->modules = static_cast<LoadedModule*>(memory(max_modules * sizeof(LoadedModule)));
    if (!table->modules || table->count == max_modules)
        return no_module;
    const link_map* map = found.dlfo_link_map;
    const char* name = keep(map->l_name && *map->l_name ? map->l_name : executable_path);
    auto start = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start);
    auto end = reinterpret_cast<std::uintptr_t>(found.dlfo_map_end);
    for (std::uint16_t i = 0; i < table->count; i++) {
        LoadedModule& other = table->modules[i];
        // Another library lies where this one is now: its unloading went unnoticed.
        if (other.loaded && other.start < end && start < other.end)
            other.loaded = false;
        // Loaded again at its old place: the same entry serves.
        if (!other.loaded && other.start == start && other.end == end &&
            std::strcmp(other.path, name) == 0) {
            other.loaded = true;
            return i;
        }
    }
    table->modules[table->count] = {start, end, map->l_addr, name, true};
    __atomic_store_n(&table->count, static_cast<std::uint16_t>(table->count + 1), __ATOMIC_RELEASE);
    return static_cast<std::uint16_t>(table->count - 1);
}

struct UnwindTableEntry {
    std::int32_t function, description;  // relative to the start of .eh_frame_hdr
};

}  // namespace

void start_module_map(ModuleTable* new_table, MemorySource source) {
    memory = source;
    arena = Arena(source);
    lock = {};
    table = new_table;
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0)
        executable_path = path;
}

std::uint16_t module_at(std::uintptr_t address) {
    std::uint16_t hit = __atomic_load_n(&last_hit, __ATOMIC_RELAXED);
    if (hit < __atomic_load_n(&table->count, __ATOMIC_ACQUIRE)) {
        const LoadedModule& likely = table->modules[hit];
        if (likely.loaded && address - likely.start < likely.end - likely.start)
            return hit;
    }
    std::uint16_t index = find_loaded(address);
    if (index == no_module) {
        dl_find_object found;
        if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0)
            return no_module;
        if (!lock.lock())
            return no_module;
        index = find_loaded(address);
        if (index == no_module)
            index = add_module(found);
        lock.unlock();
    }
    if (index != no_module)
        __atomic_store_n(&last_hit, index, __ATOMIC_RELAXED);
    return index;
}

std::uint16_t module_count() { return __atomic_load_n(&table->count, __ATOMIC_ACQUIRE); }

const LoadedModule& module(std::uint16_t index) { return table->modules[index]; }

const ModuleTable& module_table() { return *table; }

std::uint16_t forget_unloaded_module() {
    std::uint16_t gone = no_module;
    if (!lock.lock())
        return gone;
    for (std::uint16_t i = 0; i < table->count && gone == no_module; i++) {
        dl_find_object found;
        LoadedModule& known = table->modules[i];
        if (known.loaded && (_dl_find_object(reinterpret_cast<void*>(known.start), &found) != 0 ||
                             found.dlfo_map_start != reinterpret_cast<void*>(known.start) ||
                             found.dlfo_link_map->l_addr != known.bias)) {
            known.loaded = false;
            gone = i;
        }
    }
    lock.unlock();
    return gone;
}

std::uintptr_t function_start(std::uintptr_t address) {
    // The header's binary search table, as the Linux Standard Base describes it (LSB 5.0 Core,
    // section 10.6.2): version 1, pointers encoded pcrel|sdata4, table->count udata4, table
    // datarel|sdata4. Every linker writes these encodings; others are not understood here.
    dl_find_object found;
    if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0 || !found.dlfo_eh_frame)
        return 0;
    const auto* header = static_cast<const unsigned char*>(found.dlfo_eh_frame);
    if (header[0] != 1 || header[1] != 0x1b || header[2] != 0x03 || header[3] != 0x3b)
        return 0;
    std::uint32_t entries;
    std::memcpy(&entries, header + 8, sizeof entries);
    const auto* table = reinterpret_cast<const UnwindTableEntry*>(header + 12);
    auto relative = static_cast<std::int64_t>(address - reinterpret_cast<std::uintptr_t>(header));
    std::uint32_t low = 0, high = entries;
    while (low < high) {
        std::uint32_t middle = low + (high - low) / 2;
        if (table[middle].function <= relative)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    return reinterpret_cast<std::uintptr_t>(header) +
           static_cast<std::intptr_t>(table[low - 1].function);
}

}  // namespace vftrace
