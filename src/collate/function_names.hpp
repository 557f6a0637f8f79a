// From what a node was called by (address, region) to a Function with its names.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.hpp"
#include "tree/node.hpp"

namespace vftrace {

// The functions that occur in a profile, each once however often and wherever it was loaded.
class FunctionTable {
  public:
    FunctionTable(std::vector<Module>& modules, std::vector<Function>& functions);
    ~FunctionTable();
    FunctionTable(const FunctionTable&) = delete;
    FunctionTable& operator=(const FunctionTable&) = delete;

    // Index into `functions` for a node's key, kind and module; new ones are appended unnamed.
    std::uint32_t index_of(const Node& node);

    // Fills symbol, name and demangled of all. Reads each module's file once.
    void look_up_names();

  private:
    struct Impl;
    Impl* impl_;
};

// Fills file and line of all functions whose module's file can be read here.
void look_up_source_lines(Profile& profile);

}  // namespace vftrace
