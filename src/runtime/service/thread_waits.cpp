#include "service/thread_waits.hpp"

#include <iterator>

#include "base/relaxed.hpp"
#include "guest/proc_status.hpp"
#include "guest/thread_files.hpp"

namespace vftrace {
namespace {

std::uint64_t ended_ns, ended_migrations;

// A joined thread remains in /proc for another moment: the last threads that ended must not be
// counted twice.
std::uint32_t last_ended[64];
std::uint32_t number_of_ended;

bool has_ended(long thread) {
    for (const std::uint32_t& one : last_ended)
        if (__atomic_load_n(&one, __ATOMIC_RELAXED) == static_cast<std::uint32_t>(thread))
            return true;
    return false;
}

// Adds the kernel's figures of a thread; a missing figure makes the sum unknown.
void add_thread(long thread, ThreadWaits& sum) {
    std::uint64_t schedule[2];  // time on a processor, time of waiting for one
    const ThreadFile file(thread, "schedstat");
    if (numbers_in_line(file.path(), schedule, 2) == 2)
        sum.waiting_ns = (sum.waiting_ns == not_known ? 0 : sum.waiting_ns) + schedule[1];
    constexpr std::string_view name = "se.nr_migrations";
    const ThreadFile details(thread, "sched");
    std::uint64_t count;
    if (numbers_in_status(details.path(), {&name, 1}, &count) == 1)
        sum.migrations = (sum.migrations == not_known ? 0 : sum.migrations) + count;
}

}  // namespace

ThreadWaits waits_of_threads() {
    ThreadWaits sum;
    alignas(DirectoryEntry) char entries[1024];
    visit_own_threads(entries, sizeof entries, [&](long, long thread, const char*) {
        if (!has_ended(thread))
            add_thread(thread, sum);
    });
    if (sum.waiting_ns != not_known)
        sum.waiting_ns += relaxed(ended_ns);
    if (sum.migrations != not_known)
        sum.migrations += relaxed(ended_migrations);
    return sum;
}

void note_waits_of_ending_thread() {
    const long thread = syscall(SYS_gettid);
    ThreadWaits own;
    add_thread(thread, own);
    const std::uint32_t place = __atomic_fetch_add(&number_of_ended, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&last_ended[place % std::size(last_ended)], static_cast<std::uint32_t>(thread),
                     __ATOMIC_RELAXED);
    if (own.waiting_ns != not_known)
        __atomic_fetch_add(&ended_ns, own.waiting_ns, __ATOMIC_RELAXED);
    if (own.migrations != not_known)
        __atomic_fetch_add(&ended_migrations, own.migrations, __ATOMIC_RELAXED);
}

void forget_ended_threads() {
    ended_ns = ended_migrations = 0;
    for (std::uint32_t& thread : last_ended)
        thread = 0;
}

}  // namespace vftrace
