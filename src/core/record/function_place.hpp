// The file of a node's function and its position there. For a library these do not depend on the
// address at which it is loaded. Computed from plain data, so that it also works for the tree of a
// dead process.
#pragma once

#include <cstdint>

#include "record/loaded_module.hpp"
#include "record/node.hpp"

namespace vftrace {

struct FunctionPlace {
    std::uint16_t module;   // index of LoadedModule, the first one of this file, or no_module
    std::uintptr_t offset;  // run-time address - load bias; the address itself without a module
};

// `modules`: those of the process to which the node belongs.
FunctionPlace function_place(const Node& node, const ModuleTable& modules);

// The place of an address in the module with that index of the table.
FunctionPlace place_of_address(std::uintptr_t address, std::uint16_t module,
                               const ModuleTable& modules);

}  // namespace vftrace
