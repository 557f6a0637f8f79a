#include "brief/brief.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

#include <fmt/core.h>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "code/line_table.hpp"
#include "profile/outermost.hpp"
#include "report/rows.hpp"
#include "report/time_split.hpp"
#include "symbol/common_libraries.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_relations = 10, most_callers = 2;

// Sums of a function over its paths.
struct Sum {
    std::int64_t own_ns = 0, error_ns = 0, total_ns = 0, own_of_path = -1;
    std::uint64_t calls = 0;
    bool calls_estimated = false;
    std::uint32_t path = 0;
};

void add(Sum& sum, const Profile& profile, std::uint32_t index) {
    const Path& path = profile.paths[index];
    sum.own_ns += path.exclusive_ns;
    sum.error_ns += path.exclusive_error_ns;
    sum.calls += path.calls;
    sum.calls_estimated |= (path.flags & (path_calls_estimated | path_calls_until_removal)) != 0;
    if (is_outermost(profile, index))
        sum.total_ns += path.inclusive_ns;
    if (path.exclusive_ns > sum.own_of_path) {
        sum.own_of_path = path.exclusive_ns;
        sum.path = index;
    }
}

double all_seconds(const Profile& profile) {
    std::int64_t own = 0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (!is_paused(profile, i))
            own += profile.paths[i].exclusive_ns;
    return std::max({vftrace::total_seconds(time_splits(profile)), seconds(own), 1e-9});
}

std::string place_of(const Function& function) {
    if (function.file.empty())
        return {};
    const std::string_view name = base_name(function.file);
    return function.line > 0 ? fmt::format("{}:{}", name, function.line) : std::string(name);
}

// The shares, those with most first.
std::vector<BriefShare> sorted(const std::map<std::string, BriefShare>& shares, std::size_t most) {
    std::vector<BriefShare> list;
    list.reserve(shares.size());
    for (const auto& [name, share] : shares)
        list.push_back(share);
    std::stable_sort(list.begin(), list.end(),
                     [](const BriefShare& a, const BriefShare& b) { return a.share > b.share; });
    list.resize(std::min(list.size(), most));
    return list;
}

void add_share(std::map<std::string, BriefShare>& shares, const std::string& name, double share,
               std::uint64_t calls) {
    BriefShare& of_name = shares[name];
    of_name.name = name;
    of_name.share += share;
    of_name.calls += calls;
}

const std::string& name_of(const Profile& profile, std::uint32_t path) {
    return profile.functions[profile.paths[path].function].display;
}

// By the total time that the paths spend below each of their callers.
std::vector<BriefShare> callers_of(const Profile& profile, const std::vector<std::uint32_t>& paths,
                                   std::size_t most) {
    std::int64_t all = 0;
    for (const std::uint32_t path : paths)
        all += profile.paths[path].inclusive_ns;
    std::map<std::string, BriefShare> callers;
    for (const std::uint32_t path : paths)
        if (const std::uint32_t parent = profile.paths[path].parent; parent != no_index)
            add_share(callers, name_of(profile, parent),
                      all > 0 ? seconds(profile.paths[path].inclusive_ns) / seconds(all) : 0,
                      profile.paths[path].calls);
    return sorted(callers, most);
}

BriefFunction function_of(const Profile& profile, std::uint32_t function, const Sum& sum,
                          double all) {
    BriefFunction brief;
    brief.function = function;
    brief.name = profile.functions[function].display;
    brief.place = place_of(profile.functions[function]);
    brief.own_seconds = seconds(sum.own_ns);
    brief.error_seconds = seconds(sum.error_ns);
    brief.total_seconds = seconds(sum.total_ns);
    brief.share = brief.own_seconds / all;
    brief.calls = sum.calls;
    brief.calls_estimated = sum.calls_estimated;
    brief.path = sum.path;
    return brief;
}

std::vector<std::uint32_t> paths_of(const Profile& profile, std::uint32_t function) {
    std::vector<std::uint32_t> paths;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (profile.paths[i].function == function && !is_paused(profile, i))
            paths.push_back(i);
    return paths;
}

std::string command_for_function(std::string_view name, std::string_view file) {
    return fmt::format("vftrace report --function {} {}", shell_word(name), shell_word(file));
}

