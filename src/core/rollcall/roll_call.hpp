// A roll call: where each rank of a job is, grouped by place.
//
// It is small, whatever the size of the job: what ranks have in common is stored once. So it can be
// merged from parts, by processes that have each seen some of the ranks and send each other texts
// of bounded length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

// The activity of a rank at its place.
enum class Activity : std::uint8_t {
    waits,           // in a call of MPI, for other ranks
    computes,        // uses a processor
    sleeps,          // waits for something that is not MPI
    waits_for_disk,  // in an uninterruptible state of the kernel
    stopped,         // by a signal or a debugger
    not_recorded,    // recording is paused or switched off: the place is the last one known
    unknown
};
// Its name in JSON.
const char* name_of(Activity activity);

// Where one rank is.
struct RankPlace {
    std::uint32_t rank;
    std::string host;
    std::string path;  // "MPI_Allreduce < norm < solve", innermost first; "": no open frame
    Activity activity;
    double seconds;  // since the innermost call began
    bool at_least;   // whether `seconds` is a lower limit
};

struct RankRange {
    std::uint32_t first, last;
};

struct NamedRank {
    std::uint32_t rank;
    std::string host;
};

// Ranks with the same place and the same activity.
struct PlaceGroup {
    std::string path;
    Activity activity = Activity::unknown;
    std::uint32_t count = 0;        // of ranks
    std::vector<RankRange> ranges;  // ascending; the last ones may be missing if there are many
    std::vector<NamedRank> named;   // some of them, with their hosts; all if there are few
    double least = 0, most = 0;     // seconds for which they have been there
    bool at_least = false;
    static constexpr std::size_t most_named = 4, most_ranges = 512;
};

class RollCall {
  public:
    std::string application;
    std::uint32_t expected = 0;  // ranks of the job; 0: not known
    bool stuck = false;          // none of these ranks has made progress for the requested time
    // Why some ranks are missing, one line each: "n17 does not answer".
    std::vector<std::string> problems;

    void add(const RankPlace& place);
    void merge(const RollCall& other);
    // To be called when everything has been added.
    void sort();

    // The largest first.
    const std::vector<PlaceGroup>& groups() const { return groups_; }
    std::uint32_t count() const;  // of ranks in it
    // Expected ranks that are not in any group; empty if some ranges are missing.
    std::vector<RankRange> missing() const;

    // As a text for another process, at most `most_bytes` long. Groups that do not fit are only
    // counted; problems that do not fit are left out.
    std::string encode(std::size_t most_bytes) const;
    // Reads such a text; false if it is something else or damaged.
    static bool decode(std::string_view text, RollCall& call);

    // In words: a line for each group, "4095 ranks wait in MPI_Allreduce < norm < solve for 61 s",
    // at most `most_groups` of them, and what is missing. Lines end with a line feed.
    std::string words(std::size_t most_groups) const;

    // The last line of an encoded roll call begins with this.
    static constexpr std::string_view end_line = "end";

  private:
    PlaceGroup& group_of(const std::string& path, Activity activity);

    std::vector<PlaceGroup> groups_;
};

// "0-3,7".
std::string text_of(const std::vector<RankRange>& ranges);

// The innermost `levels` functions of a path, in the form of RankPlace::path. `names` are given
// from the inside out.
std::string place_text(const std::vector<std::string>& names, std::size_t levels);

// "61 s", "12 min", "3.4 h".
std::string duration_text(double seconds);

}  // namespace vftrace
