// Functions without rows of their own: excluded by hand, or taken out while the program ran.
//
// Whatever was measured of them before becomes part of their callers, on all threads and ranks, so
// that no figure depends on when they were taken out.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "collate/communicator.hpp"
#include "collate/function_names.hpp"
#include "profile/profile.hpp"
#include "tree/process_record.hpp"

namespace vftrace {

// A function in a file, the same on all ranks of a job.
struct CodePlace {
    std::string file;  // base name
    std::uint64_t offset = 0;
    auto operator<=>(const CodePlace&) const = default;
};

// The functions that a process has filtered.
std::vector<CodePlace> filtered_places(const ProcessRecord& process);

// The functions that any rank has filtered. Every rank calls it, with its own. Up and down the tree
// of ranks, like RankCollation: a message each. What cannot be received is left out.
std::vector<CodePlace> filtered_on_any_rank(Communicator& communicator, std::vector<CodePlace> own);

class FilteredFunctions {
  public:
    // Puts those of `process` into profile.filtered; `others` follow if they are met.
    FilteredFunctions(Profile& profile, FunctionTable& functions, const ProcessRecord& process,
                      const std::vector<CodePlace>& others, double ns_per_tick);

    bool any() const { return !known_.empty(); }

    // Index into profile.filtered, or no_index for a node that has a path of its own.
    std::uint32_t index_of(const Node& node);

  private:
    struct Known {
        std::uint16_t module;  // the first one of its file
        std::uint64_t offset;
        std::uint32_t index;  // no_index: not met yet
        bool operator<(const Known& other) const {
            return module != other.module ? module < other.module : offset < other.offset;
        }
    };

    Profile& profile_;
    FunctionTable& functions_;
    const ModuleTable& modules_;
    std::vector<Known> known_;  // sorted
};

}  // namespace vftrace
