#include "model/run_table.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "report/path_text.hpp"

namespace vftrace {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// A figure of one path of a profile, summed over ranks.
struct OfPath {
    const char *id, *title, *unit, *of_program;
    double (*value)(const Path& path);
};
constexpr OfPath of_paths[] = {
    {"time_excl", "Exclusive time", "s", "run time",
     [](const Path& path) { return seconds(path.exclusive_ns); }},
    {"time_incl", "Inclusive time", "s", "run time",
     [](const Path& path) { return seconds(path.inclusive_ns); }},
    {"calls", "Calls", "", "calls",
     [](const Path& path) { return static_cast<double>(path.calls); }},
};
// The time of the longest rank, which is in the list of spreads.
constexpr std::string_view longest_rank = "time_excl_max";

const OfPath* find_of_path(const std::string& id) {
    for (const OfPath& row : of_paths)
        if (id == row.id)
            return &row;
    return nullptr;
}

bool is_paused(const Profile& profile, const Path& path) {
    return (path.flags & path_paused) != 0 ||
           profile.functions[path.function].kind == NodeKind::pause;
}

std::string build_id_of(const Profile& profile) {
    for (const Module& module : profile.modules)
        if (std::filesystem::path(module.path).filename() == profile.run.application)
            return module.build_id;
    return {};
}

void add(double& sum, double value) { sum = std::isnan(sum) ? value : sum + value; }

// Index of a metric of paths.
std::optional<std::uint32_t> find_metric(const Profile& profile, const std::string& name) {
    for (std::uint32_t i = 0; i < profile.metrics.size(); i++)
        if (profile.metrics[i].scope == MetricScope::path && profile.metrics[i].name == name)
            return i;
    return std::nullopt;
}

}  // namespace

RunTable::RunTable(const std::vector<std::string>& metrics) {
    for (const std::string& id : metrics) {
        if (const OfPath* row = find_of_path(id))
            metrics_.push_back({id, row->title, row->unit, row->of_program});
        else if (id == longest_rank)
            metrics_.push_back({id, "Exclusive time of the longest rank", "s", "run time"});
        else
            metrics_.push_back({id, id, "", ""});
        metric_is_known_.push_back(find_of_path(id) || id == longest_rank);
    }
    program_.resize(metrics_.size());
}

const RunTable::Run* RunTable::find(const Profile& profile) const {
    for (const Run& run : runs_)
        if (run.start_unix_ns == profile.run.start_unix_ns && run.pid == profile.run.pid &&
            run.host == profile.run.host && run.application == profile.run.application)
            return &run;
    return nullptr;
}

void RunTable::check_program(const Run& run, bool any_version) const {
    if (runs_.empty())
        return;
    const Run& first = runs_.front();
    if (run.application != first.application)
        throw ModelError(fmt::format("{} is from the program \"{}\", {} from \"{}\"", run.file,
                                     run.application, first.file, first.application));
    if (!any_version && !run.build_id.empty() && !first.build_id.empty() &&
        run.build_id != first.build_id)
        throw ModelError(fmt::format("{} and {} are from different builds of \"{}\" (--any-build "
                                     "models them anyway)",
                                     first.file, run.file, run.application));
}

std::uint32_t RunTable::path_of_hash(std::uint64_t hash) {
    const auto [entry, is_new] =
        path_of_.try_emplace(hash, static_cast<std::uint32_t>(paths_.size()));
    if (is_new)
        paths_.emplace_back().values.assign(metrics_.size(),
                                            std::vector<double>(runs_.size(), nothing));
    return entry->second;
}

void RunTable::add(const Profile& profile, const std::string& file, bool any_version) {
    Run run{file,
            profile.run.application,
            build_id_of(profile),
            static_cast<std::uint32_t>(profile.summed_ranks()),
            profile.run.threads,
            profile.run.parameters,
            profile.run.start_unix_ns,
            profile.run.pid,
            profile.run.host,
            profile.run.snapshot ? "was still running" : ""};
    if (!profile.run.ended.empty())
        run.ended = fmt::format("was ended by {}", profile.run.ended);
    check_program(run, any_version);
    if (profile.run.ranks > run.ranks)
        throw ModelError(fmt::format("{} has {} of the {} ranks of its run (vftrace merge makes "
                                     "one profile of them)",
                                     file, run.ranks, profile.run.ranks));
    runs_.push_back(std::move(run));
    for (Path& path : paths_)
        for (std::vector<double>& values : path.values)
            values.push_back(nothing);
    for (std::vector<double>& values : program_)
        values.push_back(nothing);
    for (auto& [function, filtered] : filtered_)
        filtered.push_back(false);

    const PathText text(profile, std::string::npos);
    std::vector<std::uint32_t> row_of(profile.paths.size(), no_index);
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const vftrace::Path& path = profile.paths[i];
        if (is_paused(profile, path))
            continue;
        if (path.exclusive_ns < 0 || path.inclusive_ns < 0)
            throw ModelError(
                fmt::format("{}: the time of {} is negative", file, text.call_path(i)));
        row_of[i] = path_of_hash(path.hash);
        Path& row = paths_[row_of[i]];
        if (!row.text.empty())
            continue;
        const Function& function = profile.functions[path.function];
        row.function = text.function(i);
        row.text = text.call_path(i);
        row.symbol = function.symbol.empty() ? function.name : function.symbol;
        if (path.parent != no_index)
            row.parent = row_of[path.parent];
    }
    add_values(profile, row_of);
    for (const FilteredFunction& filtered : profile.filtered) {
        std::vector<bool>& runs = filtered_[text.name(filtered.function)];
        runs.resize(runs_.size());
        runs.back() = filtered.reason != FilterReason::sampled;
    }
}

