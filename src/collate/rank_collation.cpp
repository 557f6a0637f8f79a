// From the profiles of all ranks of a job to one, over a tree of ranks.
#include "collate/rank_collation.hpp"

#include <numeric>
#include <utility>

#include "base/guarded.hpp"
#include "collate/byte_stream.hpp"
#include "collate/profile_merger.hpp"
#include "collate/stids.hpp"

namespace vftrace {
namespace {

// First byte of what a rank hears from its parent.
constexpr std::uint8_t outcome_failed = 0, outcome_complete = 1;

// Returns what work() does, or false if there was not enough memory for it.
template <class Work>
bool succeeds(Work work) {
    bool done = false;
    return run_guarded([&] { done = work(); }) && done;
}

}  // namespace

RankCollation::RankCollation(Communicator& communicator) : communicator_(communicator) {
    const ChildrenOfRank ranks(communicator.rank(), communicator.size());
    for (int rank : ranks)
        all_children_[child_count_++].rank = rank;
}

void RankCollation::gather(const Profile& own, Profile& job, bool need_stids) {
    own_need_ = need_stids_ = need_stids;
    const std::uint32_t rank = static_cast<std::uint32_t>(communicator_.rank());
    std::vector<char> message;
    complete_ = succeeds([&] {
        message = encode_profile(own, details_of(own), rank, need_stids);
        sent_paths_ = own.paths.size();
        own_path_of_.resize(sent_paths_);
        std::iota(own_path_of_.begin(), own_path_of_.end(), 0u);
        return true;
    });
    if (rank == 0) {
        ProfileMerger merger;
        merge_subtree(message, merger);
        if (complete_)
            complete_ = succeeds([&] {
                number_job(merger, own.run, job);
                return true;
            });
        return;
    }
    if (child_count_ > 0) {
        ProfileMerger merger;
        merge_subtree(message, merger);
        if (complete_)
            complete_ = succeeds([&] {
                message = merger.encode(need_stids_);
                return true;
            });
    }
    if (!complete_)
        message.clear();
    complete_ =
        communicator_.send(parent_of_rank(communicator_.rank()), message.data(), message.size()) &&
        complete_;
}

// Receives from all children even after a failure: their send() may wait for it.
void RankCollation::merge_subtree(std::vector<char>& own_message, ProfileMerger& merger) {
    complete_ = complete_ && succeeds([&] { return merger.add(own_message, own_path_of_).ok; });
    own_message = {};
    for (Child& child : children()) {
        bool merged = succeeds([&] {
            std::vector<char> message;
            return communicator_.receive(child.rank, message) && complete_ &&
                   merge_child(child, message, merger);
        });
        complete_ = complete_ && merged;
    }
    sent_paths_ = merger.path_count();
}

bool RankCollation::merge_child(Child& child, const std::vector<char>& message,
                                ProfileMerger& merger) {
    ProfileMerger::Added added = merger.add(message, child.path_of);
    child.need_stids = added.need_stids;
    need_stids_ = need_stids_ || child.need_stids;
    if (!child.need_stids)
        child.path_of = {};
    return added.ok;
}

void RankCollation::number_job(ProfileMerger& merger, const RunInfo& run, Profile& job) {
    job = merger.finish(run, static_cast<std::uint32_t>(communicator_.size()));
    set_stids(job);
    if (!need_stids_)
        return;
    stids_.reserve(job.paths.size());
    for (const Path& path : job.paths)
        stids_.push_back(path.stid);
}

bool RankCollation::spread(Profile& own) {
    if (communicator_.rank() != 0)
        complete_ = succeeds([&] { return receive_outcome(); });
    // The child with the most ranks below it first: it has to pass it on. Whether it arrives
    // matters to the child alone.
    for (std::size_t i = child_count_; i > 0; i--)
        if (!succeeds([&] { return send_outcome(all_children_[i - 1]); }))
            // Without memory for the answer, this one needs none; it waits for something.
            communicator_.send(all_children_[i - 1].rank, &outcome_failed, sizeof outcome_failed);
    if (complete_ && own_need_)
        for (std::size_t i = 0; i < own.paths.size(); i++)
            own.paths[i].stid = stids_[own_path_of_[i]];
    return complete_;
}

bool RankCollation::receive_outcome() {
    std::vector<char> message;
    if (!communicator_.receive(parent_of_rank(communicator_.rank()), message))
        return false;
    ByteReader in(message);
    bool complete = in.byte() == outcome_complete;
    if (complete && need_stids_) {
        stids_.resize(in.count(1));
        if (stids_.size() != sent_paths_)
            return false;
        for (std::uint32_t& stid : stids_)
            stid = in.number32();
    }
    return complete && in.complete();
}

bool RankCollation::send_outcome(const Child& child) {
    ByteWriter out;
    out.byte(complete_ ? outcome_complete : outcome_failed);
    if (complete_ && child.need_stids) {
        out.number(child.path_of.size());
        for (std::uint32_t path : child.path_of)
            out.number(stids_[path]);
    }
    std::vector<char> message = out.take();
    return communicator_.send(child.rank, message.data(), message.size());
}

}  // namespace vftrace
