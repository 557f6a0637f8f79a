#include "commands/host_ranks.hpp"

#include <algorithm>
#include <fstream>
#include <unistd.h>

#include <fmt/core.h>

#include "commands/commands.hpp"
#include "commands/job_hosts.hpp"
#include "live/jobs.hpp"
#include "recover/file_image.hpp"
#include "recover/running_process.hpp"

namespace vftrace::tools {
namespace {

// Processor time of a thread, 0 if the kernel does not report it.
std::uint64_t processor_ns_of_thread(std::int64_t pid, std::int64_t tid) {
    std::ifstream file(fmt::format("/proc/{}/task/{}/schedstat", pid, tid));
    std::uint64_t ns = 0;
    file >> ns;
    return ns;
}

// The kernel's number of a thread, as this process sees it; 0 if it is in another namespace.
std::int64_t visible_tid(const LiveFacts& facts, const LiveThread& thread) {
    if (thread.tid == facts.own_pid)
        return facts.pid;
    return facts.pid == facts.own_pid ? thread.tid : 0;
}

std::string job_of(const LiveFacts& facts) {
    return facts.job.empty() ? facts.application : facts.job;
}

}  // namespace

void HostRanks::add(const FoundProcess& found, bool recorded, std::vector<std::string>& problems) {
    try {
        Rank rank;
        rank.process = std::make_unique<LiveProcess>(found, names_);
        rank.recorded = recorded;
        rank.progress = rank.looked = Clock::now();
        ranks_.push_back(std::move(rank));
    } catch (const NotWatchable& reason) {
        problems.push_back(reason.what());
    }
}

void HostRanks::add_processes(const std::vector<std::int64_t>& pids) {
    for (const std::int64_t pid : pids)
        try {
            add(find_process(pid), false, problems_);
        } catch (const NotWatchable& reason) {
            problems_.push_back(reason.what());
        }
}

void HostRanks::add_files(const std::vector<std::string>& paths) {
    ranks_.reserve(ranks_.size() + paths.size());
    for (const std::string& path : paths)
        try {
            const FileImage image = FileImage::of_file(path, sizeof(ProcessRecord));
            FoundProcess found;
            found.pid = image.record().pid;
            found.start = image.record().process_start;
            found.tree_file = path;
            add(found, true, problems_);
        } catch (const TreeFileError& error) {
            problems_.push_back(error.what());
        }
}

void HostRanks::add_job(const std::string& job, const std::string& tree_directory) {
    const FoundProcesses found = find_processes(tree_directory);
    for (const FoundProcess& process : found.processes)
        add(process, false, strangers_);
    std::vector<const LiveFacts*> facts;
    for (const Rank& rank : ranks_)
        facts.push_back(&rank.process->facts());
    const JobMembers meant = members_of_job(facts, job);
    std::vector<Rank> members;
    std::vector<const LiveFacts*> jobs;
    for (const std::size_t i : meant.jobs)
        jobs.push_back(facts[i]);
    for (const std::size_t i : meant.members)
        members.push_back(std::move(ranks_[i]));
    ranks_ = std::move(members);
    if (jobs.size() <= 1)
        return;
    std::string list;
    for (const LiveFacts* each : jobs)
        list += fmt::format("{}{} ({}process {})", list.empty() ? "" : ", ", each->application,
                            each->job.empty() ? "" : fmt::format("job {}, ", each->job), each->pid);
    throw CommandError(fmt::format("{}: several jobs run on this host: {}; select one with --job, "
                                   "or give the ids of its processes",
                                   own_host_name(), list));
}

bool HostRanks::is_waiting(const LiveThread& thread) const {
    if (thread.open.empty())
        return false;
    const TimeIn time_in = names_.function_of(thread.open.back().path).time_in;
    return time_in == TimeIn::mpi || time_in == TimeIn::openmp_wait;
}

// The first thread of the process, which is usually the one that calls MPI; otherwise the first
// that has an open call.
const LiveThread* HostRanks::shown_thread(const Rank& rank) const {
    const LiveThread* shown = nullptr;
    for (const LiveThread& thread : rank.process->threads()) {
        if (thread.tid == rank.process->facts().own_pid && thread.in_use)
            return &thread;
        if (!shown && thread.in_use && !thread.open.empty())
            shown = &thread;
    }
    return shown;
}

void HostRanks::look_at(Rank& rank) {
    rank.process->refresh();
    const LiveFacts& facts = rank.process->facts();
    if (rank.recorded || rank.process->presence() != Presence::running)
        return;
    std::uint64_t calls = 0, polls = 0, used = 0;
    bool paused = false;
    const LiveThread* const shown = shown_thread(rank);
    for (const LiveThread& thread : rank.process->threads()) {
        calls += thread.calls;
        polls += thread.polls;
        paused = paused || thread.paused;
        const bool idle = thread.open.empty() && &thread != shown;
        if (const std::int64_t tid = visible_tid(facts, thread);
            thread.in_use && tid && !idle && !is_waiting(thread))
            used += processor_ns_of_thread(facts.pid, tid);
    }
    const Clock::time_point now = Clock::now();
    const double passed_ns = std::chrono::duration<double, std::nano>(now - rank.progress).count();
    const double looked_ns = std::chrono::duration<double, std::nano>(now - rank.looked).count();
    const double more_ns =
        used > rank.processor_ns ? static_cast<double>(used - rank.processor_ns) : 0;
    // A thread that polls with sleeps does not make progress: it uses the processor for less than a
    // hundredth of the time.
    constexpr double share = 0.01;
    const bool computed = more_ns > share * passed_ns && polls == rank.polls;
    rank.busy = looked_ns > 0 ? more_ns / looked_ns : 0;
    rank.looked = now;
    const bool progress = calls != rank.calls || computed || paused;
    if (progress || used < rank.processor_ns) {
        rank.calls = calls;
        rank.polls = polls;
        rank.processor_ns = used;
    }
    if (progress)
        rank.progress = now;
}

void HostRanks::refresh() {
    for (Rank& rank : ranks_)
        look_at(rank);
}

bool HostRanks::any_runs() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) {
        return rank.process->presence() == Presence::running;
    });
}

