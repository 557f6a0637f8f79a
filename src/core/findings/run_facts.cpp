#include "findings/run_facts.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "profile/display_names.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

constexpr std::size_t longest_name = 60, most_callers = 3;
constexpr double much_of_time = 0.01;  // paths with less are hardly ever in a sentence

// Smaller gains are not worth mentioning, and may be chance: other programs on the machine can
// delay a run by as much. So runs shorter than a second need a larger share.
constexpr double least_seconds = 0.1;

bool is_paused(const Profile& profile, const Path& path) {
    return (path.flags & path_paused) != 0 ||
           profile.functions[path.function].kind == NodeKind::pause;
}

constexpr std::string_view reading_and_writing[] = {"read",
                                                    "write",
                                                    "__read",
                                                    "__write",
                                                    "__libc_read",
                                                    "__libc_write",
                                                    "pread64",
                                                    "pwrite64",
                                                    "pread",
                                                    "pwrite",
                                                    "__libc_pread64",
                                                    "__libc_pwrite64",
                                                    "readv",
                                                    "writev",
                                                    "fsync",
                                                    "fdatasync",
                                                    "__GI___read",
                                                    "__GI___write",
                                                    "__read_nocancel",
                                                    "__write_nocancel",
                                                    "copy_file_range",
                                                    "sendfile",
                                                    "sendfile64",
                                                    "sync"};

}  // namespace

constexpr std::span<const std::string_view> system_call_functions = reading_and_writing;

RunFacts::RunFacts(const Profile& whole)
    : profile(whole), resources(whole), contention(resources, 1, 1, 0), waits(path_waits(whole)),
      heap(path_heap(whole)), rank_heap(vftrace::rank_heap(whole)),
      placements(site_placements(whole)), crowds(crowded_processors(whole, busy_threads(whole))),
      file_uses(vftrace::file_uses(whole)) {
    for (const Path& path : profile.paths)
        if (!is_paused(profile, path))
            exclusive_s += static_cast<double>(path.exclusive_ns) / 1e9;
    std::int64_t longest =
        profile.ranks.size() > 1 ? 0 : profile.run.runtime_ns - profile.run.paused_ns;
    for (const RankFigures& rank : profile.ranks)
        if (profile.ranks.size() > 1)
            longest = std::max(longest, rank.runtime_ns);
    for (const RankHeap& rank : rank_heap)
        memory_use_samples += rank.use_samples;
    elapsed_s = static_cast<double>(longest) / 1e9;
    ranks = static_cast<double>(profile.summed_ranks());
    times = times_of_region(profile, {});
    if (!profile.parallel_regions.empty() && !times.ranks.empty())
        openmp = openmp_times_of_run(profile, times.ranks);
    double bound_s = 0;
    for (const CrowdedProcessors& crowd : crowds)
        bound_s += crowd.waited_s();
    contention =
        Contention(resources, ranks, std::max(ranks, static_cast<double>(openmp.processors)),
                   elapsed_s, bound_s);
}

bool RunFacts::is_worth_it(double seconds, double least_share) const {
    return seconds >= least_seconds && seconds >= least_share * elapsed_s;
}

bool RunFacts::is_own_code(std::uint32_t path) const {
    const NodeKind of = kind(path);
    return (of == NodeKind::function || of == NodeKind::region || of == NodeKind::section ||
            of == NodeKind::task) &&
           !is_paused(profile, profile.paths[path]);
}

FunctionsTime RunFacts::time_in(std::span<const std::string_view> symbols) const {
    FunctionsTime time;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const Function& function = profile.functions[profile.paths[i].function];
        const std::string& symbol = function.symbol.empty() ? function.name : function.symbol;
        if (function.kind != NodeKind::function ||
            std::find(symbols.begin(), symbols.end(), symbol) == symbols.end())
            continue;
        time.seconds += exclusive_seconds(i);
        time.calls += static_cast<double>(profile.paths[i].calls);
        if (time.longest == no_index || exclusive_seconds(i) > exclusive_seconds(time.longest))
            time.longest = i;
    }
    return time;
}

std::string RunFacts::most_of_it(const FunctionsTime& time) const {
    return time.longest == no_index ? "" : ", most of it in " + place(time.longest);
}

double RunFacts::elapsed_share_of(double seconds) const {
    return seconds / std::max(ranks, resources.processor_s() / elapsed_s);
}

double RunFacts::blocked_seconds() const {
    double others = 0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (kind(i) == NodeKind::mpi || kind(i) == NodeKind::openmp || kind(i) == NodeKind::gpu)
            others += exclusive_seconds(i);
    const double waiting = resources.waiting_s == resources.waiting_s ? resources.waiting_s : 0;
    const double blocked = ranks * elapsed_s - resources.processor_s() - waiting - others;
    return blocked < 0 ? 0 : blocked;
}

