// Helpers for writing profiles of ranks, and jobs of such ranks within the test.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "collate/rank_collation.hpp"
#include "in_process_communicator.hpp"
#include "profile/profile.hpp"

namespace vftrace::test {

// Builds the profile of one rank; it contains init from the start.
struct RankProfile {
    explicit RankProfile(std::uint32_t rank) {
        profile.run.uses_mpi = true;
        profile.run.rank = rank;
        profile.run.host = "node" + std::to_string(rank / 4);
        add_path(no_index, add_function("init", no_index, 0, NodeKind::root));
    }

    std::uint32_t add_module(const std::string& path) {
        profile.modules.push_back({path, "build-" + path});
        return static_cast<std::uint32_t>(profile.modules.size() - 1);
    }
    std::uint32_t add_function(const std::string& name, std::uint32_t module = no_index,
                               std::uint64_t offset = 0, NodeKind kind = NodeKind::function) {
        Function function;
        function.name = name;
        function.symbol = kind == NodeKind::function ? name + "_" : "";
        function.display = name + "()";
        function.module = module;
        function.offset = offset;
        function.kind = kind;
        profile.functions.push_back(function);
        return static_cast<std::uint32_t>(profile.functions.size() - 1);
    }
    std::uint32_t add_path(std::uint32_t parent, std::uint32_t function, std::uint64_t calls = 0,
                           std::int64_t inclusive_ns = 0, std::int64_t exclusive_ns = 0) {
        Path path;
        path.parent = parent;
        path.function = function;
        path.calls = calls;
        path.inclusive_ns = inclusive_ns;
        path.exclusive_ns = exclusive_ns;
        profile.paths.push_back(path);
        return static_cast<std::uint32_t>(profile.paths.size() - 1);
    }

