#include "live/jobs.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace vftrace {
namespace {

// By process; nullopt for those that cannot be watched.
std::vector<std::optional<LiveFacts>> facts_of(const std::vector<FoundProcess>& processes) {
    LiveNames names;
    std::vector<std::optional<LiveFacts>> facts;
    facts.reserve(processes.size());
    for (const FoundProcess& found : processes)
        try {
            facts.emplace_back(LiveProcess(found, names).facts());
        } catch (const NotWatchable&) {
            facts.emplace_back();  // a message follows if this process is requested
        }
    return facts;
}

}  // namespace

bool same_job(const LiveFacts& a, const LiveFacts& b) {
    constexpr std::int64_t most_delay_ns = 600'000'000'000;  // between the starts of two ranks
    const bool same_launcher = !a.job.empty() || a.host != b.host ||
                               (a.parent_pid == b.parent_pid && a.pid_namespace == b.pid_namespace);
    return a.uses_mpi && b.uses_mpi && same_launcher && a.job == b.job && a.ranks == b.ranks &&
           a.rank != b.rank && a.application == b.application &&
           std::abs(a.start_unix_ns - b.start_unix_ns) <= most_delay_ns;
}

bool is_of_job(const LiveFacts& process, const std::string& name) {
    return name.empty() || process.application == name || process.job == name ||
           (process.job.size() > name.size() && process.job.starts_with(name) &&
            process.job[name.size()] == '.');
}

JobMembers members_of_job(const std::vector<const LiveFacts*>& processes, const std::string& name) {
    JobMembers found;
    const auto is_meant = [&](const LiveFacts* process) {
        return process && is_of_job(*process, name);
    };
    const bool any_mpi =
        std::any_of(processes.begin(), processes.end(), [&](const LiveFacts* process) {
            return is_meant(process) && process->uses_mpi;
        });
    for (std::size_t i = 0; i < processes.size(); i++) {
        if (!is_meant(processes[i]) || processes[i]->uses_mpi != any_mpi)
            continue;
        found.members.push_back(i);
        const bool is_known =
            std::any_of(found.jobs.begin(), found.jobs.end(),
                        [&](std::size_t job) { return same_job(*processes[job], *processes[i]); });
        if (!is_known)
            found.jobs.push_back(i);
    }
    return found;
}

JobMembers members_of_job(const std::vector<FoundProcess>& processes, const std::string& name) {
    const std::vector<std::optional<LiveFacts>> facts = facts_of(processes);
    std::vector<const LiveFacts*> known;
    known.reserve(facts.size());
    for (const std::optional<LiveFacts>& each : facts)
        known.push_back(each ? &*each : nullptr);
    return members_of_job(known, name);
}

std::vector<FoundProcess> processes_of_job(const std::vector<FoundProcess>& processes,
                                           std::int64_t pid) {
    const std::vector<std::optional<LiveFacts>> facts = facts_of(processes);
    const auto wanted =
        std::find_if(facts.begin(), facts.end(), [&](const std::optional<LiveFacts>& each) {
            return each && each->pid == pid;
        });
    std::vector<FoundProcess> job;
    if (wanted == facts.end())
        return job;
    for (std::size_t i = 0; i < processes.size(); i++)
        if (facts[i] && (facts[i]->pid == pid || same_job(**wanted, *facts[i])))
            job.push_back(processes[i]);
    return job;
}

}  // namespace vftrace
