// Merges the profiles of all ranks of a job into one, over a tree of ranks.
//
// Up the tree (rank_tree.hpp) each rank adds what its children send to its own profile and sends
// the sum to its parent. Down the tree each rank learns whether rank 0 has everything, which paths
// are hot and, if it or a rank below it wants them, the job's numbers (STIDs) of its paths. On a
// second pass up each rank sends its values of the hot paths. One message per rank and pass,
// log2(ranks) rounds. A rank that fails still sends an empty message, so that no rank waits for it
// in vain.
//
//     RankCollation collation(communicator, most_ranks_with_values);
//     collation.gather(own, job, rank_log_wanted);
//     if (!collation.spread(own))
//         ...                              // write this rank's own profile
//     collation.gather_values(own, job);
//     if (communicator.rank() == 0)
//         ...                              // write `job`, if it is there
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collate/byte_stream.hpp"
#include "collate/communicator.hpp"
#include "collate/rank_tree.hpp"
#include "collate/rank_values.hpp"
#include "profile/profile.hpp"

namespace vftrace {

class ProfileMerger;

class RankCollation {
  public:
    // most_ranks_with_values: on rank 0, the number of ranks up to which job.rank_values has single
    // values; without it, there are no such values.
    explicit RankCollation(Communicator& communicator,
                           std::optional<std::uint32_t> most_ranks_with_values = {});

    // Up the tree; every rank calls it. On rank 0 `job` becomes the profile of all ranks, with
    // STIDs, but without display names other than those that the ranks had. On other ranks it is
    // left alone. need_stids: spread() provides the job's STIDs of this rank's paths.
    void gather(const Profile& own, Profile& job, bool need_stids);

    // Down the tree; every rank calls it after gather(), with the same profile. Returns true if
    // rank 0 has the profile of all ranks; own.paths then have the job's STIDs if they were asked
    // for. Returns false if messages failed or were damaged, or memory ran out, here or
    // elsewhere; then `own` is unchanged, and every rank should write what it has.
    bool spread(Profile& own);

    // Up the tree again; every rank calls it after spread(), whatever that returned. It sets
    // job.rank_values on rank 0, unless messages fail or memory runs out somewhere.
    void gather_values(const Profile& own, Profile& job);

  private:
    struct Child {
        int rank = 0;
        bool need_stids = false;             // it or a rank below it
        bool is_informed = false;            // that all went well: it sends its values
        std::vector<std::uint32_t> path_of;  // by its path: the sum's path
    };
    // A path of a rank, and its position among the paths whose values are wanted.
    struct WantedPath {
        std::uint32_t path, position;
    };

    std::span<Child> children() { return std::span(all_children_).first(child_count_); }
    void merge_subtree(std::vector<char>& own_message, ProfileMerger& merger);
    bool merge_child(Child& child, const std::vector<char>& message, ProfileMerger& merger);
    void number_job(ProfileMerger& merger, const RunInfo& run, Profile& job);
    bool receive_outcome();
    bool send_outcome(const Child& child);
    void choose_paths(const Profile& job);
    void read_wanted_paths(ByteReader& in);
    void write_wanted_paths(ByteWriter& out, const Child& child) const;
    std::vector<std::uint32_t> position_of_path() const;

    Communicator& communicator_;
    // Needs no allocation: a rank that is out of memory still has to communicate with the others.
    std::array<Child, most_children> all_children_;
    std::size_t child_count_ = 0;
    bool complete_ = false;                   // so far
    bool own_need_ = false;                   // this rank wants STIDs
    bool need_stids_ = false;                 // it or a rank below it
    std::size_t sent_paths_ = 0;              // number of paths of the sum
    std::vector<std::uint32_t> own_path_of_;  // by own path: the sum's path
    std::vector<std::uint32_t> stids_;        // by path of the sum
    std::optional<std::uint32_t> most_ranks_with_values_;
    std::vector<char> received_;  // from the parent
    bool parent_waits_ = true;    // for values, as far as this rank knows
    RankValueForm form_ = RankValueForm::none;
    std::uint32_t positions_ = 0;     // number of paths with values
    std::vector<WantedPath> wanted_;  // those of them that the sum has, in ascending order
};

}  // namespace vftrace