void RunTable::add_values(const Profile& profile, const std::vector<std::uint32_t>& row_of) {
    const auto ranks = static_cast<double>(profile.summed_ranks());
    const double run_time = seconds(profile.application_ns());
    if (run_time < 0)
        throw ModelError(fmt::format("{}: the run time is negative", runs_.back().file));
    for (std::size_t m = 0; m < metrics_.size(); m++) {
        RunMetric& metric = metrics_[m];
        const auto row = [&](std::uint32_t path) -> double& {
            return paths_[row_of[path]].values[m].back();
        };
        double& program = program_[m].back();
        if (metric.of_program == "run time")
            program = run_time;
        if (const OfPath* figure = find_of_path(metric.id)) {
            for (std::uint32_t i = 0; i < profile.paths.size(); i++)
                if (row_of[i] != no_index) {
                    const double value = figure->value(profile.paths[i]) / ranks;
                    vftrace::add(row(i), value);
                    if (metric.of_program == "calls")
                        vftrace::add(program, value);
                }
            continue;
        }
        if (metric.id == longest_rank) {
            for (std::uint32_t i = 0; i < profile.paths.size(); i++)
                if (row_of[i] != no_index)
                    vftrace::add(row(i), seconds(i < profile.spread.size()
                                                     ? profile.spread[i].max_ns
                                                     : profile.paths[i].exclusive_ns));
            continue;
        }
        const std::optional<std::uint32_t> index = find_metric(profile, metric.id);
        if (!index)
            continue;
        const Metric& known = profile.metrics[*index];
        metric_is_known_[m] = true;
        metric.title = known.title.empty() ? known.name : known.title;
        metric.unit = known.unit == "ns" ? "s" : known.unit;
        const double scale =
            (known.unit == "ns" ? 1e-9 : 1.0) / (known.reduction == Reduction::sum ? ranks : 1.0);
        const bool adds_up =
            known.reduction == Reduction::sum && known.part == MetricPart::exclusive;
        if (adds_up)
            metric.of_program = "sum";
        for (const MetricValue& value : profile.metric_values)
            if (value.metric == *index && row_of[value.path] != no_index) {
                vftrace::add(row(value.path), value.value * scale);
                if (adds_up)
                    vftrace::add(program, value.value * scale);
            }
    }
}

void RunTable::check_metrics() const {
    for (std::size_t m = 0; m < metrics_.size(); m++) {
        if (metric_is_known_[m])
            continue;
        throw ModelError(
            fmt::format("none of the runs has the metric \"{}\"; {}, {} and the profiles' metrics "
                        "of call paths can be modelled",
                        metrics_[m].id, "time_excl, time_incl, calls", longest_rank));
    }
}

void RunTable::keep_runs(const std::vector<std::size_t>& runs) {
    const auto keep = [&](auto& list) {
        auto kept = list;
        kept.clear();
        for (const std::size_t run : runs)
            kept.push_back(list[run]);
        list = std::move(kept);
    };
    keep(runs_);
    for (Path& path : paths_)
        for (std::vector<double>& values : path.values)
            keep(values);
    for (std::vector<double>& values : program_)
        keep(values);
    for (auto& [function, filtered] : filtered_)
        keep(filtered);
}

std::vector<std::string> RunTable::filtered_in_some() const {
    std::vector<std::string> result;
    for (const auto& [function, runs] : filtered_) {
        const auto filtered = std::count(runs.begin(), runs.end(), true);
        if (filtered > 0 && static_cast<std::size_t>(filtered) < runs.size())
            result.push_back(function);
    }
    return result;
}

}  // namespace vftrace
