// The file of a node's function and its position there. For a library these do not depend on the
// address at which it is loaded. Computed from plain data, so that it also works for the tree of a
// dead process.
#pragma once

#include <cstdint>

#include "record/loaded_module.hpp"
#include "record/node.hpp"

namespace vftrace {

// Samples in code without unwind tables count for its page; in generated code, whose functions a
// list will name, for a block that is not larger than most functions. The middle of the block
// represents it, an address that no page has.
constexpr std::uintptr_t page_of_code(std::uintptr_t address) {
    constexpr std::uintptr_t page = 4096;
    return address & ~(page - 1);
}
inline constexpr std::uintptr_t generated_block_bytes = 64;
constexpr std::uintptr_t generated_block(std::uintptr_t address) {
    return (address & ~(generated_block_bytes - 1)) + generated_block_bytes / 2;
}

struct FunctionPlace {
    std::uint16_t module;   // index of LoadedModule, the first one of this file, or no_module
    std::uintptr_t offset;  // run-time address - load bias; the address itself without a module
};

// `modules`: those of the process to which the node belongs. A block of generated code is shown as
// its page.
FunctionPlace function_place(const Node& node, const ModuleTable& modules);

// The place of an address in the module with that index of the table.
FunctionPlace place_of_address(std::uintptr_t address, std::uint16_t module,
                               const ModuleTable& modules);

}  // namespace vftrace
