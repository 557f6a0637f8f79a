// The functions of the nodes of watched processes, with their names: each once for all processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "record/node.hpp"

namespace vftrace {

// What time is spent on.
enum class TimeIn : std::uint8_t { code, mpi, openmp_wait, gpu_wait };
inline constexpr std::size_t times_in = 4;

struct LiveFunction {
    NodeKind kind;
    TimeIn time_in;
    std::uint8_t level = 0;    // of a section
    std::uint32_t module = 0;  // of a function in a file: index from module_of()
    std::uint64_t offset = 0;  // in the module; without one, the address
    std::string name;          // as tables show it
    std::string full_name;     // with parameters, if it is a C++ function; else the same
    std::string live_message;  // of a section that has one
};

class LiveFunctions {
  public:
    static constexpr std::uint32_t no_module_known = 0xffff'ffff;

    // Index of a file that contains code, and that can be read at `code` (symbol/code_file.hpp).
    std::uint32_t module_of(const std::string& path, const std::string& code);

    // Index of a function at an offset in a file, or at an address (`module`: no_module_known).
    // Its name is empty until look_up_names().
    std::uint32_t code(std::uint32_t module, std::uint64_t offset);

    // Index of something with a name: a region, an MPI function, a construct of OpenMP, ...
    std::uint32_t named(NodeKind kind, std::string_view name, TimeIn time_in);
    // Index of a section; the level and message of the first call for a name are kept.
    std::uint32_t section(std::string_view name, std::uint8_t level, std::string_view live_message);

    // Finds the names of functions that do not have one yet, in the symbols of their files. Costs
    // nothing if there are no such functions.
    void look_up_names();

    const std::vector<LiveFunction>& all() const { return functions_; }
    const LiveFunction& operator[](std::size_t index) const { return functions_[index]; }

  private:
    std::vector<LiveFunction> functions_;
    struct CodeFile {
        std::string path, code;
        bool operator<(const CodeFile& other) const {
            return std::tie(path, code) < std::tie(other.path, other.code);
        }
    };
    std::vector<CodeFile> modules_;
    std::map<CodeFile, std::uint32_t> module_index_;
    std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> by_offset_;  // by module
    std::unordered_map<std::uint64_t, std::uint32_t> by_address_;
    std::unordered_map<std::string, std::uint32_t> by_name_;
    std::vector<std::uint32_t> unnamed_;
};

}  // namespace vftrace
