// Merging the profiles of all ranks: compared with a plain merge of maps, for many shapes of job.
#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "collate/stids.hpp"
#include "collation_job.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// Identifies a function across ranks: its kind, and its number among the functions of the same name
// on its rank.
std::string identity(const Profile& profile, std::uint32_t index) {
    auto place = [&](const Function& f) {
        return std::pair(f.module == no_index ? "" : profile.modules[f.module].path, f.offset);
    };
    const Function& function = profile.functions[index];
    int ordinal = 0;
    for (const Function& other : profile.functions)
        ordinal += other.kind == function.kind && other.name == function.name &&
                   place(other) < place(function);
    return "#" + std::to_string(static_cast<int>(function.kind)) + "." + std::to_string(ordinal);
}

struct Figures {
    std::uint64_t messages = 0, bytes = 0;
    std::int64_t ns = 0;
    double bandwidth_sum = 0;
    auto operator<=>(const Figures&) const = default;
};

void add(Figures& sum, const MessageFigures& value) {
    sum.messages += value.messages;
    sum.bytes += value.bytes;
    sum.ns += value.ns;
    sum.bandwidth_sum += value.bandwidth_sum;
}

// All data of a call path.
struct Sums {
    unsigned __int128 calls = 0;
    std::int64_t inclusive_ns = 0, exclusive_ns = 0, overhead_ns = 0;
    std::uint32_t flags = 0;
    std::vector<std::pair<std::int64_t, std::uint32_t>> times;  // exclusive, rank
    Figures sent, received;
    std::map<std::string, std::vector<double>> metrics;
    // By rank and peer.
    std::map<std::pair<std::uint32_t, std::int32_t>, std::pair<Figures, Figures>> peers;
};

using Reference = std::map<std::string, Sums>;  // by path

void add_reference(Reference& reference, const Profile& profile) {
    std::vector<std::string> marks, names;
    for (std::uint32_t i = 0; i < profile.functions.size(); i++)
        marks.push_back(identity(profile, i));
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        names.push_back(path_name(profile, i, [&](std::uint32_t f) { return marks[f]; }));
        const Path& path = profile.paths[i];
        Sums& sums = reference[names.back()];
        sums.calls += path.calls;
        sums.inclusive_ns += path.inclusive_ns;
        sums.exclusive_ns += path.exclusive_ns;
        sums.overhead_ns += path.overhead_ns;
        sums.flags |= path.flags;
        sums.times.push_back({path.exclusive_ns, profile.run.rank});
    }
    for (const PathMessages& messages : profile.messages) {
        add(reference[names[messages.path]].sent, messages.sent);
        add(reference[names[messages.path]].received, messages.received);
    }
    for (const PeerMessages& messages : profile.matrix) {
        auto& [sent, received] =
            reference[names[messages.path]].peers[{messages.rank, messages.peer}];
        add(sent, messages.sent);
        add(received, messages.received);
    }
    for (const MetricValue& value : profile.metric_values)
        reference[names[value.path]].metrics[profile.metrics[value.metric].name].push_back(
            value.value);
}

double reduced(const Metric& metric, const std::vector<double>& values) {
    double sum = 0;
    for (double value : values)
        sum += value;
    switch (metric.reduction) {
    case Reduction::sum:
        return sum;
    case Reduction::mean:
        return sum / static_cast<double>(values.size());
    case Reduction::max:
        return *std::max_element(values.begin(), values.end());
    case Reduction::min:
        return *std::min_element(values.begin(), values.end());
    }
    return 0;
}

Figures plain(const MessageFigures& figures) {
    Figures result;
    add(result, figures);
    return result;
}

// The marks of the job's functions must be derived from the ranks' own profiles, because the job's
// modules are those of the first rank that has them.
std::vector<std::string> marks_of_job(const Profile& job, const std::vector<Profile>& own) {
    std::map<std::tuple<std::string, std::string, std::uint64_t>, std::string> marks;
    for (const Profile& profile : own)
        for (std::uint32_t i = 0; i < profile.functions.size(); i++) {
            const Function& f = profile.functions[i];
            std::string module = f.module == no_index ? "" : profile.modules[f.module].path;
            marks[{f.name, module, f.offset}] = identity(profile, i);
        }
    std::vector<std::string> result;
    for (const Function& f : job.functions)
        result.push_back(
            marks.at({f.name, f.module == no_index ? "" : job.modules[f.module].path, f.offset}));
    return result;
}