bool HostRanks::all_stuck(double seconds) const {
    const Clock::time_point now = Clock::now();
    return std::all_of(ranks_.begin(), ranks_.end(), [&](const Rank& rank) {
        return rank.process->presence() != Presence::running ||
               std::chrono::duration<double>(now - rank.progress).count() >= seconds;
    });
}

RankPlace HostRanks::place_of(const Rank& rank) const {
    const LiveFacts& facts = rank.process->facts();
    // A process that does not use MPI does not have a rank: its place in the list is used.
    const auto number = static_cast<std::uint32_t>(&rank - ranks_.data());
    RankPlace place{
        facts.uses_mpi ? facts.rank : number, facts.host, "", Activity::unknown, 0, false};
    const LiveThread* const thread = shown_thread(rank);
    if (!thread)
        return place;
    if (!thread->open.empty()) {
        const OpenCall& call = thread->open.back();
        std::vector<std::string> names;
        for (std::uint32_t path = call.path;
             path != no_path && names_.paths[path].parent != no_path;
             path = names_.paths[path].parent)
            names.push_back(names_.function_of(path).name);
        place.path = place_text(names, levels_);
        place.seconds = call.seconds;
        place.at_least = call.at_least;
    }
    const std::int64_t tid = visible_tid(facts, *thread);
    const char state = rank.recorded || tid == 0 ? '?' : state_of_thread(facts.pid, tid);
    constexpr double mostly = 0.1;
    if (thread->paused)
        place.activity = Activity::not_recorded;
    else if (state == 'T' || state == 't')
        place.activity = Activity::stopped;
    else if (!thread->open.empty() &&
             names_.function_of(thread->open.back().path).time_in == TimeIn::mpi)
        place.activity = Activity::waits;
    else if (state == 'D')
        place.activity = Activity::waits_for_disk;
    else if (state == 'R' || (state == 'S' && rank.busy > mostly))
        place.activity = Activity::computes;
    else if (state == 'S')
        place.activity = Activity::sleeps;
    return place;
}

RollCall HostRanks::roll_call() const {
    RollCall call;
    call.problems = problems_;
    for (const Rank& rank : ranks_) {
        const LiveFacts& facts = rank.process->facts();
        call.expected = std::max(call.expected, facts.ranks);
        if (call.application.empty())
            call.application = facts.application;
        const Presence presence = rank.process->presence();
        const bool readable = presence != Presence::damaged && presence != Presence::other_version;
        if (presence == Presence::running || (rank.recorded && readable))
            call.add(place_of(rank));
        else
            call.problems.push_back(
                fmt::format("rank {}: {}", facts.rank, rank.process->problem()));
    }
    if (call.count() < call.expected || ranks_.empty())
        call.problems.insert(call.problems.end(), strangers_.begin(), strangers_.end());
    // Nothing else distinguishes processes that do not use MPI.
    call.expected = std::max(call.expected, call.count());
    call.sort();
    return call;
}

const LiveFacts* HostRanks::trusted() const {
    for (const Rank& rank : ranks_)
        if (!rank.recorded && is_of_user_or_root(rank.process->facts().pid))
            return &rank.process->facts();
    return nullptr;
}

std::string HostRanks::job() const {
    const LiveFacts* const facts = trusted();
    std::string job = facts ? job_of(*facts) : "";
    return is_plain_name(job) ? job : "";
}

std::int64_t HostRanks::any_pid() const {
    const LiveFacts* const facts = trusted();
    return facts ? facts->pid : 0;
}

}  // namespace vftrace::tools
