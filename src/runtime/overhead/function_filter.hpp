// Functions that the user does not want to record: filter.include and filter.exclude.
//
// Names are compared before functions are called, because a function may be called anywhere: in
// signal handlers, in the program's allocator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbol/function_set.hpp"

namespace vftrace {

class FunctionFilter {
  public:
    // POSIX extended regular expressions, not anchored; std::nullopt: does not restrict. A function
    // matches one if its symbol, its name without trailing underscores, its whole C++ name, its
    // source file or the path of its executable or library does. Source files are compared only if
    // names_source_files(pattern).
    FunctionFilter(const std::optional<std::string>& include,
                   const std::optional<std::string>& exclude);

    // Compares the functions of all files that are loaded now and were not before: to be called at
    // the start, and after dlopen if memory may be allocated. One thread at a time.
    void add_loaded_files();

    // Whether the function that begins at this address is not to be recorded: `exclude` matches,
    // or `include` is given and does not. Functions in a file that was not loaded at the last
    // add_loaded_files(), or in none, are recorded. May be called by any thread at any time; takes
    // about 50 ns.
    bool excludes(std::uintptr_t function_address) const;

    // The first address of each file whose functions have been compared.
    std::vector<std::uintptr_t> file_addresses() const {
        return (excluded_ ? *excluded_ : *included_).file_addresses();
    }

    // The functions that the patterns match; nullptr if there is no pattern.
    FunctionSet* included() { return included_ ? &*included_ : nullptr; }
    FunctionSet* excluded() { return excluded_ ? &*excluded_ : nullptr; }

  private:
    std::optional<FunctionSet> included_, excluded_;
};

}  // namespace vftrace