void check_path(const Profile& job, std::uint32_t index, Sums& expected) {
    const Path& path = job.paths[index];
    CHECK(path.calls == static_cast<std::uint64_t>(std::min<unsigned __int128>(
                            expected.calls, std::numeric_limits<std::uint64_t>::max())));
    CHECK(path.inclusive_ns == expected.inclusive_ns);
    CHECK(path.exclusive_ns == expected.exclusive_ns);
    CHECK(path.overhead_ns == expected.overhead_ns);
    CHECK(path.flags == expected.flags);
    const RankSpread& spread = job.spread[index];
    std::sort(expected.times.begin(), expected.times.end());
    CHECK(spread.ranks == expected.times.size());
    CHECK(std::pair(spread.min_ns, spread.min_rank) == expected.times.front());
    CHECK(spread.max_ns == expected.times.back().first);
    auto first_of_largest = std::lower_bound(expected.times.begin(), expected.times.end(),
                                             std::pair(spread.max_ns, 0u));
    CHECK(spread.max_rank == first_of_largest->second);
}

void check_messages(const Profile& job, const std::vector<std::string>& names,
                    Reference& reference) {
    for (const PathMessages& messages : job.messages) {
        CHECK(plain(messages.sent) == reference[names[messages.path]].sent);
        CHECK(plain(messages.received) == reference[names[messages.path]].received);
    }
    std::size_t pairs = 0;
    for (const auto& [name, sums] : reference)
        pairs += sums.peers.size();
    CHECK(job.matrix.size() == pairs);
    for (const PeerMessages& messages : job.matrix) {
        const auto& peers = reference[names[messages.path]].peers;
        CHECK(std::pair(plain(messages.sent), plain(messages.received)) ==
              peers.at({messages.rank, messages.peer}));
    }
    CHECK(std::is_sorted(job.messages.begin(), job.messages.end(),
                         [](const auto& a, const auto& b) { return a.path < b.path; }));
    CHECK(std::is_sorted(job.matrix.begin(), job.matrix.end(), [](const auto& a, const auto& b) {
        return std::tie(a.rank, a.peer, a.path) < std::tie(b.rank, b.peer, b.path);
    }));
}

void check_metrics(const Profile& job, const std::vector<std::string>& names,
                   Reference& reference) {
    std::size_t count = 0;
    for (const auto& [name, sums] : reference)
        count += sums.metrics.size();
    CHECK(job.metric_values.size() == count);
    for (const MetricValue& value : job.metric_values) {
        const Metric& metric = job.metrics[value.metric];
        CHECK(value.value == reduced(metric, reference[names[value.path]].metrics.at(metric.name)));
    }
}

void check_job(const Profile& job, const std::vector<Profile>& own) {
    Reference reference;
    for (const Profile& profile : own)
        add_reference(reference, profile);
    CHECK(job.paths.size() == reference.size());
    REQUIRE(job.spread.size() == job.paths.size());
    std::vector<std::string> marks = marks_of_job(job, own), names;
    for (std::uint32_t i = 0; i < job.paths.size(); i++) {
        names.push_back(path_name(job, i, [&](std::uint32_t f) { return marks[f]; }));
        INFO(names.back());
        REQUIRE(reference.count(names.back()) == 1);
        check_path(job, i, reference[names.back()]);
    }
    check_messages(job, names, reference);
    check_metrics(job, names, reference);
    REQUIRE(job.ranks.size() == own.size());
    for (std::uint32_t rank = 0; rank < own.size(); rank++) {
        CHECK(job.ranks[rank].rank == rank);
        CHECK(job.ranks[rank].host == own[rank].run.host);
        CHECK(job.ranks[rank].pid == own[rank].ranks[0].pid);
    }
    for (std::size_t bin = 0; bin < size_bins; bin++) {
        SizeBin sum;
        for (const Profile& profile : own) {
            sum.sent += profile.message_sizes[bin].sent;
            sum.received += profile.message_sizes[bin].received;
        }
        CHECK(job.message_sizes[bin].sent == sum.sent);
        CHECK(job.message_sizes[bin].received == sum.received);
    }
}

}  // namespace

TEST_CASE("jobs of all sizes become the sum of their ranks") {
    for (std::uint32_t ranks : {1u, 2u, 3u, 5u, 8u, 13u, 32u, 33u}) {
        CAPTURE(ranks);
        std::vector<Profile> own = random_profiles(ranks, 1);
        Collated result = collate(own);
        check_job(result.job, own);
        CHECK(result.complete == std::vector<bool>(ranks, true));
        CHECK(result.messages_waiting == 0);
    }
}