    Profile profile;
};

// A rank with everything that a profile can have, different on each rank and for each seed. About
// two thirds of its paths also occur on other ranks.
inline Profile random_profile(std::uint32_t rank, std::uint32_t ranks, std::uint32_t seed) {
    std::mt19937_64 random(seed * 7919ull + rank);
    auto below = [&](std::uint64_t limit) { return random() % limit; };
    RankProfile made(rank);
    Profile& profile = made.profile;
    // The same program at another place on each node, and functions found in another order.
    std::uint32_t program = made.add_module("/node" + std::to_string(rank / 4) + "/program");
    std::uint32_t library = made.add_module("/lib/library.so");
    for (std::uint64_t i = 0, first = below(12); i < 12; i++) {
        std::uint64_t n = (first + i) % 12;
        // Four static functions share the name "helper".
        made.add_function(n % 3 ? "function_" + std::to_string(n) : "helper",
                          n < 6 ? program : library, 0x1000 + 16 * n);
    }
    made.add_function("region of rank " + std::to_string(rank), no_index, 0, NodeKind::region);
    auto edge = [](const Path& path) { return std::pair(path.parent, path.function); };
    for (int i = 0; i < 40; i++) {
        Path path;
        path.parent = static_cast<std::uint32_t>(below(profile.paths.size()));
        path.function = static_cast<std::uint32_t>(1 + below(profile.functions.size() - 1));
        bool known = false;
        for (const Path& other : profile.paths)
            known = known || edge(other) == edge(path);
        if (known)
            continue;
        path.calls = random() >> below(64);
        path.inclusive_ns = static_cast<std::int64_t>(below(1'000'000'000));
        path.exclusive_ns = static_cast<std::int64_t>(below(4));  // often equal to another rank's
        path.overhead_ns = static_cast<std::int64_t>(below(1000));
        path.flags = static_cast<std::uint32_t>(below(8));
        profile.paths.push_back(path);
    }
    auto figures = [&] {
        MessageFigures value;
        if (below(3) > 0)
            value = {below(1000), random() >> 16, static_cast<std::int64_t>(below(1'000'000)),
                     static_cast<double>(below(1u << 20)) / 1024};
        return value;
    };
    profile.metrics = {{"summed", "B", Reduction::sum}, {"least", "s", Reduction::min}};
    if (rank % 2)  // ranks may know other metrics, in another order
        profile.metrics.insert(profile.metrics.begin(), {"largest", "", Reduction::max});
    profile.metrics.push_back({"average", "s", Reduction::mean});
    profile.rank_metrics = {{rank, 0, static_cast<double>(below(1024))}};
    Series& series = profile.series.emplace_back();
    series.rank = rank;
    series.metric = 1;
    series.missed = below(2);
    series.points.push_back({1, 0.5});
    series.points.push_back({2'000'000'000, -1.0 * rank});
    for (std::uint32_t i = 1; i < profile.paths.size(); i++) {
        if (below(2))
            profile.messages.push_back({i, figures(), figures()});
        for (std::uint32_t m = 0; m < profile.metrics.size(); m++)
            if (below(3) == 0)
                profile.metric_values.push_back({i, m, static_cast<double>(below(1024))});
    }
    for (std::int32_t peer = -1; peer < static_cast<std::int32_t>(ranks); peer++)
        if (below(3) == 0)
            profile.matrix.push_back({rank, peer,
                                      static_cast<std::uint32_t>(below(profile.paths.size())),
                                      figures(), figures()});
    for (SizeBin& bin : profile.message_sizes)
        bin = {below(4), random() >> 32};
    profile.ranks = {{rank, profile.run.host, 1000 + rank, 1 + rank % 3, 5, 6, 7, 8, 9}};
    for (std::uint32_t i = 0; i < 1 + rank % 3; i++)
        profile.threads.push_back({rank, 7 * i, i ? "name" + std::to_string(i) : "",
                                   static_cast<std::uint32_t>(below(profile.paths.size())), i == 2,
                                   1 + below(9), random() >> below(64),
                                   static_cast<std::int64_t>(below(1'000'000'000)), 6, -7, 8});
    profile.task_loops = {{rank, 0, 1, 1, static_cast<std::int64_t>(below(1000)), 7, 1000},
                          {rank, 7, 0, 1 + below(9), 5, 3, 2000}};
    const std::string host = "host" + std::to_string(rank / 4);
    profile.regions = {{host, 5, RegionPart::region, 1, 77, 1, 100, 1.5, 0, 0},
                       {host, 5, RegionPart::application, no_index, 0, 1,
                        static_cast<std::int64_t>(below(1000)), 0, 3, below(1 << 20)}};
    if (!profile.metrics.empty())
        profile.region_metrics = {
            {host, 5, RegionPart::region, 77, 0, static_cast<double>(below(1024))},
            {host, 5, RegionPart::unmarked, 0, 0, static_cast<double>(below(1024))}};
    profile.parallel_regions = {{1, below(100), 1 + below(100), 300, 200, 100}};
    if (rank % 4 != 3) {
        profile.gpu_functions = {{below(5), "cuda one"}, {5 + below(5), "cuda two"}};
        for (std::uint32_t i = 0; i < profile.paths.size(); i += 3)
            profile.gpu_work.push_back({i, below(2) ? no_index : static_cast<std::uint32_t>(i % 12),
                                        static_cast<GpuWork>(below(gpu_works)), 1 + below(100),
                                        static_cast<std::int64_t>(below(1000)), 1, 9,
                                        random() >> 20, 7, -8});
        for (std::uint32_t device = 0; device < 2; device++) {
            profile.gpu_streams.push_back({rank, device, 1, 7, below(9), 2, 3, 400, 50, 600});
            profile.gpu_devices.push_back({rank, device, "GPU", 100, 20, 10, 500});
        }
        profile.run.visible_gpus = "all";
    }
    profile.run.parameters = {{"n", 1000}, {"tol", 1e-6}};
    profile.run.threads = 1 + rank % 3;
    profile.run.memory_bytes = below(1u << 30);
    profile.run.overhead = {{OverheadKind::function_hooks, static_cast<std::int64_t>(below(1000))}};
    if (rank % 2)
        profile.run.overhead.push_back(
            {OverheadKind::mpi_wrappers, static_cast<std::int64_t>(below(1000))});
    profile.run.notices = {{NoticeCode::unknown, {below(9)}, 0, 0, 0, 0, "later", "Later."},
                           {NoticeCode::module_changed, {"/lib/" + std::to_string(rank % 2)}},
                           {NoticeCode::calls_dropped, {1 + below(9)}}};
    return profile;
}

inline std::vector<Profile> random_profiles(std::uint32_t ranks, std::uint32_t seed) {
    std::vector<Profile> profiles;
    for (std::uint32_t rank = 0; rank < ranks; rank++)
        profiles.push_back(random_profile(rank, ranks, seed));
    return profiles;
}

// The outcome of a job.
struct Collated {
    Profile job;
    std::vector<bool> complete;  // by rank: what spread() returned
    std::size_t messages_waiting = 0;
};

// Runs the collation of ranks with these profiles. wrap(communicator) may put another communicator
// in front of each rank's; it must return a Communicator that lives as long as the job. With
// most_ranks_with_values the ranks' values are gathered, too.
template <class Wrap>
Collated collate_through(std::vector<Profile>& own, const std::vector<bool>& need_stids, Wrap wrap,
                         std::optional<std::uint32_t> most_ranks_with_values = {}) {
    int ranks = static_cast<int>(own.size());
    InProcessJob job(ranks);
    std::vector<InProcessCommunicator> communicators;
    for (int rank = 0; rank < ranks; rank++)
        communicators.emplace_back(job, rank);
    std::vector<decltype(wrap(communicators[0]))> wrapped;
    wrapped.reserve(own.size());
    std::vector<RankCollation> collations;
    for (InProcessCommunicator& communicator : communicators) {
        wrapped.push_back(wrap(communicator));
        collations.emplace_back(wrapped.back(), most_ranks_with_values);
    }
    Collated result;
    for (int rank = ranks - 1; rank >= 0; rank--) {
        std::size_t i = static_cast<std::size_t>(rank);
        Profile elsewhere;
        collations[i].gather(own[i], rank == 0 ? result.job : elsewhere, need_stids[i]);
    }
    for (std::size_t i = 0; i < own.size(); i++)
        result.complete.push_back(collations[i].spread(own[i]));
    for (std::size_t i = own.size(); most_ranks_with_values && i-- > 0;) {
        Profile elsewhere;
        collations[i].gather_values(own[i], i == 0 ? result.job : elsewhere);
    }
    result.messages_waiting = job.messages_waiting();
    return result;
}

inline Collated collate(std::vector<Profile>& own, bool need_stids = true) {
    return collate_through(own, std::vector<bool>(own.size(), need_stids),
                           [](InProcessCommunicator& communicator) { return communicator; });
}

// The functions that a path leads through: "leaf<caller<init", with `mark(function)` after each.
template <class Mark>
std::string path_name(const Profile& profile, std::uint32_t path, Mark mark) {
    std::string text;
    for (std::uint32_t step = path; step != no_index; step = profile.paths[step].parent) {
        std::uint32_t function = profile.paths[step].function;
        text += (step == path ? "" : "<") + profile.functions[function].name + mark(function);
    }
    return text;
}
inline std::string path_name(const Profile& profile, std::uint32_t path) {
    return path_name(profile, path, [](std::uint32_t) { return ""; });
}

// The path with this name. Throws (fails the test) if there is none or more than one.
inline const Path& path_named(const Profile& profile, const std::string& name) {
    const Path* found = nullptr;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (path_name(profile, i) == name) {
            if (found)
                throw std::runtime_error("there are two paths " + name);
            found = &profile.paths[i];
        }
    if (!found)
        throw std::runtime_error("there is no path " + name);
    return *found;
}

}  // namespace vftrace::test
