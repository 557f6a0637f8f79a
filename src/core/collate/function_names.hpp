// Finds the Function, with its names, for the key of a node (address, region, ...).
#pragma once

#include <cstdint>
#include <vector>

#include "base/index_table.hpp"
#include "collate/openmp_names.hpp"
#include "profile/profile.hpp"
#include "record/gpu_record.hpp"
#include "record/node.hpp"
#include "symbol/code_file.hpp"
#include "symbol/perf_map.hpp"

namespace vftrace {

// The functions that occur in a profile, each once, however often and wherever it was loaded.
class FunctionTable {
  public:
    // Appends to the modules and functions of `profile`. `files`: the modules of the process.
    // `perf_map`: names the functions that it has generated. For `source_lines` see OpenmpNames.
    FunctionTable(Profile& profile, CodeFiles& files, PerfMapFile perf_map, bool source_lines);

    // Announces a node that will be requested, if it is of a kind whose names are found together.
    void expect(const Node& node) {
        if (row_of(node.kind).key == KeyKind::construct)
            openmp_.expect(node);
        if (node.kind == NodeKind::function && node.module == no_module)
            generated_.expect(__atomic_load_n(&node.key, __ATOMIC_RELAXED));
    }

    // Index of the function that a node is a call of. Not for nodes without their own path.
    // Functions of the program are unnamed at first.
    std::uint32_t index_of(const Node& node);

    // Whether the function was generated while the program ran, and its name is known. A sample in
    // one does not show where the function begins, so its recursion is not seen before names are.
    bool is_generated(std::uint32_t function) const {
        const Function& known = functions_[function];
        return known.kind == NodeKind::function && known.module == no_index &&
               !known.symbol.empty();
    }

    // The same for what does not have a node: the root of a process that has recorded nothing,
    std::uint32_t index_of_root();
    // and a kernel that was not launched by name, but by a graph or an unknown call.
    std::uint32_t index_of_kernel(const char* symbol);

    // Index into the modules of the profile of a module of the process, the first one of its file.
    std::uint32_t module_index(std::uint16_t loaded);

    // Fills symbol, name and demangled of all functions. Reads each module's file once. Functions
    // whose file no longer exists get names as if they did not have symbols.
    void look_up_names();

  private:
    // What makes a node's function the same as another's.
    struct Identity {
        NodeKind kind;
        std::uint32_t module = no_index;
        std::uint64_t number = 0;                      // offset in the module, key, gpu_call_id()
        const OpenmpName* openmp = nullptr;            // if it is one: its name
        const char* gpu = nullptr;                     // if it is a call of CUDA: its symbol
        const GpuCallName* openacc = nullptr;          // if it is an event of OpenACC
        const GeneratedFunction* generated = nullptr;  // if it has been generated
    };
    Identity identity_of(const Node& node);
    const GeneratedFunction* generated_function(const Node& node);
    std::uint32_t index_of(const Identity& identity);
    bool is_same(std::uint32_t function, const Identity& identity) const;
    void add_function(const Identity& identity);

    std::vector<Module>& modules_;
    std::vector<Function>& functions_;
    CodeFiles& files_;
    const ModuleTable& loaded_;
    OpenmpNames openmp_;
    PerfMap generated_;
    IndexTable by_identity_;
    std::vector<std::uint64_t> numbers_;         // by function: Identity::number
    std::vector<std::uint32_t> module_indices_;  // by loaded module: index into modules_
    std::vector<std::uint16_t> loaded_as_;       // by index into modules_: the loaded module
};

// Fills file and line of all functions whose module's file can be read here, and, if the program
// was sampled, quickly enough. `files`: the modules of a process that has loaded them or has the
// same programs and libraries.
void look_up_source_lines(Profile& profile, CodeFiles& files);

}  // namespace vftrace