TEST_CASE("each rank learns the job's numbers of its own paths") {
    std::vector<Profile> own = random_profiles(13, 2);
    Collated result = collate(own);
    std::vector<Profile> with_marks = own;
    std::vector<std::string> marks = marks_of_job(result.job, own);
    std::map<std::string, std::uint32_t> stid_of;
    for (std::uint32_t i = 0; i < result.job.paths.size(); i++)
        stid_of[path_name(result.job, i, [&](std::uint32_t f) { return marks[f]; })] =
            result.job.paths[i].stid;
    CHECK(stid_of.size() == result.job.paths.size());
    for (const Profile& profile : own)
        for (std::uint32_t i = 0; i < profile.paths.size(); i++)
            CHECK(profile.paths[i].stid == stid_of.at(path_name(profile, i, [&](std::uint32_t f) {
                return identity(profile, f);
            })));
}

TEST_CASE("numbers go only to the ranks that want them") {
    std::vector<Profile> own = random_profiles(13, 3), all_want = own;
    collate(all_want);
    for (Profile& profile : own)
        for (Path& path : profile.paths)
            path.stid = 4711;
    for (std::uint32_t wanting = 0; wanting < own.size(); wanting++) {
        std::vector<Profile> one_wants = own;
        std::vector<bool> need_stids(own.size(), false);
        need_stids[wanting] = true;
        Collated result = collate_through(one_wants, need_stids, [](auto& c) { return c; });
        CHECK(result.complete == std::vector<bool>(own.size(), true));
        CHECK(result.messages_waiting == 0);
        for (std::uint32_t rank = 0; rank < own.size(); rank++)
            for (std::uint32_t i = 0; i < own[rank].paths.size(); i++)
                CHECK(one_wants[rank].paths[i].stid ==
                      (rank == wanting ? all_want[rank].paths[i].stid : 4711));
    }
}

TEST_CASE("a job of one rank is that rank's profile with the same numbers") {
    std::vector<Profile> own = {random_profile(0, 1, 4)};
    set_stids(own[0]);
    Profile alone = own[0];
    Profile job = collate(own).job;
    REQUIRE(job.paths.size() == alone.paths.size());
    for (std::size_t i = 0; i < alone.paths.size(); i++) {
        CHECK(job.paths[i].hash == alone.paths[i].hash);
        CHECK(job.paths[i].stid == alone.paths[i].stid);
        CHECK(job.paths[i].parent == alone.paths[i].parent);
        CHECK(job.paths[i].function == alone.paths[i].function);
        CHECK(own[0].paths[i].stid == alone.paths[i].stid);
    }
    REQUIRE(job.functions.size() == alone.functions.size());
    for (std::size_t i = 0; i < alone.functions.size(); i++) {
        CHECK(job.functions[i].symbol == alone.functions[i].symbol);
        CHECK(job.functions[i].display == alone.functions[i].display);
        CHECK(job.functions[i].offset == alone.functions[i].offset);
        CHECK(job.functions[i].kind == alone.functions[i].kind);
    }
}

TEST_CASE("the order in which neighbours are merged does not matter") {
    // 0 <- 1, 2 <- 3 for four ranks; with ranks 1 and 2 in between that recorded nothing, the four
    // are merged as 0 <- 3 and 4 <- 5.
    std::vector<Profile> own = random_profiles(4, 5);
    for (Profile& profile : own)
        profile.ranks.clear();
    std::vector<Profile> spaced = {own[0], Profile(), Profile(), own[1], own[2], own[3]};
    Profile job = collate(own).job, other = collate(spaced).job;
    REQUIRE(job.paths.size() == other.paths.size());
    for (std::size_t i = 0; i < job.paths.size(); i++) {
        CHECK(job.paths[i].hash == other.paths[i].hash);
        CHECK(job.paths[i].stid == other.paths[i].stid);
        CHECK(job.paths[i].calls == other.paths[i].calls);
        CHECK(job.paths[i].exclusive_ns == other.paths[i].exclusive_ns);
        CHECK(job.spread[i].ranks == other.spread[i].ranks);
        CHECK(job.spread[i].max_ns == other.spread[i].max_ns);
    }
    for (std::size_t i = 0; i < job.functions.size(); i++) {
        CHECK(job.functions[i].name == other.functions[i].name);
        CHECK(job.functions[i].offset == other.functions[i].offset);
    }
}
