// Calls and exclusive time of the hottest paths of a job on each of its ranks: which paths these
// are, and how the values of the ranks are collected (Profile::rank_values).
//
// A job's hottest paths are known when its profile is: rank 0 then chooses them and sends them down
// the tree of ranks. On a second pass up, each rank sends its values of these paths as a block of
// bytes. The blocks of the ranks below follow one another, so ranks in between only concatenate
// blocks. In jobs with too many ranks for single values they add up histograms instead.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collate/byte_stream.hpp"
#include "profile/profile.hpp"

namespace vftrace {

enum class RankValueForm : std::uint8_t { none, values, histograms };

// The form of values in a job of `ranks` ranks, with single values for at most `most_ranks`.
RankValueForm form_of_values(std::uint32_t ranks, std::uint32_t most_ranks);

// Indices of the paths that have at least a thousandth of the job's exclusive time, pauses left
// out, in ascending order: at most a thousand. Fewer if rank 0 would otherwise have more than
// `most_values` values; then those with less time are left out.
inline constexpr std::size_t most_paths_with_values = 1000;
inline constexpr std::size_t most_values = std::size_t{1} << 22;  // 16 bytes each
std::vector<std::uint32_t> paths_with_values(const Profile& job, RankValueForm form,
                                             std::uint32_t ranks);

// The values of one path on one rank.
struct RankValue {
    std::uint64_t calls = 0;
    std::int64_t exclusive_ns = 0;
};

// The values of one rank, one for each of `positions` chosen paths. position_of[i]: that of path i
// of its profile, or no_index.
std::vector<RankValue> values_of_rank(const Profile& own,
                                      std::span<const std::uint32_t> position_of,
                                      std::size_t positions);

// Numbers of ranks by the exclusive time that they have in a path: bin b is for times of b bits.
using TimeHistogram = std::array<std::uint32_t, size_bins>;

class RankValueSum {
  public:
    RankValueSum() = default;
    RankValueSum(RankValueForm form, std::size_t positions);

    void add(std::uint32_t rank, std::span<const RankValue> values);
    // Adds a message of encode(). Returns false if it is damaged.
    bool add(std::span<const char> message);
    // For the rank above; the sum is empty afterwards.
    std::vector<char> encode();
    // Sets job.rank_values of these paths, in a job of `ranks` ranks. Returns false, and leaves
    // them empty, unless `ranks_here` of them have been added, each once.
    bool finish(Profile& job, std::span<const std::uint32_t> paths, std::uint32_t ranks,
                std::uint32_t ranks_here);

  private:
    bool read_values(Profile& job, std::uint32_t ranks, std::uint32_t ranks_here) const;

    RankValueForm form_ = RankValueForm::none;
    std::size_t positions_ = 0;
    std::uint64_t ranks_ = 0;                // that are in the histograms
    ByteWriter blocks_;                      // form: values
    std::vector<TimeHistogram> histograms_;  // form: histograms; by position
};

// The profile of one rank, and which path of the job's profile each of its paths is.
struct ProfileOfRank {
    const Profile& profile;
    const std::vector<std::uint32_t>& path_of;
};

// Sets job.rank_values if all profiles are available at once. Leaves it empty if one of them is
// from several ranks.
void add_rank_values(Profile& job, const std::vector<ProfileOfRank>& ranks,
                     std::uint32_t most_ranks);

}  // namespace vftrace
