// Functions that compilers generate from coroutines: GCC's `.actor`, Clang's `.resume`, and those
// that destroy them. If the coroutine is recorded as a task, they do not have paths.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "record/process_record.hpp"
#include "symbol/code_file.hpp"

namespace vftrace {

class CoroutineClones {
  public:
    // Looks for functions in which tasks run, or that are called by a function that created a task,
    // and looks up their names.
    CoroutineClones(const ProcessRecord& process, CodeFiles& files);

    // Whether the node is a call of a clone.
    bool has(const Node& node) const;

  private:
    using Place = std::pair<std::uint16_t, std::uintptr_t>;  // module, offset
    Place place_of(const Node& node) const;
    void add_clones(std::span<const Place> places, const std::vector<Place>& wanted,
                    CodeFiles& files);

    const ModuleTable& modules_;
    std::vector<Place> clones_;  // sorted
};

}  // namespace vftrace
