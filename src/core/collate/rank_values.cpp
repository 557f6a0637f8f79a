#include "collate/rank_values.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/saturating.hpp"

namespace vftrace {
namespace {

std::size_t bin_of(std::int64_t ns) {
    return static_cast<std::size_t>(
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0))));
}

bool is_counted(const Profile& job, const Path& path) {
    return (path.flags & path_paused) == 0 &&
           job.functions[path.function].kind != NodeKind::pause && path.exclusive_ns > 0;
}

}  // namespace

RankValueForm form_of_values(std::uint32_t ranks, std::uint32_t most_ranks) {
    if (ranks < 2)
        return RankValueForm::none;  // the values are those of the paths
    return ranks <= most_ranks ? RankValueForm::values : RankValueForm::histograms;
}

std::vector<std::uint32_t> paths_with_values(const Profile& job, RankValueForm form,
                                             std::uint32_t ranks) {
    std::vector<std::uint32_t> chosen;
    if (form == RankValueForm::none)
        return chosen;
    std::int64_t total = 0;
    for (const Path& path : job.paths)
        if (is_counted(job, path))
            add_saturating(total, path.exclusive_ns);
    constexpr std::int64_t parts = most_paths_with_values;
    const std::int64_t least = total / parts + (total % parts != 0);
    for (std::uint32_t i = 0; i < job.paths.size(); i++)
        if (is_counted(job, job.paths[i]) && job.paths[i].exclusive_ns >= least)
            chosen.push_back(i);
    std::size_t most = most_paths_with_values;  // more have such a share if the total is saturated
    if (form == RankValueForm::values)
        most = std::min<std::size_t>(most, most_values / std::max<std::uint32_t>(ranks, 1));
    if (chosen.size() <= most)
        return chosen;
    const auto has_more = [&](std::uint32_t a, std::uint32_t b) {
        const std::int64_t ns_a = job.paths[a].exclusive_ns, ns_b = job.paths[b].exclusive_ns;
        return ns_a != ns_b ? ns_a > ns_b : a < b;
    };
    std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(most),
                     chosen.end(), has_more);
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

std::vector<RankValue> values_of_rank(const Profile& own,
                                      std::span<const std::uint32_t> position_of,
                                      std::size_t positions) {
    std::vector<RankValue> values(positions);
    for (std::size_t i = 0; i < own.paths.size(); i++) {
        if (position_of[i] >= positions)
            continue;
        RankValue& value = values[position_of[i]];  // several paths may have become one
        add_saturating(value.calls, own.paths[i].calls);
        add_saturating(value.exclusive_ns, own.paths[i].exclusive_ns);
    }
    return values;
}

RankValueSum::RankValueSum(RankValueForm form, std::size_t positions)
    : form_(form), positions_(positions) {
    if (form == RankValueForm::histograms)
        histograms_.resize(positions);
}

void RankValueSum::add(std::uint32_t rank, std::span<const RankValue> values) {
    if (form_ == RankValueForm::histograms) {
        ranks_++;
        for (std::size_t i = 0; i < positions_; i++)
            histograms_[i][bin_of(values[i].exclusive_ns)]++;
        return;
    }
    blocks_.number(rank);
    for (const RankValue& value : values) {
        blocks_.number(value.calls);
        blocks_.signed_number(value.exclusive_ns);
    }
}

bool RankValueSum::add(std::span<const char> message) {
    if (form_ != RankValueForm::histograms) {
        blocks_.bytes(message);
        return !message.empty();
    }
    ByteReader in(message);
    ranks_ += in.number32();
    constexpr std::size_t least_bin = 2;
    for (TimeHistogram& histogram : histograms_)
        for (std::uint32_t n = in.count(least_bin); n > 0; n--) {
            const std::uint32_t bin = in.index(size_bins);
            histogram[bin] += in.number32();
        }
    return in.complete();
}

std::vector<char> RankValueSum::encode() {
    if (form_ != RankValueForm::histograms)
        return blocks_.take();
    ByteWriter out;
    out.number(ranks_);
    for (const TimeHistogram& histogram : histograms_) {
        out.number(size_bins -
                   static_cast<std::size_t>(std::count(histogram.begin(), histogram.end(), 0u)));
        for (std::size_t bin = 0; bin < size_bins; bin++)
            if (histogram[bin] > 0) {
                out.number(bin);
                out.number(histogram[bin]);
            }
    }
    histograms_ = {};
    return out.take();
}

bool RankValueSum::finish(Profile& job, std::span<const std::uint32_t> paths, std::uint32_t ranks,
                          std::uint32_t ranks_here) {
    job.rank_values.resize(paths.size());
    for (std::size_t i = 0; i < paths.size(); i++)
        job.rank_values[i].path = paths[i];
    bool whole = form_ == RankValueForm::histograms && ranks_ == ranks_here;
    if (form_ == RankValueForm::values) {
        histograms_.resize(positions_);
        whole = read_values(job, ranks, ranks_here);
        for (std::size_t i = 0; whole && i < positions_; i++)
            for (const std::int64_t ns : job.rank_values[i].exclusive_ns)
                histograms_[i][bin_of(ns)]++;
    }
    if (!whole) {
        job.rank_values.clear();
        return false;
    }
    for (std::size_t i = 0; i < positions_; i++) {
        const TimeHistogram& histogram = histograms_[i];
        const auto last = std::find_if(histogram.rbegin(), histogram.rend(),
                                       [](std::uint32_t count) { return count > 0; });
        job.rank_values[i].histogram.assign(histogram.begin(), last.base());
    }
    return true;
}

bool RankValueSum::read_values(Profile& job, std::uint32_t ranks, std::uint32_t ranks_here) const {
    for (RankValues& row : job.rank_values) {
        row.calls.resize(ranks);
        row.exclusive_ns.resize(ranks);
    }
    std::vector<bool> is_there(ranks, false);
    std::uint32_t found = 0;
    for (ByteReader in(blocks_.written()); !in.complete(); found++) {
        const std::uint32_t rank = in.index(ranks);
        if (in.failed() || is_there[rank])
            return false;
        is_there[rank] = true;
        for (RankValues& row : job.rank_values) {
            row.calls[rank] = in.number();
            row.exclusive_ns[rank] = in.signed_number();
        }
        if (in.failed())
            return false;
    }
    return found == ranks_here;
}

void add_rank_values(Profile& job, const std::vector<ProfileOfRank>& ranks,
                     std::uint32_t most_ranks) {
    job.rank_values.clear();
    for (const ProfileOfRank& rank : ranks)
        if (rank.profile.summed_ranks() > 1 || rank.profile.run.rank >= job.run.ranks)
            return;
    const RankValueForm form = form_of_values(job.run.ranks, most_ranks);
    const std::vector<std::uint32_t> paths = paths_with_values(job, form, job.run.ranks);
    if (paths.empty())
        return;
    std::vector<std::uint32_t> position_of_path(job.paths.size(), no_index);
    for (std::uint32_t i = 0; i < paths.size(); i++)
        position_of_path[paths[i]] = i;
    RankValueSum sum(form, paths.size());
    for (const ProfileOfRank& rank : ranks) {
        std::vector<std::uint32_t> position_of = rank.path_of;
        for (std::uint32_t& path : position_of)
            path = position_of_path[path];
        sum.add(rank.profile.run.rank, values_of_rank(rank.profile, position_of, paths.size()));
    }
    sum.finish(job, paths, job.run.ranks, static_cast<std::uint32_t>(ranks.size()));
}

}  // namespace vftrace
