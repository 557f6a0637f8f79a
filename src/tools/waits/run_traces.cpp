#include "waits/run_traces.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "collate/stids.hpp"
#include "export/replay.hpp"
#include "export/trace_stacks.hpp"

namespace vftrace {
namespace {

// Without this limit, a damaged file could request any amount of memory.
constexpr std::uint32_t largest_rank = 1 << 24;

}  // namespace

std::int64_t RankTrace::end_ns() const { return clock(end_of_run_ns(*file)); }

RunTraces::RunTraces(const std::vector<std::string>& files) {
    open(files);
    check_that_they_belong_together();
    check_operations();
    align();
    unite_paths();
}

void RunTraces::open(const std::vector<std::string>& files) {
    for (const std::string& path : files) {
        RankTrace& trace = ranks_.emplace_back();
        trace.file = std::make_unique<VfdFile>(path);
        trace.rank = static_cast<std::uint32_t>(
            std::max<std::int32_t>(trace.file->header().numbers.rank, 0));
        if (trace.rank > largest_rank)
            throw WaitsError(
                fmt::format("{} is from rank {}: the file is damaged", path, trace.rank));
    }
    std::sort(ranks_.begin(), ranks_.end(),
              [](const RankTrace& a, const RankTrace& b) { return a.rank < b.rank; });
    const std::int32_t processes = ranks_.front().file->header().numbers.processes;
    processes_ = static_cast<std::uint32_t>(std::max(processes, 1));
    index_of_rank_.assign(std::size_t{ranks_.back().rank} + 1, no_rank);
    for (std::uint32_t i = 0; i < ranks_.size(); i++)
        index_of_rank_[ranks_[i].rank] = i;
}

void RunTraces::check_that_they_belong_together() const {
    const VfdFile& first = *ranks_.front().file;
    const RankTrace* latest_start = nullptr;
    const RankTrace* earliest_end = nullptr;
    const auto start = [](const RankTrace& trace) {
        return trace.file->extension().clock->start_unix_ns;
    };
    const auto end = [&](const RankTrace& trace) {
        return start(trace) + end_of_run_ns(*trace.file);
    };
    for (std::size_t i = 0; i < ranks_.size(); i++) {
        const RankTrace& trace = ranks_[i];
        const VfdNumbers& numbers = trace.file->header().numbers;
        if (i > 0 && ranks_[i - 1].rank == trace.rank)
            throw WaitsError(fmt::format("{} and {} are both from rank {}: these are not the "
                                         "traces of one run",
                                         ranks_[i - 1].file->path(), trace.file->path(),
                                         trace.rank));
        if (numbers.processes != first.header().numbers.processes)
            throw WaitsError(fmt::format("{} is from a run with {} processes, {} from one with "
                                         "{}: these are not the traces of one run",
                                         first.path(),
                                         std::int32_t{first.header().numbers.processes},
                                         trace.file->path(), std::int32_t{numbers.processes}));
        if (!trace.file->extension().clock)
            throw WaitsError(fmt::format("{} does not record how its clock differs from those of "
                                         "other ranks: it was written by {}",
                                         trace.file->path(), trace.file->header().package));
        if (!latest_start || start(trace) > start(*latest_start))
            latest_start = &trace;
        if (!earliest_end || end(trace) < end(*earliest_end))
            earliest_end = &trace;
    }
    // The clocks of hosts differ by less than this.
    constexpr std::int64_t slack_ns = 60'000'000'000;
    const bool one_host =
        earliest_end->file->extension().host == latest_start->file->extension().host;
    if (start(*latest_start) > end(*earliest_end) + (one_host ? 0 : slack_ns))
        throw WaitsError(
            fmt::format("{} ends before {} begins: these are not the traces of one run",
                        earliest_end->file->path(), latest_start->file->path()));
}

void RunTraces::check_operations() const {
    const bool any = std::any_of(ranks_.begin(), ranks_.end(), [](const RankTrace& trace) {
        return trace.file->extension().has_operations;
    });
    if (any)
        return;
    const VfdFile& first = *ranks_.front().file;
    throw WaitsError(fmt::format("{} does not record what MPI calls waited for: the program did "
                                 "not use MPI, its messages were not recorded, or the version "
                                 "that wrote the trace ({}) did not record this",
                                 first.path(), first.header().package));
}

void RunTraces::align() {
    std::vector<const VfdFile*> files;
    for (const RankTrace& trace : ranks_)
        files.push_back(trace.file.get());
    const ClockAlignment alignment = align_clocks(files);
    clock_source_ = alignment.source;
    for (std::size_t i = 0; i < ranks_.size(); i++) {
        ranks_[i].clock = alignment.clocks[i];
        ranks_[i].clock_error_ns = alignment.errors[i];
    }
}

// A path has the same hash on all ranks, because the hash is that of its functions' names.
void RunTraces::unite_paths() {
    std::unordered_map<std::uint64_t, std::uint32_t> path_of_hash;
    std::map<std::pair<std::string_view, std::string>, std::uint32_t> function_named;
    for (RankTrace& trace : ranks_) {
        const Profile own = stacks_of_trace(*trace.file);
        for (const Path& path : own.paths) {
            const auto [known, is_new] = path_of_hash.try_emplace(
                path.hash, static_cast<std::uint32_t>(paths_.paths.size()));
            if (is_new) {
                const Function& function = own.functions[path.function];
                const auto [of_name, is_new_name] =
                    function_named.try_emplace({row_of(function.kind).word, function.name},
                                               static_cast<std::uint32_t>(paths_.functions.size()));
                if (is_new_name) {
                    paths_.functions.push_back(function);
                    paths_.functions.back().module = no_index;
                }
                Path& added = paths_.paths.emplace_back();
                added.function = of_name->second;
                added.flags = path.flags;
                added.parent =
                    path.parent == no_index ? no_index : trace.path_of_stack[path.parent];
            }
            trace.path_of_stack.push_back(known->second);
        }
        if (paths_.run.ranks < own.run.ranks || &trace == &ranks_.front())
            paths_.run = own.run;
        paths_.run.runtime_ns = std::max(paths_.run.runtime_ns, own.run.runtime_ns);
    }
    paths_.run.uses_mpi = true;
    paths_.run.ranks = processes_;
    set_stids(paths_);
}

}  // namespace vftrace
