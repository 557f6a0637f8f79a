#include "export/trace_profile.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "base/text.hpp"
#include "collate/rank_figures.hpp"
#include "collate/stids.hpp"
#include "compare/merge_profiles.hpp"
#include "export/thread_times.hpp"
#include "export/trace_stacks.hpp"

namespace vftrace {
namespace {

// The rows for time in which the interval left out events, each below the innermost call that is
// known to have been open.
class LeftOutRows {
  public:
    explicit LeftOutRows(Profile& profile) : profile_(profile) {}

    std::uint32_t below(std::uint32_t path) {
        const auto [found, is_new] =
            row_below_.try_emplace(path, static_cast<std::uint32_t>(profile_.paths.size()));
        if (is_new) {
            if (row_below_.size() == 1)
                add_function();
            Path& row = profile_.paths.emplace_back();
            row.parent = path;
            row.function = function_;
        }
        return found->second;
    }
    bool any() const { return !row_below_.empty(); }

  private:
    void add_function() {
        function_ = static_cast<std::uint32_t>(profile_.functions.size());
        Function& function = profile_.functions.emplace_back();
        function.kind = NodeKind::other;
        function.other_kind = "left-out";
        function.name = function.display = "[left out]";
    }

    Profile& profile_;
    std::map<std::uint32_t, std::uint32_t> row_below_;
    std::uint32_t function_ = no_index;
};

void add_thread(const VfdFile& trace, std::uint32_t number, const TracedTimes& times,
                LeftOutRows& left_out, Profile& profile) {
    const VfdThreadInfo& information = trace.threads()[number];
    ThreadFigures thread;
    thread.rank = profile.run.rank;
    thread.number = number;
    thread.name = information.name;
    thread.openmp_worker = information.openmp_worker;
    thread.start = information.openmp_worker ? 0 : times.first_stack;
    thread.lifetime_ns = times.last_ns - times.first_ns;
    const auto row = static_cast<std::uint32_t>(profile.threads.size());
    for (std::uint32_t i = 0; i < times.paths.size(); i++) {
        const PathTimes& of_thread = times.paths[i];
        if (of_thread.calls == 0 && of_thread.inclusive_ns == 0 && of_thread.exclusive_ns == 0)
            continue;
        profile.thread_paths.push_back(
            {row, i, of_thread.calls, of_thread.inclusive_ns, of_thread.exclusive_ns});
        Path& path = profile.paths[i];
        path.calls += of_thread.calls;
        path.inclusive_ns += of_thread.inclusive_ns;
        path.exclusive_ns += of_thread.exclusive_ns;
        if (path.flags & path_paused)
            profile.run.paused_ns += number == 0 ? of_thread.exclusive_ns : 0;
        else
            thread.time_ns += of_thread.exclusive_ns;
        thread.calls += of_thread.calls;
    }
    for (std::uint32_t i = 0; i < times.paths.size(); i++) {
        const std::int64_t ns = times.paths[i].left_out_ns;
        if (ns == 0)
            continue;
        const std::uint32_t path = left_out.below(i);
        profile.thread_paths.push_back({row, path, 0, ns, ns});
        profile.paths[path].inclusive_ns += ns;
        profile.paths[path].exclusive_ns += ns;
        thread.time_ns += ns;
    }
    profile.threads.push_back(std::move(thread));
    if (number == 0)
        profile.messages = times.messages;
}

void add_notices(const VfdFile& trace, std::uint64_t dropped, std::uint64_t contradictions,
                 RunInfo& run) {
    if (const std::int64_t interval = trace.header().numbers.interval_ns; interval > 0)
        add_notice(run.notices,
                   {NoticeCode::trace_thinned, {static_cast<std::uint64_t>(interval)}});
    note_count(run.notices, NoticeCode::trace_buffer_full, dropped);
    note_count(run.notices, NoticeCode::trace_exits_without_entry, contradictions);
}

}  // namespace

Profile profile_of_trace(const VfdFile& trace) {
    Profile profile = stacks_of_trace(trace);
    std::vector<bool> is_pause;
    for (const Path& path : profile.paths)
        is_pause.push_back((path.flags & path_paused) != 0);
    std::uint64_t dropped = 0, contradictions = 0;
    LeftOutRows left_out(profile);
    for (std::uint32_t number = 0; number < trace.threads().size(); number++) {
        const TracedTimes times = times_of_thread(trace, number, is_pause);
        dropped += times.dropped;
        contradictions += times.contradictions;
        add_thread(trace, number, times, left_out, profile);
    }
    if (left_out.any())
        set_stids(profile);
    profile.run.threads = static_cast<std::uint32_t>(profile.threads.size());
    if (profile.threads.size() < 2)
        profile.thread_paths.clear();
    if (profile.run.uses_mpi)
        profile.ranks.push_back(rank_figures(profile));
    add_notices(trace, dropped, contradictions, profile.run);
    return profile;
}

SourceProfiles profiles_of_source(const ExportSource& source, ExportOutput& output) {
    SourceProfiles result;
    std::vector<std::string> files = source.profile_names;
    for (const Profile& profile : source.profiles)
        result.profiles.push_back(&profile);
    for (const auto& trace : source.traces) {
        output.progress(result.of_traces.size(), source.traces.size());
        result.of_traces.push_back(profile_of_trace(*trace));
        files.push_back(trace->path());
        for (const Notice& notice : result.of_traces.back().run.notices)
            output.remark(fmt::format("{}: {}", trace->path(), full_sentence(notice)));
    }
    for (const Profile& profile : result.of_traces)
        result.profiles.push_back(&profile);

    std::vector<std::uint32_t> ranks;
    for (const Profile* profile : result.profiles)
        if (profile->run.uses_mpi && profile->ranks.size() <= 1)
            ranks.push_back(profile->run.rank);
    std::sort(ranks.begin(), ranks.end());
    const bool are_ranks = ranks.size() == result.profiles.size() &&
                           std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end();
    if (result.profiles.size() > 1)
        for (std::size_t i = 0; i < result.profiles.size(); i++)
            result.names.push_back(are_ranks ? fmt::format("rank {}", result.profiles[i]->run.rank)
                                             : std::string(base_name(files[i])));
    return result;
}

Profile merged_profile_of_source(const ExportSource& source, ExportOutput& output) {
    SourceProfiles all = profiles_of_source(source, output);
    if (all.profiles.size() == 1) {
        if (!all.of_traces.empty())
            return std::move(all.of_traces.front());
        return *all.profiles.front();
    }
    std::vector<Profile> copies;
    std::vector<std::string> files = source.profile_names;
    for (const Profile* profile : all.profiles)
        copies.push_back(*profile);
    for (const auto& trace : source.traces)
        files.push_back(trace->path());
    try {
        return merge_ranks(std::move(copies), files);
    } catch (const MergeError& error) {
        throw ExportError(
            fmt::format("only ranks of one run can be exported together: {}", error.what()));
    }
}

}  // namespace vftrace
