// Functions without hooks: excluded by the user, or with hooks removed while the program ran.
//
// If there are samples, functions whose hooks were removed have paths like others, timed by the
// samples. Otherwise everything measured before is added to their callers, on all threads and
// ranks, so that no figure depends on the time of the removal.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "collate/communicator.hpp"
#include "collate/function_names.hpp"
#include "profile/profile.hpp"
#include "record/function_place.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// A function in a file, the same on all ranks of a job.
struct CodePlace {
    std::string file;  // base name
    std::uint64_t offset = 0;
    auto operator<=>(const CodePlace&) const = default;
};

// Whether functions whose hooks were removed are timed by samples.
bool removed_functions_are_sampled(const ProcessRecord& process);

// The functions of a process that have no paths.
std::vector<CodePlace> filtered_places(const ProcessRecord& process);

// Adds the functions that other ranks have filtered to those that this rank has filtered. Every
// rank calls it. Communicates up and down the tree of ranks, like RankCollation, with one message
// each way. What cannot be received, or does not fit into memory, is left out.
void share_filtered_places(Communicator& communicator, std::vector<CodePlace>& places);

class FilteredFunctions {
  public:
    // Puts those of `process` into profile.filtered; `others` follow when they are encountered.
    FilteredFunctions(Profile& profile, FunctionTable& functions, const ProcessRecord& process,
                      const std::vector<CodePlace>& others, double ns_per_tick);

    bool any() const { return !known_.empty(); }

    // Index into profile.filtered, or no_index for a node whose function has its hooks.
    std::uint32_t index_of(const Node& node);
    // Whether nodes of this function have paths.
    bool has_paths(std::uint32_t index) const {
        return profile_.filtered[index].reason == FilterReason::sampled;
    }

  private:
    struct Known {
        std::uint16_t module;  // the first one of its file
        std::uint64_t offset;
        std::uint32_t index;  // no_index: not encountered yet
        bool operator<(const Known& other) const {
            return module != other.module ? module < other.module : offset < other.offset;
        }
    };

    bool is_among(const std::vector<CodePlace>& places, const FunctionPlace& place) const;

    Profile& profile_;
    FunctionTable& functions_;
    const ModuleTable& modules_;
    std::vector<Known> known_;  // sorted
};

}  // namespace vftrace