double RunFacts::work_seconds(std::size_t rank) const {
    const RankTime& time = times.ranks[rank];
    const MetricRow& row = row_of(MetricId::processors_waiting);
    double waiting_ns = 0;
    for (const RankMetric& value : profile.rank_metrics)
        if (rank < profile.ranks.size() && value.rank == profile.ranks[rank].rank &&
            profile.metrics[value.metric].name == row.name)
            waiting_ns = value.value;
    const double lost = time.elapsed > 0 ? std::clamp(waiting_ns / time.elapsed, 0.0, 1.0) : 0.0;
    return time.outside() * (1 - lost) / 1e9;
}

const RankValues* RunFacts::values_of(std::uint32_t path) const {
    const auto found = std::lower_bound(
        profile.rank_values.begin(), profile.rank_values.end(), path,
        [](const RankValues& row, std::uint32_t wanted) { return row.path < wanted; });
    const bool is_there = found != profile.rank_values.end() && found->path == path &&
                          found->exclusive_ns.size() == profile.ranks.size();
    return is_there ? &*found : nullptr;
}

std::string RunFacts::function(std::uint32_t path) const {
    constexpr std::size_t longest_of_similar = 200;
    const Function& function = profile.functions[profile.paths[path].function];
    const std::string whole = printable(display_with_module(function));
    std::string name = shorten_middle(whole, longest_name);
    if (name != whole &&
        std::any_of(profile.functions.begin(), profile.functions.end(), [&](const Function& other) {
            return other.display.size() > longest_name && other.display != function.display &&
                   shorten_middle(printable(other.display), longest_name) == name;
        }))
        name = shorten_middle(whole, longest_of_similar);
    const bool is_of_user = function.kind == NodeKind::region ||
                            function.kind == NodeKind::section || function.kind == NodeKind::task;
    // Without quotes, they would read like words of the sentence.
    return is_of_user && name.find(' ') != std::string::npos ? '"' + name + '"' : name;
}

std::string RunFacts::callers(std::uint32_t path, std::size_t most) const {
    std::string text;
    std::size_t count = 0;
    for (std::uint32_t i = profile.paths[path].parent; i != no_index && kind(i) != NodeKind::root;
         i = profile.paths[i].parent) {
        if (count == most)
            return text + " < ...";
        text += (count++ == 0 ? ", called by " : " < ") + function(i);
    }
    return text;
}

std::string RunFacts::place(std::uint32_t path) const {
    std::string text = callers(path, most_callers);
    if (!text.ends_with("..."))
        return function(path) + text;
    // The first caller that another path of the function, with the same callers so far, lacks.
    std::uint32_t differs = no_index;
    std::size_t depth = 0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        if (i == path || profile.paths[i].function != profile.paths[path].function ||
            exclusive_seconds(i) < much_of_time * exclusive_s || callers(i, most_callers) != text)
            continue;
        std::size_t level = 1;
        std::uint32_t own = profile.paths[path].parent, other = profile.paths[i].parent;
        while (own != no_index && other != no_index && function(own) == function(other)) {
            own = profile.paths[own].parent;
            other = profile.paths[other].parent;
            level++;
        }
        if (own != no_index && kind(own) != NodeKind::root && level > depth) {
            depth = level;
            differs = own;
        }
    }
    if (differs != no_index) {
        text.resize(text.size() - std::string_view(" < ...").size());
        text += (depth == most_callers + 1 ? " < " : " < ... < ") + function(differs);
        const std::uint32_t next = profile.paths[differs].parent;
        if (next != no_index && kind(next) != NodeKind::root)
            text += " < ...";
    }
    return function(path) + text;
}

RunFinding RunFacts::finding(std::string_view rule, double saved_seconds) const {
    RunFinding finding;
    finding.rule = rule;
    finding.saved_seconds = saved_seconds;
    finding.share = elapsed_s > 0 ? std::min(saved_seconds / elapsed_s, 1.0) : 0;
    return finding;
}

std::string seconds_text(double seconds) {
    return seconds < 0.1 ? format("%.1f ms", 1e3 * seconds) : format("%.2f s", seconds);
}

std::string percent_text(double part) { return format("%.1f %%", 100 * part); }

std::string bytes_text(double bytes) {
    constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    constexpr double step = 1024, least = 999.5;  // that is not shown with three digits
    const std::string_view* unit = units;
    while (bytes >= least && unit + 1 < std::end(units)) {
        bytes /= step;
        unit++;
    }
    return format("%.3g %.*s", bytes, static_cast<int>(unit->size()), unit->data());
}

std::string count_text(double count) {
    std::string digits = format("%.0f", count);
    for (std::size_t i = digits.size(); i > 3;) {
        i -= 3;
        digits.insert(i, 1, ',');
    }
    return digits;
}

}  // namespace vftrace
