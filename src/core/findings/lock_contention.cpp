// Threads wait for a lock that another one has.
#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "findings/rules.hpp"
#include "profile/locks.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

constexpr std::size_t longest_name = 80;

// "the mutex queue_lock", "a mutex first waited for in push".
std::string lock_text(const RunFacts& run, const Lock& lock) {
    const LockWait& row = lock.rows.front();
    const std::string kind(text_of(lock.kind()));
    if (!row.name.empty())
        return "the " + kind + " " + shorten_middle(printable(row.name), longest_name);
    return "a " + kind +
           (row.origin == no_index
                ? ""
                : " first used in " + run.function(path_outside_library(run.profile, row.origin)));
}

std::string holder_text(const RunFacts& run, const Lock& lock) {
    const std::uint32_t holder = lock.main_holder();
    if (holder == no_index)
        return "; where the thread is that has it is not known.";
    const double part =
        static_cast<double>(lock.ns_of_holder(holder)) / static_cast<double>(lock.ns);
    return format("; for %s of that time, the thread that has it is in %s.",
                  percent_text(part).c_str(),
                  run.place(path_outside_library(run.profile, holder)).c_str());
}

}  // namespace

void find_lock_contention(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05;
    const double threads = std::max(1.0, static_cast<double>(run.profile.run.threads));
    for (const Lock& lock : locks_of(run.profile)) {
        // What all threads lose, if they could do the work at the same time.
        const double seconds = static_cast<double>(lock.ns) / 1e9, saved = seconds / threads;
        if (!has_holder(lock.kind()) || !run.is_worth_it(saved, least_share))
            continue;
        const std::uint32_t waiter = path_outside_library(run.profile, lock.main_waiter());
        RunFinding finding = run.finding(rule, saved);
        finding.path = waiter;
        finding.sentence =
            format("Threads wait %s for %s, on average %s of the time of each of %.0f threads.",
                   seconds_text(seconds).c_str(), lock_text(run, lock).c_str(),
                   percent_text(finding.share).c_str(), threads);
        finding.reason = format("They wait %s times, %s on average, mostly in %s",
                                count_text(static_cast<double>(lock.waits)).c_str(),
                                seconds_text(seconds / static_cast<double>(lock.waits)).c_str(),
                                run.place(waiter).c_str()) +
                         holder_text(run, lock);
        finding.confidence = Confidence::certain;
        finding.next_step = "Do less while the lock is held, or protect parts of the data by locks "
                            "of their own; \"vftrace report --waiting FILE\" shows who waits for "
                            "whom.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
