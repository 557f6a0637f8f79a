// The samples of a profile with their source lines and inlined functions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "code/source_places.hpp"
#include "profile/profile.hpp"
#include "report/table.hpp"

namespace vftrace {

// How paths begin on the machine where a program was compiled or run, and how here: "OLD=NEW". The
// first that fits decides.
class SourceMap {
  public:
    SourceMap() = default;
    explicit SourceMap(const std::vector<std::string>& texts) {
        for (const std::string& text : texts)
            add(text);
    }
    // Returns false if the text does not have this form.
    bool add(const std::string& text);
    std::string path(const std::string& name) const;

  private:
    std::vector<std::pair<std::string, std::string>> prefixes_;
};

// Samples of one path at one instruction.
struct SampleOnLine {
    std::uint32_t path, module;
    std::uint64_t offset, samples;
    // Its share of the path's own time, so that all samples of a path have all of that, and the
    // variance of that estimate.
    double ns, variance;
    const std::vector<SourcePlace>* places;  // as SourcePlaces::at() returns them
};

class SampledLines {
  public:
    // `paths`: only samples of these; nullptr: of all.
    SampledLines(const Profile& profile, const SourceMap& map,
                 const std::set<std::uint32_t>* paths = nullptr);
    SampledLines(const SampledLines&) = delete;
    SampledLines& operator=(const SampledLines&) = delete;

    // Sorted by path, module and offset. Without those in pauses.
    const std::vector<SampleOnLine>& samples() const { return samples_; }

    // Why lines of modules are not known: sentences, those of modules with most time first.
    const std::vector<std::string>& problems() const { return problems_; }

    // Own time of paths that do not have samples, ns.
    double unsampled_ns() const { return unsampled_ns_; }
    // That of all paths.
    double total_ns() const { return total_ns_; }

  private:
    void divide_times(const Profile& profile);
    void look_up(const Profile& profile, const SourceMap& map);

    std::vector<SampleOnLine> samples_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<SourcePlace>> places_;
    std::vector<std::string> problems_;
    double unsampled_ns_ = 0, total_ns_ = 0;
};

// For messages about profiles in which Profile::addresses is empty.
inline constexpr const char* no_addresses =
    "this run does not have addresses of samples: they are taken by vftrace run, and next to "
    "hooks, unless the options stack_sampling.lines or stack_sampling.beside_hooks are off";

// Writes such sentences, and those of SampledLines::problems(), below a table.
void say_what_lines_are_missing(const std::vector<std::string>& problems, TableOutput& out);

// "heat.cpp:120"; the name of the file without its folder.
std::string short_place(const SourcePlace& place);

// The profile with inlined functions as paths below those that they are inlined in, which keep the
// rest of their own time. Their number of calls is not known. Existing paths and functions keep
// their indices and STIDs.
Profile with_inlined_functions(const Profile& profile, const SampledLines& lines);

}  // namespace vftrace
