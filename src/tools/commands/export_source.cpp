#include "commands/export_source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/core.h>

#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"

namespace vftrace::tools {
namespace {

void check_same_run(const VfdFile& first, const VfdFile& other) {
    const std::int32_t first_count = first.header().numbers.processes;
    const std::int32_t other_count = other.header().numbers.processes;
    if (first_count != other_count)
        throw CommandError(fmt::format("{} is from a run with {} processes, {} from one with {}",
                                       first.path(), first_count, other.path(), other_count));
    const std::optional<VfdClock>&a = first.extension().clock, &b = other.extension().clock;
    if (!a || !b)
        return;
    // The clocks of hosts differ by less than this.
    constexpr double slack_s = 60.0;
    auto begins_after = [](const VfdClock& later, const VfdClock& clock, const VfdFile& file) {
        return static_cast<double>(later.start_unix_ns) * 1e-9 >
               static_cast<double>(clock.start_unix_ns) * 1e-9 + file.header().numbers.runtime_s +
                   slack_s;
    };
    if (begins_after(*b, *a, first) || begins_after(*a, *b, other))
        throw CommandError(fmt::format("{} and {} are from different runs: one had ended before "
                                       "the other began",
                                       first.path(), other.path()));
}

void report_missing_ranks(const std::vector<std::unique_ptr<VfdFile>>& traces) {
    const std::int32_t processes = traces.front()->header().numbers.processes;
    const auto missing = static_cast<std::size_t>(processes) - traces.size();
    if (missing == 0)
        return;
    // Only the first missing rank is reported, which is enough to look for its file.
    std::int32_t absent = 0;
    for (const std::unique_ptr<VfdFile>& trace : traces)
        if (trace->header().numbers.rank == absent)
            absent++;
    remark(fmt::format("traces of {} of {} ranks are missing, the first being that of rank {}",
                       missing, processes, absent));
}

}  // namespace

// vfd files begin with their version, and unfinished traces with their magic number.
bool is_profile(const std::string& file) {
    char first = 0;
    std::ifstream(profile_file(file), std::ios::binary) >> first;  // skips white space
    return first == '{';
}

std::vector<std::unique_ptr<VfdFile>> open_traces(const std::vector<std::string>& files) {
    std::vector<std::unique_ptr<VfdFile>> traces;
    traces.reserve(files.size());
    for (const std::string& file : files)
        traces.push_back(std::make_unique<VfdFile>(file));
    for (const std::unique_ptr<VfdFile>& trace : traces)
        check_same_run(*traces.front(), *trace);
    auto rank_of = [](const std::unique_ptr<VfdFile>& trace) {
        return trace->header().numbers.rank;
    };
    std::stable_sort(traces.begin(), traces.end(),
                     [&](const auto& a, const auto& b) { return rank_of(a) < rank_of(b); });
    for (std::size_t i = 1; i < traces.size(); i++)
        if (rank_of(traces[i]) == rank_of(traces[i - 1]))
            throw CommandError(fmt::format("{} and {} are both the trace of rank {}",
                                           traces[i - 1]->path(), traces[i]->path(),
                                           rank_of(traces[i])));
    report_missing_ranks(traces);
    return traces;
}

std::string default_output(const std::string& suffix, const std::vector<std::string>& files) {
    const std::filesystem::path first(files.front());
    std::string name = first.stem().string();
    for (const std::string& file : files) {
        const std::string other = std::filesystem::path(file).stem().string();
        name.erase(std::mismatch(name.begin(), name.end(), other.begin(), other.end()).first,
                   name.end());
    }
    if (files.size() > 1)
        name.erase(name.find_last_not_of("_-.0123456789") + 1);
    if (name.empty())
        name = "vftrace";
    return (first.parent_path() / (name + suffix)).string();
}

void check_output(const std::string& output, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        std::error_code error;
        if (std::filesystem::equivalent(file, output, error) && !error)
            throw CommandError(fmt::format("{} would be overwritten by the output", file));
    }
}

}  // namespace vftrace::tools
