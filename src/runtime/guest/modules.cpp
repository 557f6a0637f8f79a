#include "guest/modules.hpp"

#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/own_errno.hpp"
#include "guest/seccomp.hpp"

namespace vftrace {
namespace {

// A fixed limit lets readers do without locks: entries are filled before the table->count grows,
// and never move. Beyond it, programs with more libraries get names without modules.
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

// Costs a system call only if the linker has not given the file a build ID.
FileId file_id(const dl_find_object& found, const char* path, bool is_executable) {
    FileId id = file_id_of_image(found.dlfo_map_start, found.dlfo_link_map->l_addr,
                                 reinterpret_cast<std::uintptr_t>(found.dlfo_map_end));
    struct stat status;
    const int error = own_errno();
    if (id.build_id_bytes == 0 && !seccomp_filter_was_noted() &&
        stat(is_executable ? "/proc/self/exe" : path, &status) == 0)
        set_file_status(id, status);
    own_errno() = error;
    return id;
}

std::uint16_t add_module(const dl_find_object& found) {
    if (!table->modules && memory)
        table->modules = static_cast<LoadedModule*>(memory(max_modules * sizeof(LoadedModule)));
    if (!table->modules || table->count == max_modules)
        return no_module;
    const link_map* map = found.dlfo_link_map;
    const bool is_executable = !map->l_name || !*map->l_name;
    const char* name = keep(is_executable ? executable_path : map->l_name);
    const FileId id = file_id(found, name, is_executable);
    auto start = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start);
    auto end = reinterpret_cast<std::uintptr_t>(found.dlfo_map_end);
    for (std::uint16_t i = 0; i < table->count; i++) {
        LoadedModule& other = table->modules[i];
        // The other library was where this one is now: its unloading went unnoticed.
        if (other.loaded && other.start < end && start < other.end)
            other.loaded = false;
        // Loaded again at its old place: the entry is reused.
        if (!other.loaded && other.start == start && other.end == end &&
            std::strcmp(other.path, name) == 0 && std::memcmp(&other.id, &id, sizeof id) == 0) {
            other.loaded = true;
            return i;
        }
    }
    table->modules[table->count] = {start, end, map->l_addr, name, true, id};
    __atomic_store_n(&table->count, static_cast<std::uint16_t>(table->count + 1), __ATOMIC_RELEASE);
    return static_cast<std::uint16_t>(table->count - 1);
}

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

}  // namespace vftrace
