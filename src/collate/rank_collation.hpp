// From the profiles of all ranks of a job to one, over a tree of ranks.
//
// Up the tree (rank_tree.hpp) each rank adds what its children send to its own profile and sends
// the sum to its parent. Down the tree each rank hears whether rank 0 has it all, and the numbers
// (STIDs) that the job gave to the rank's paths, if it or a rank below it wants them. One message a
// rank and direction, log2(ranks) rounds. A rank that fails still sends an empty message, so that
// nobody waits for it in vain.
//
//     RankCollation collation(communicator);
//     collation.gather(own, job, rank_log_wanted);
//     if (!collation.spread(own))
//         ...                              // write this rank's own profile
//     else if (communicator.rank() == 0)
//         ...                              // write `job`
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collate/communicator.hpp"
#include "collate/rank_tree.hpp"
#include "profile/profile.hpp"

namespace vftrace {

class ProfileMerger;

class RankCollation {
  public:
    explicit RankCollation(Communicator& communicator);

    // Up the tree; every rank calls it. On rank 0 `job` becomes the profile of all ranks, with
    // STIDs, without further display names than the ranks had. Elsewhere it is left alone.
    // need_stids: spread() shall tell the job's STIDs of this rank's paths.
    void gather(const Profile& own, Profile& job, bool need_stids);

    // Down the tree; every rank calls it after gather(), with the same profile. Returns true if
    // rank 0 has the profile of all ranks; own.paths then have the job's STIDs if they were asked
    // for. Returns false if messages failed or were damaged, or memory ran out, here or
    // elsewhere; `own` is as before then and every rank had better write what it has.
    bool spread(Profile& own);

  private:
    struct Child {
        int rank = 0;
        bool need_stids = false;             // it or a rank below it
        std::vector<std::uint32_t> path_of;  // by its path: the sum's path; empty if not needed
    };

    std::span<Child> children() { return std::span(all_children_).first(child_count_); }
    void merge_subtree(std::vector<char>& own_message, ProfileMerger& merger);
    bool merge_child(Child& child, const std::vector<char>& message, ProfileMerger& merger);
    void number_job(ProfileMerger& merger, const RunInfo& run, Profile& job);
    bool receive_outcome();
    bool send_outcome(const Child& child);

    Communicator& communicator_;
    // Needs no memory: a rank without any still has to talk to the others.
    std::array<Child, most_children> all_children_;
    std::size_t child_count_ = 0;
    bool complete_ = false;                   // so far
    bool own_need_ = false;                   // this rank wants STIDs
    bool need_stids_ = false;                 // it or a rank below it
    std::size_t sent_paths_ = 0;              // number of paths of the sum
    std::vector<std::uint32_t> own_path_of_;  // by own path: the sum's path
    std::vector<std::uint32_t> stids_;        // by path of the sum
};

}  // namespace vftrace
