// The executable or shared library that an address belongs to, remembered after it is unloaded.
//
// Filled when a call path is created, from the dynamic loader's own lock-free index, so that names
// survive a later dlclose(). Safe on any thread and under any lock of the program.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "record/loaded_module.hpp"

namespace vftrace {

// Starts an empty table, to be kept in `table` and memory from `source`; remembers the path of the
// executable (its link map entry has no name). Without this call no module is ever found.
void start_module_map(ModuleTable* table, MemorySource source);

// The module at `address`, or no_module (code generated at run time, the kernel's vdso).
std::uint16_t module_at(std::uintptr_t address);

std::uint16_t module_count();
const LoadedModule& module(std::uint16_t index);

const ModuleTable& module_table();

inline std::uint16_t same_file_module(std::uint16_t index) {
    return same_file_module(module_table(), index);
}

// Marks one module that the loader no longer knows as unloaded, and returns its index; the module
// keeps its index and name. Returns no_module if none is left.
std::uint16_t forget_unloaded_module();

// The binary search table of .eh_frame_hdr, sorted by address (LSB 5.0 Core, section 10.6.2).
struct UnwindTable {
    struct Entry {
        std::int32_t function, description;  // relative to the header
    };
    std::uintptr_t header;
    const Entry* entries;
    std::uint32_t count;  // 0: there is no table in a known format
};
UnwindTable unwind_table(std::uintptr_t address);

// First address of the function whose unwind entry (.eh_frame_hdr) covers `address`; 0 if none
// does. A part that the compiler moved away (`f.cold`) counts as a separate function.
std::uintptr_t function_start(std::uintptr_t address);

// The same with the first address after the function; both 0 if `address` is in no such function,
// or if the entry is of an unknown kind.
struct FunctionRange {
    std::uintptr_t start, end;
};
FunctionRange function_range(std::uintptr_t address);
FunctionRange function_range(const UnwindTable& table, std::uint32_t entry);

// Calls visit(FunctionRange) for each function, and each part of one that was moved away, of the
// module at `address`, in the order of addresses, if the module has a table in a known format.
template <class Visit>
void visit_functions(std::uintptr_t address, Visit visit) {
    const UnwindTable table = unwind_table(address);
    for (std::uint32_t i = 0; i < table.count; i++)
        visit(function_range(table, i));
}

}  // namespace vftrace
