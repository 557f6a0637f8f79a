// The names of OpenMP constructs: "omp parallel @heat.c:42".
//
// Call paths are compared and numbered by these names, so they are made only of data that are the
// same in all processes of a program, wherever it is installed and loaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/index_table.hpp"
#include "record/loaded_module.hpp"
#include "record/node.hpp"
#include "symbol/code_file.hpp"

namespace vftrace {

struct OpenmpName {
    std::string name;
    std::string file;  // as in the debug information; empty if unknown
    std::uint32_t line = 0;
};

class OpenmpNames {
  public:
    // source_lines: look for lines in the debug information; otherwise, and if there is none, a
    // place is called "@function+0x1f", or without symbols "@module+0x12f".
    OpenmpNames(CodeFiles& files, bool source_lines)
        : files_(files), modules_(files.modules()), source_lines_(source_lines) {}

    // Announces a node of kind openmp whose name will be requested. Call it for all of them first:
    // then each file is read only once.
    void expect(const Node& node);

    const OpenmpName& name_of(const Node& node);

  private:
    struct Place {
        std::uintptr_t key;
        std::uint16_t module;  // index of LoadedModule, no_module if unknown
        OpenmpName name;
    };
    std::uint32_t index_of(const Node& node);
    void look_up();
    void look_up_in(std::uint16_t module, const std::vector<std::uint32_t>& places);

    CodeFiles& files_;
    const ModuleTable& modules_;
    bool source_lines_;
    IndexTable by_key_;
    std::vector<Place> places_;
    std::size_t named_ = 0;  // the first ones have names: this many
};

}  // namespace vftrace