void add_ranks(FunctionBrief& brief, const Profile& profile,
               const std::vector<std::uint32_t>& paths) {
    std::vector<std::int64_t> of_rank;
    for (const RankValues& values : profile.rank_values) {
        if (std::find(paths.begin(), paths.end(), values.path) == paths.end())
            continue;
        of_rank.resize(std::max(of_rank.size(), values.exclusive_ns.size()));
        for (std::size_t i = 0; i < values.exclusive_ns.size(); i++)
            of_rank[i] += values.exclusive_ns[i];
    }
    if (of_rank.empty())
        return;
    const auto [least, most] = std::minmax_element(of_rank.begin(), of_rank.end());
    brief.ranks = static_cast<std::uint32_t>(of_rank.size());
    brief.least_rank = static_cast<std::uint32_t>(least - of_rank.begin());
    brief.most_rank = static_cast<std::uint32_t>(most - of_rank.begin());
    brief.least_seconds = seconds(*least);
    brief.most_seconds = seconds(*most);
    brief.mean_seconds = seconds(std::accumulate(of_rank.begin(), of_rank.end(), std::int64_t{0})) /
                         static_cast<double>(of_rank.size());
}

void add_lines(FunctionBrief& brief, const Profile& profile,
               const std::vector<std::uint32_t>& paths, const SourceMap& map) {
    if (profile.addresses.empty()) {
        brief.problems.emplace_back(no_addresses);
        return;
    }
    const std::set<std::uint32_t> wanted(paths.begin(), paths.end());
    const SampledLines lines(profile, map, &wanted);
    brief.problems = lines.problems();
    double all = 0;
    for (const SampleOnLine& sample : lines.samples())
        all += sample.ns;
    std::map<std::string, BriefShare> shares;
    for (const SampleOnLine& sample : lines.samples())
        if (!sample.places->empty() && sample.places->front().line > 0 && all > 0)
            add_share(shares, short_place(sample.places->front()), sample.ns / all, 0);
    brief.lines = sorted(shares, most_relations);
}

FunctionBrief brief_of_paths(const Profile& profile, std::uint32_t function,
                             const std::vector<std::uint32_t>& paths, std::string_view file,
                             const SourceMap& map) {
    FunctionBrief brief;
    Sum sum;
    for (const std::uint32_t path : paths)
        add(sum, profile, path);
    brief.function = function_of(profile, function, sum, all_seconds(profile));
    brief.function.callers = callers_of(profile, paths, most_relations);
    const std::set<std::uint32_t> parents(paths.begin(), paths.end());
    std::map<std::string, BriefShare> callees;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (profile.paths[i].parent != no_index && parents.contains(profile.paths[i].parent) &&
            !is_paused(profile, i))
            add_share(callees, name_of(profile, i),
                      brief.function.total_seconds > 0
                          ? seconds(profile.paths[i].inclusive_ns) / brief.function.total_seconds
                          : 0,
                      profile.paths[i].calls);
    brief.callees = sorted(callees, most_relations);
    add_lines(brief, profile, paths, map);
    add_ranks(brief, profile, paths);
    std::vector<std::uint32_t> by_time = paths;
    std::stable_sort(by_time.begin(), by_time.end(), [&](std::uint32_t a, std::uint32_t b) {
        return profile.paths[a].exclusive_ns > profile.paths[b].exclusive_ns;
    });
    by_time.resize(std::min<std::size_t>(by_time.size(), 5));
    for (const std::uint32_t path : by_time)
        brief.paths.emplace_back(path_id(profile, path), seconds(profile.paths[path].exclusive_ns));
    // A function of the C library cannot be changed, but the line that calls it.
    const std::uint32_t module = profile.functions[function].module;
    const bool is_common = module != no_index && is_common_library(profile.modules[module].path);
    if (is_common && !brief.function.callers.empty())
        brief.next.push_back(command_for_function(brief.function.callers.front().name, file));
    if (!brief.lines.empty())
        brief.next.push_back(profile.functions[function].kind == NodeKind::function
                                 ? fmt::format("vftrace annotate {} {}",
                                               shell_word(brief.function.name), shell_word(file))
                                 : fmt::format("vftrace report --lines {}", shell_word(file)));
    // Where the time goes if not into the function itself.
    if (!brief.callees.empty() && brief.callees.front().share > 0.5)
        brief.next.push_back(command_for_function(brief.callees.front().name, file));
    if (!is_common && !brief.function.callers.empty())
        brief.next.push_back(command_for_function(brief.function.callers.front().name, file));
    return brief;
}

}  // namespace

