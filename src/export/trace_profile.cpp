// The profile of a process from its trace: what its calls would have been counted as. For tools.
#include "export/trace_profile.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "base/text.hpp"
#include "collate/rank_figures.hpp"
#include "collate/stids.hpp"
#include "compare/merge_profiles.hpp"
#include "export/thread_times.hpp"
#include "profile/display_names.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

// Files of Vftrace 2.0 have names alone.
NodeKind kind_of_name(std::string_view name) {
    if (name.starts_with("MPI_") || name.starts_with("mpi_"))
        return NodeKind::mpi;
    if (name == "vftrace_pause")
        return NodeKind::pause;
    if (name == "[thread]")
        return NodeKind::thread;
    return name.starts_with("omp ") ? NodeKind::openmp : NodeKind::function;
}

// Turns the stacks of a file into the functions and paths of a profile.
class Naming {
  public:
    Naming(const VfdFile& trace, Profile& profile) : profile_(profile) {
        profile.modules = trace.extension().modules;
        profile.functions = trace.extension().functions;
        for (const VfdStack& stack : trace.stacks()) {
            Path& path = profile.paths.emplace_back();
            path.parent = stack.parent;
            path.function = function_of(stack);
            if (profile.functions[path.function].kind == NodeKind::pause)
                path.flags |= path_paused;
        }
        set_stids(profile);
        set_display_names(profile.functions, true, false);
    }

  private:
    std::uint32_t function_of(const VfdStack& stack) {
        if (stack.function != no_index) {
            std::string& name = profile_.functions[stack.function].name;
            if (name.empty())
                name = stack.name;
            return stack.function;
        }
        const auto begin = named_.begin(), end = named_.end();
        auto place = std::lower_bound(begin, end, stack.name, [&](std::uint32_t i, const auto& n) {
            return profile_.functions[i].name < n;
        });
        if (place != end && profile_.functions[*place].name == stack.name)
            return *place;
        const auto index = static_cast<std::uint32_t>(profile_.functions.size());
        const bool is_root = stack.parent == no_index;
        Function& function = profile_.functions.emplace_back();
        function.name = function.symbol = stack.name;
        function.demangled = demangle(stack.name);
        function.kind = is_root ? NodeKind::root : kind_of_name(stack.name);
        if (!is_root)  // a function may have its name
            named_.insert(place, index);
        return index;
    }

    Profile& profile_;
    std::vector<std::uint32_t> named_;  // functions that only have names, sorted by them
};

// "Sat Nov 21 01:33:13 2026", local time; 0 if it is something else.
std::int64_t unix_ns_of_date(const std::string& date) {
    std::tm time{};
    time.tm_isdst = -1;
    if (!strptime(date.c_str(), "%a %b %d %H:%M:%S %Y", &time))
        return 0;
    return static_cast<std::int64_t>(std::mktime(&time)) * 1'000'000'000;
}

void fill_run(const VfdFile& trace, Profile& profile) {
    const VfdNumbers& numbers = trace.header().numbers;
    const VfdExtension& extension = trace.extension();
    RunInfo& run = profile.run;
    run.application = extension.application;
    run.command_line = extension.command_line;
    run.host = extension.host;
    run.config_text = extension.configuration;
    run.runtime_ns = std::isfinite(numbers.runtime_s) && std::abs(numbers.runtime_s) < 1e9
                         ? std::llround(numbers.runtime_s * 1e9)
                         : 0;
    run.start_unix_ns = extension.clock ? extension.clock->start_unix_ns
                                        : unix_ns_of_date(trace.header().start_date);
    run.end_unix_ns = run.start_unix_ns + run.runtime_ns;
    run.ranks = static_cast<std::uint32_t>(std::max(numbers.processes, 1));
    run.rank = static_cast<std::uint32_t>(std::max(numbers.rank, 0));
    run.uses_mpi = run.ranks > 1 || std::any_of(profile.functions.begin(), profile.functions.end(),
                                                [](const Function& function) {
                                                    return function.kind == NodeKind::mpi;
                                                });
}

void add_thread(const VfdFile& trace, std::uint32_t number, const TracedTimes& times,
                Profile& profile) {
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
    Profile profile;
    const Naming naming(trace, profile);
    fill_run(trace, profile);
    std::vector<bool> is_pause;
    for (const Path& path : profile.paths)
        is_pause.push_back((path.flags & path_paused) != 0);
    std::uint64_t dropped = 0, contradictions = 0;
    for (std::uint32_t number = 0; number < trace.threads().size(); number++) {
        const TracedTimes times = times_of_thread(trace, number, is_pause);
        dropped += times.dropped;
        contradictions += times.contradictions;
        add_thread(trace, number, times, profile);
    }
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
        throw ExportError(fmt::format("only ranks of one run become one export: {}", error.what()));
    }
}

}  // namespace vftrace
