// The machine code of functions, from the file of a program or library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbol/elf_file.hpp"

namespace vftrace {

struct FunctionCode {
    std::string symbol;
    std::uint64_t start = 0;  // link-time address
    std::string bytes;        // the code
};

class CodeOfFile {
  public:
    // Nothing is thrown: of a file that cannot be read, no function is found.
    explicit CodeOfFile(const std::string& path);

    const std::string& error() const { return file_.error(); }
    std::string build_id() const { return file_.build_id(); }

    // The function that contains an address; its symbol is "" if there is none.
    FunctionCode at(std::uint64_t address) const;

    // All symbols of functions, each with its address, sorted by address.
    struct Function {
        std::string symbol;
        std::uint64_t start = 0, size = 0;
    };
    const std::vector<Function>& functions() const { return functions_; }

  private:
    FunctionCode code_of(const Function& function) const;

    ElfFile file_;
    std::vector<Function> functions_;
};

}  // namespace vftrace