BriefRun brief_of_run(const Profile& profile) {
    BriefRun run;
    run.application = profile.run.application;
    run.seconds = seconds(std::max<std::int64_t>(0, profile.application_ns()));
    run.measured_seconds = seconds(profile.run.runtime_ns);
    run.ranks = profile.run.ranks;
    run.threads = profile.run.threads;
    run.ended = profile.run.ended;
    for (const QualityFigure& figure : quality(profile)) {
        run.grade = std::max(run.grade, figure.grade);
        if (figure.grade != Grade::good)
            run.remarks.push_back(figure);
    }
    const std::vector<TimeSplit> splits = time_splits(profile);
    for (const TimePart& part : time_parts) {
        double of_part = 0;
        for (const TimeSplit& split : splits)
            of_part += split.*part.seconds;
        if (const double share = of_part / all_seconds(profile); share >= 0.0005)
            run.parts.emplace_back(part.title, share);
    }
    return run;
}

Brief brief_of(const Profile& profile, std::string_view file, std::size_t most,
               const SourceMap& map) {
    Brief brief;
    brief.run = brief_of_run(profile);
    brief.findings = find_all(profile, most_findings, file);
    const auto lines = hot_lines_of_findings(profile, brief.findings, map);
    for (const RunFinding& finding : brief.findings) {
        const auto line = lines.find(finding.path);
        brief.finding_lines.push_back(line == lines.end() ? std::string() : line->second);
    }
    std::vector<Sum> sums(profile.functions.size());
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (!is_paused(profile, i))
            add(sums[profile.paths[i].function], profile, i);
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < sums.size(); i++)
        if (sums[i].own_ns > 0)
            order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return sums[a].own_ns > sums[b].own_ns;
    });
    brief.functions_in_all = order.size();
    order.resize(std::min(order.size(), most));
    const double all = all_seconds(profile);
    for (const std::uint32_t function : order) {
        BriefFunction row = function_of(profile, function, sums[function], all);
        row.callers = callers_of(profile, paths_of(profile, function), most_callers);
        brief.functions.push_back(std::move(row));
    }
    if (!brief.functions.empty())
        brief.next.push_back(command_for_function(brief.functions.front().name, file));
    if (brief.functions.size() > 1)
        brief.next.push_back(command_for_function(brief.functions[1].name, file));
    brief.next.push_back(fmt::format("vftrace report {}", shell_word(file)));
    return brief;
}

FunctionBrief brief_of_function(const Profile& profile, std::uint32_t function,
                                std::string_view file, const SourceMap& map) {
    return brief_of_paths(profile, function, paths_of(profile, function), file, map);
}

FunctionBrief brief_of_path(const Profile& profile, std::uint32_t path, std::string_view file,
                            const SourceMap& map) {
    FunctionBrief brief = brief_of_paths(profile, profile.paths[path].function, {path}, file, map);
    for (std::uint32_t at = path; at != no_index; at = profile.paths[at].parent)
        brief.chain.push_back(name_of(profile, at));
    std::reverse(brief.chain.begin(), brief.chain.end());
    return brief;
}

std::vector<std::uint32_t> functions_named(const Profile& profile, std::string_view name) {
    std::vector<std::uint32_t> exact, containing;
    for (std::uint32_t i = 0; i < profile.functions.size(); i++) {
        const Function& function = profile.functions[i];
        if (function.display == name || function.name == name || function.symbol == name ||
            function.demangled == name)
            exact.push_back(i);
        else if (function.display.find(name) != std::string::npos)
            containing.push_back(i);
    }
    return exact.empty() ? containing : exact;
}

static std::string digits_of(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string path_id(const Profile& profile, std::uint32_t path) {
    constexpr std::size_t least_digits = 6, bits_of_digit = 4;
    const std::uint64_t hash = profile.paths[path].hash;
    std::size_t needed = least_digits;
    for (const Path& other : profile.paths)
        if (const std::uint64_t differs = other.hash ^ hash; differs != 0) {
            const auto alike = static_cast<std::size_t>(std::countl_zero(differs)) / bits_of_digit;
            needed = std::max(needed, alike + 1);
        }
    return digits_of(hash).substr(0, needed);
}

std::vector<std::uint32_t> paths_with_id(const Profile& profile, std::string_view id) {
    std::vector<std::uint32_t> paths;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (digits_of(profile.paths[i].hash).starts_with(id))
            paths.push_back(i);
    return paths;
}

}  // namespace vftrace
