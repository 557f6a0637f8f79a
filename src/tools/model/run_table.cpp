#include "model/run_table.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "base/text.hpp"
#include "report/path_text.hpp"

namespace vftrace {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// A figure of one path of a profile, summed over ranks.
struct OfPath {
    const char *id, *title, *unit, *of_program;
    bool is_exclusive;
    double (*value)(const Path& path);
};
constexpr OfPath of_paths[] = {
    {"time_excl", "Exclusive time", "s", "run time", true,
     [](const Path& path) { return seconds(path.exclusive_ns); }},
    {"time_incl", "Inclusive time", "s", "run time", false,
     [](const Path& path) { return seconds(path.inclusive_ns); }},
    {"calls", "Calls", "", "calls", true,
     [](const Path& path) { return static_cast<double>(path.calls); }},
};
// A figure of the messages of one path, summed over ranks.
struct OfMessages {
    const char *id, *title, *unit;
    double (*value)(const PathMessages& messages);
};
constexpr OfMessages of_messages[] = {
    {"messages_sent", "Messages sent", "",
     [](const PathMessages& path) { return static_cast<double>(path.sent.messages); }},
    {"messages_received", "Messages received", "",
     [](const PathMessages& path) { return static_cast<double>(path.received.messages); }},
    {"bytes_sent", "Bytes sent", "B",
     [](const PathMessages& path) { return static_cast<double>(path.sent.bytes); }},
    {"bytes_received", "Bytes received", "B",
     [](const PathMessages& path) { return static_cast<double>(path.received.bytes); }},
};
// The largest memory of a rank, which only the whole program has.
constexpr std::string_view memory = "memory";

const OfMessages* find_of_messages(const std::string& id) {
    for (const OfMessages& row : of_messages)
        if (id == row.id)
            return &row;
    return nullptr;
}

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

RunTable::RunTable(const std::vector<std::string>& metrics, bool times_ranks)
    : times_ranks_(times_ranks) {
    for (const std::string& id : metrics) {
        const char* const of_ranks = times_ranks ? ", sum over ranks" : ", mean over ranks";
        bool is_known = true;
        if (const OfPath* row = find_of_path(id))
            metrics_.push_back(
                {id, row->title, row->unit, row->of_program, of_ranks, row->is_exclusive});
        else if (const OfMessages* messages = find_of_messages(id))
            metrics_.push_back({id, messages->title, messages->unit, "sum", of_ranks, true});
        else if (id == longest_rank)
            metrics_.push_back(
                {id, "Exclusive time of the longest rank", "s", "run time", "", false});
        else if (id == memory)
            metrics_.push_back({id, "Largest memory of a process", "B", "memory", "", false});
        else {
            metrics_.push_back({id, id, "", "", of_ranks, false});
            is_known = false;
        }
        metric_is_known_.push_back(is_known);
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
    const auto all_ranks = static_cast<double>(profile.summed_ranks());
    const double ranks = times_ranks_ ? 1 : all_ranks;
    const double run_time = seconds(profile.application_ns()) * (times_ranks_ ? all_ranks : 1);
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
        if (metric.id == memory) {
            for (const RankFigures& rank : profile.ranks)
                if (const auto bytes = static_cast<double>(rank.memory_bytes); !(bytes <= program))
                    program = bytes;
            continue;
        }
        if (const OfMessages* figure = find_of_messages(metric.id)) {
            // A run without messages has none; a path without them does not have such a figure.
            program = 0;
            for (const PathMessages& messages : profile.messages)
                if (row_of[messages.path] != no_index) {
                    const double value = figure->value(messages) / ranks;
                    vftrace::add(row(messages.path), value);
                    program += value;
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
        if (adds_up) {
            metric.of_program = "sum";
            metric.is_exclusive = true;
        }
        for (const MetricValue& value : profile.metric_values)
            if (value.metric == *index && row_of[value.path] != no_index) {
                vftrace::add(row(value.path), value.value * scale);
                if (adds_up)
                    vftrace::add(program, value.value * scale);
            }
    }
}

void RunTable::add(const Measurements& measurements, const std::string& file) {
    if (!runs_.empty())
        throw ModelError(fmt::format("{}: measurements of Extra-P cannot be modelled together with "
                                     "other files",
                                     file));
    // The runs of a point: as many as the figure with most values there has.
    std::map<std::vector<double>, std::uint32_t> first_run;
    std::map<std::vector<double>, std::size_t> most;
    for (const Measurements::Figure& figure : measurements.figures) {
        most[figure.point] = std::max(most[figure.point], figure.values.size());
        for (const double value : figure.values)
            if (value < 0)
                throw ModelError(fmt::format("{}: a value of {} of {} is negative", file,
                                             figure.metric, figure.callpath));
    }
    for (const auto& [point, values] : most) {
        first_run[point] = static_cast<std::uint32_t>(runs_.size());
        for (std::size_t i = 0; i < values; i++) {
            Run& run = runs_.emplace_back();
            run.file = file;
            run.application = std::string(base_name(file));
            for (std::size_t p = 0; p < point.size(); p++)
                run.parameters.push_back({measurements.parameters[p], point[p]});
        }
    }
    for (std::vector<double>& values : program_)
        values.assign(runs_.size(), nothing);
    std::map<std::string, std::uint32_t> path_of;
    const auto find_path = [&](const auto& self, const std::string& callpath) -> std::uint32_t {
        if (const auto known = path_of.find(callpath); known != path_of.end())
            return known->second;
        const std::size_t arrow = callpath.rfind("->");
        const std::uint32_t parent =
            arrow == std::string::npos ? no_index : self(self, callpath.substr(0, arrow));
        Path path;
        path.function = arrow == std::string::npos ? callpath : callpath.substr(arrow + 2);
        path.symbol = path.function;
        path.parent = parent;
        path.text = path.function + (parent == no_index ? "" : "<" + paths_[parent].text);
        path.values.assign(metrics_.size(), std::vector<double>(runs_.size(), nothing));
        paths_.push_back(std::move(path));
        return path_of[callpath] = static_cast<std::uint32_t>(paths_.size() - 1);
    };
    for (const Measurements::Figure& figure : measurements.figures)
        for (std::size_t m = 0; m < metrics_.size(); m++)
            if (metrics_[m].id == figure.metric) {
                metrics_[m].title = figure.metric;
                metrics_[m].unit.clear();
                metrics_[m].of_program.clear();
                metrics_[m].of_ranks.clear();
                metrics_[m].is_exclusive = false;
                metric_is_known_[m] = true;
                std::vector<double>& values =
                    paths_[find_path(find_path, figure.callpath)].values[m];
                for (std::size_t i = 0; i < figure.values.size(); i++)
                    values[first_run[figure.point] + i] = figure.values[i];
            }
}

void RunTable::check_metrics() const {
    for (std::size_t m = 0; m < metrics_.size(); m++) {
        if (metric_is_known_[m])
            continue;
        throw ModelError(
            fmt::format("none of the runs has the metric \"{}\"; {}, {} and the profiles' metrics "
                        "of call paths can be modelled",
                        metrics_[m].id,
                        "time_excl, time_incl, calls, messages_sent, messages_received, "
                        "bytes_sent, bytes_received, memory",
                        longest_rank));
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
