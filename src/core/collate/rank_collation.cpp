#include "collate/rank_collation.hpp"

#include <numeric>
#include <utility>

#include "base/guarded.hpp"
#include "collate/byte_stream.hpp"
#include "collate/profile_merger.hpp"
#include "collate/stids.hpp"

namespace vftrace {
namespace {

// First byte of what a rank receives from its parent.
constexpr std::uint8_t outcome_failed = 0, outcome_complete = 1;

// Returns the result of work(), or false if there was not enough memory for it.
template <class Work>
bool succeeds(Work work) {
    bool done = false;
    return run_guarded([&] { done = work(); }) && done;
}

}  // namespace

RankCollation::RankCollation(Communicator& communicator,
                             std::optional<std::uint32_t> most_ranks_with_values)
    : communicator_(communicator), most_ranks_with_values_(most_ranks_with_values) {
    const ChildrenOfRank ranks(communicator.rank(), communicator.size());
    for (int rank : ranks)
        all_children_[child_count_++].rank = rank;
}

void RankCollation::gather(const Profile& own, Profile& job, bool need_stids) {
    own_need_ = need_stids_ = need_stids;
    const std::uint32_t rank = static_cast<std::uint32_t>(communicator_.rank());
    std::vector<char> message;
    complete_ = succeeds([&] {
        received_.reserve(sizeof outcome_failed);
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
    return added.ok;
}

void RankCollation::number_job(ProfileMerger& merger, const RunInfo& run, Profile& job) {
    job = merger.finish(run, static_cast<std::uint32_t>(communicator_.size()));
    set_stids(job);
    choose_paths(job);
    if (!need_stids_)
        return;
    stids_.reserve(job.paths.size());
    for (const Path& path : job.paths)
        stids_.push_back(path.stid);
}

bool RankCollation::spread(Profile& own) {
    if (communicator_.rank() != 0)
        complete_ = succeeds([&] { return receive_outcome(); });
    // The child with the most ranks below it comes first, because it has to pass the outcome on.
    // Whether the outcome arrives matters to the child alone.
    for (std::size_t i = child_count_; i > 0; i--) {
        Child& child = all_children_[i - 1];
        const bool sent = succeeds([&] { return send_outcome(child); });
        child.is_informed = sent && complete_;
        if (!sent)
            // If there is no memory for the answer, this one does not need any; the child waits.
            communicator_.send(child.rank, &outcome_failed, sizeof outcome_failed);
    }
    if (complete_ && own_need_)
        for (std::size_t i = 0; i < own.paths.size(); i++)
            own.paths[i].stid = stids_[own_path_of_[i]];
    return complete_;
}

// The outcome "failed" can be received without allocating memory. So a rank that receives nothing
// knows that its parent waits for values, unless this rank has failed itself: then it is the
// reason.
bool RankCollation::receive_outcome() {
    parent_waits_ = complete_;
    if (!communicator_.receive(parent_of_rank(communicator_.rank()), received_))
        return false;
    ByteReader in(received_);
    const std::uint8_t outcome = in.byte();
    const bool complete = outcome == outcome_complete;
    if (!in.failed() && outcome == outcome_failed)
        parent_waits_ = false;
    if (complete && need_stids_) {
        stids_.resize(in.count(1));
        if (stids_.size() != sent_paths_)
            return false;
        for (std::uint32_t& stid : stids_)
            stid = in.number32();
    }
    if (complete)
        read_wanted_paths(in);
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
    if (complete_)
        write_wanted_paths(out, child);
    std::vector<char> message = out.take();
    return communicator_.send(child.rank, message.data(), message.size());
}

void RankCollation::choose_paths(const Profile& job) {
    if (!most_ranks_with_values_)
        return;
    const auto ranks = static_cast<std::uint32_t>(communicator_.size());
    form_ = form_of_values(ranks, *most_ranks_with_values_);
    for (const std::uint32_t path : paths_with_values(job, form_, ranks))
        wanted_.push_back({path, positions_++});
}

void RankCollation::read_wanted_paths(ByteReader& in) {
    form_ = static_cast<RankValueForm>(in.index(3));
    if (form_ == RankValueForm::none)
        return;
    positions_ = static_cast<std::uint32_t>(in.number_up_to(most_paths_with_values));
    constexpr std::size_t least_wanted = 2;
    wanted_.resize(in.count(least_wanted));
    std::uint64_t path = 0;
    for (WantedPath& wanted : wanted_) {
        path += in.number();
        wanted = {static_cast<std::uint32_t>(path), in.index(positions_)};
        if (path >= sent_paths_)
            return in.fail();
    }
}

// Several paths of the child may have become one.
void RankCollation::write_wanted_paths(ByteWriter& out, const Child& child) const {
    out.byte(static_cast<std::uint8_t>(form_));
    if (form_ == RankValueForm::none)
        return;
    const std::vector<std::uint32_t> position_of = position_of_path();
    std::size_t count = 0;
    for (const std::uint32_t path : child.path_of)
        count += position_of[path] != no_index;
    out.number(positions_);
    out.number(count);
    std::uint32_t before = 0;
    for (std::uint32_t path = 0; path < child.path_of.size(); path++) {
        const std::uint32_t position = position_of[child.path_of[path]];
        if (position == no_index)
            continue;
        out.number(path - before);
        out.number(position);
        before = path;
    }
}

// By path of the sum; no_index: it does not have values.
std::vector<std::uint32_t> RankCollation::position_of_path() const {
    std::vector<std::uint32_t> position_of(sent_paths_, no_index);
    for (const WantedPath& wanted : wanted_)
        position_of[wanted.path] = wanted.position;
    return position_of;
}

// Receives from all children that know that all went well, even if no values are wanted or
// something fails: their send() may wait for it.
void RankCollation::gather_values(const Profile& own, Profile& job) {
    const auto rank = static_cast<std::uint32_t>(communicator_.rank());
    RankValueSum sum;
    bool whole = complete_ && form_ != RankValueForm::none && succeeds([&] {
                     sum = RankValueSum(form_, positions_);
                     std::vector<std::uint32_t> position_of = position_of_path();
                     for (std::uint32_t& path : own_path_of_)
                         path = position_of[path];
                     sum.add(rank, values_of_rank(own, own_path_of_, positions_));
                     return true;
                 });
    for (const Child& child : children()) {
        if (!child.is_informed) {
            whole = false;
            continue;
        }
        const bool added = succeeds([&] {
            std::vector<char> message;
            return communicator_.receive(child.rank, message) && whole && sum.add(message);
        });
        whole = whole && added;
    }
    if (rank > 0 && parent_waits_) {
        std::vector<char> message;
        if (whole && !succeeds([&] {
                message = sum.encode();
                return true;
            }))
            message = {};
        communicator_.send(parent_of_rank(communicator_.rank()), message.data(), message.size());
    } else if (rank == 0 && whole) {
        const bool done = succeeds([&] {
            std::vector<std::uint32_t> paths;
            for (const WantedPath& wanted : wanted_)
                paths.push_back(wanted.path);
            const auto ranks = static_cast<std::uint32_t>(communicator_.size());
            return sum.finish(job, paths, ranks, ranks);
        });
        if (!done)
            job.rank_values.clear();
    }
}

}  // namespace vftrace
