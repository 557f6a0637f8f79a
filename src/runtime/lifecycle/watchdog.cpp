#include "lifecycle/watchdog.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/guarded.hpp"
#include "base/launcher.hpp"
#include "base/message.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/seccomp.hpp"
#include "lifecycle/abrupt_end.hpp"
#include "lifecycle/current_stack.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/start_sampling.hpp"
#include "record/openmp_constructs.hpp"
#include "rollcall/roll_call.hpp"
#include "service/service_thread.hpp"
#include "tree/call_tree.hpp"
#include "tree/frames.hpp"
#include "tree/own_record.hpp"
#include "tree/pause.hpp"
#include "tree/registry.hpp"

namespace vftrace {
namespace {

constexpr std::size_t levels = 6, most_groups = 20, longest_stamp = 16 * 1024;
constexpr const char* signal_file = "signal";

struct SignalName {
    std::string_view name;
    int number;
};
constexpr SignalName signal_names[] = {{"ABRT", SIGABRT}, {"TERM", SIGTERM}, {"INT", SIGINT},
                                       {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"KILL", SIGKILL}};

// All data of the service thread; created once and never freed.
struct Watchdog {
    double after;  // seconds
    int signal;    // 0: the job continues
    const char* signal_name;
    std::uint32_t rank_of_launcher, ranks_of_launcher;
    // The counts when progress was last seen.
    std::uint64_t calls, polls, processor_ns;
    std::uint64_t progress_ns;  // the time of the last progress
    std::string stamp;          // path; empty: none
    bool reported, signalled;
};
Watchdog* watchdog;

std::uint32_t own_rank() {
    return process_record->uses_mpi ? process_record->rank : watchdog->rank_of_launcher;
}
std::uint32_t all_ranks() {
    return process_record->uses_mpi ? process_record->ranks : watchdog->ranks_of_launcher;
}

std::string folder() { return own_output_base() + "_watchdog"; }

struct Counts {
    std::uint64_t calls = 0, polls = 0;
};

// MPI calls that found nothing completed are polls.
Counts counted_calls() {
    Counts counts;
    for (const ThreadState* state = first_thread_state(); state; state = state->next)
        for (const Node* node = state->record->root; node;
             node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE)) {
            const std::uint64_t calls = relaxed(node->calls);
            const std::uint64_t polls =
                node->kind == NodeKind::mpi ? relaxed(node->weight_squares) : 0;
            counts.polls += polls;
            counts.calls += calls > polls ? calls - polls : 0;
        }
    return counts;
}

// The innermost open call of a thread, which may be running.
const Node* innermost(const ThreadState& state) {
    const Frame* const top = plain_read(state.top);
    const Node* const node = top ? __atomic_load_n(&top->node, __ATOMIC_ACQUIRE) : nullptr;
    return node && node != &no_node ? node : nullptr;
}

bool is_waiting(const Node& node) {
    return node.kind == NodeKind::mpi ||
           (node.kind == NodeKind::openmp && openmp_constructs[openmp_construct(node.key)].waits);
}

// Processor time of the thread of this process with this kernel number.
std::uint64_t processor_ns_of_thread(std::int32_t tid) {
    constexpr int per_thread = 4, scheduler = 2;
    const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(tid) << 3) |
                                              static_cast<unsigned>(per_thread | scheduler));
    timespec used{};
    if (clock_gettime(clock, &used) != 0)
        return 0;
    return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(used.tv_nsec);
}

// Processor time of the threads that run code of the program and are not in a call that waits.
std::uint64_t processor_ns_outside_of_waits() {
    std::uint64_t all = 0;
    for (const ThreadState* state = first_thread_state(); state; state = state->next) {
        const ThreadRecord& record = *state->record;
        const Node* const node = innermost(*state);
        const bool is_main = record.tid == process_record->pid;
        const bool idle = !node || (node == record.root && !is_main);
        if (__atomic_load_n(&record.in_use, __ATOMIC_ACQUIRE) && !idle && !is_waiting(*node))
            all += processor_ns_of_thread(plain_read(record.tid));
    }
    return all;
}

// Checks whether anything has happened since the last time.
bool made_progress(std::uint64_t now) {
    Watchdog& dog = *watchdog;
    const Counts counts = counted_calls();
    const std::uint64_t used = processor_ns_outside_of_waits();
    // A thread that sleeps between polls does not make progress: it uses less than a hundredth of
    // the time.
    constexpr std::uint64_t share = 100;
    const std::uint64_t passed = now - dog.progress_ns;
    const bool computed = used > dog.processor_ns && used - dog.processor_ns > passed / share;
    const bool polled = counts.polls != dog.polls;
    const bool progress = counts.calls != dog.calls || (computed && !polled) || process_is_paused();
    if (progress || used < dog.processor_ns) {
        dog.calls = counts.calls;
        dog.processor_ns = used;
        dog.polls = counts.polls;
    }
    if (progress)
        dog.progress_ns = now;
    return progress;
}

const ThreadState* main_thread() {
    const ThreadState* main = nullptr;
    for (const ThreadState* state = first_thread_state(); state; state = state->next)
        if (!main || state->record->tid == process_record->pid)
            main = state;
    return main;
}

RollCall own_place() {
    RollCall call;
    call.application = run->application;
    call.expected = all_ranks();
    call.stuck = true;
    RankPlace place{own_rank(), run->host, "", Activity::sleeps, 0, false};
    const std::uint64_t now = monotonic_ns();
    const double stuck_s = static_cast<double>(now - watchdog->progress_ns) * 1e-9;
    place.seconds = stuck_s;
    place.at_least = true;
    const ThreadState* const main = main_thread();
    if (const Node* const node = main ? innermost(*main) : nullptr) {
        place.path = place_text(names_of_path(node), levels);
        if (node->kind == NodeKind::mpi)
            place.activity = Activity::waits;
    }
    call.add(place);
    return call;
}

bool write_text(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    return file.close() == 0;
}

std::string read_text(const std::string& path) {
    std::string text;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return text;
    text.resize(longest_stamp);
    const ssize_t length = read(file, text.data(), text.size());
    close(file);
    text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return text;
}

void leave_stamp() {
    Watchdog& dog = *watchdog;
    const std::string place = folder();
    if (mkdir(place.c_str(), 0777) != 0 && errno != EEXIST) {
        VFTRACE_MESSAGE_ONCE("watchdog: cannot create %s: %s", place.c_str(), std::strerror(errno));
        return;
    }
    const std::string path = place + format("/rank_%u", own_rank());
    if (write_text(path, own_place().encode(longest_stamp)))
        dog.stamp = path;
    else
        VFTRACE_MESSAGE_ONCE("watchdog: cannot write %s", path.c_str());
}

void take_stamp_away() {
    Watchdog& dog = *watchdog;
    if (dog.stamp.empty())
        return;
    unlink(dog.stamp.c_str());
    dog.stamp.clear();
}

// Combines the stamps of all ranks. Returns false if there are fewer stamps than ranks.
bool all_are_stuck(RollCall& call) {
    const std::string place = folder();
    DIR* const entries = opendir(place.c_str());
    if (!entries)
        return false;
    std::uint32_t stamps = 0;
    while (const dirent* entry = readdir(entries)) {
        constexpr std::string_view prefix = "rank_";
        RollCall one;
        if (std::string_view(entry->d_name).starts_with(prefix) &&
            RollCall::decode(read_text(place + '/' + entry->d_name), one)) {
            call.merge(one);
            stamps++;
        }
    }
    closedir(entries);
    return stamps >= all_ranks();
}

void report_roll_call(const RollCall& call) {
    Watchdog& dog = *watchdog;
    const std::string path = own_output_base() + "_rollcall.txt";
    const std::string text =
        format("no rank of %s has made progress for %s:\n%s", call.application.c_str(),
               duration_text(static_cast<double>(monotonic_ns() - dog.progress_ns) * 1e-9).c_str(),
               call.words(most_groups).c_str());
    const bool written = write_text(path, text);
    message("%s(%s%s)", text.c_str(), written ? "also in " : "cannot be written to ", path.c_str());
    if (dog.signal != 0)
        write_text(folder() + '/' + signal_file, "");
}

// Sends the signal if the first rank has decided to and this rank is still stuck.
void obey_signal() {
    Watchdog& dog = *watchdog;
    if (dog.signal == 0 || dog.signalled || access((folder() + '/' + signal_file).c_str(), F_OK))
        return;
    dog.signalled = true;
    take_stamp_away();
    message_of(Speaker::job, "watchdog: each rank sends SIG%s to itself", dog.signal_name);
    const auto process = static_cast<pid_t>(syscall(SYS_getpid));
    if (dog.signal != SIGKILL) {
        // The stack of the main thread is the one of interest.
        syscall(SYS_tgkill, process, process, dog.signal);
        return;
    }
    kill(process, SIGKILL);
}

void look() {
    Watchdog& dog = *watchdog;
    if (run_phase != RunPhase::recording || !process_is_ours())
        return;
    const std::uint64_t now = monotonic_ns();
    if (made_progress(now)) {
        take_stamp_away();
        dog.reported = dog.signalled = false;
        return;
    }
    if (static_cast<double>(now - dog.progress_ns) * 1e-9 < dog.after)
        return;
    if (dog.stamp.empty())
        leave_stamp();
    if (own_rank() == 0 && !dog.reported) {
        RollCall call;
        if (all_are_stuck(call)) {
            dog.reported = true;
            report_roll_call(call);
        }
    }
    if (dog.reported || own_rank() != 0)
        obey_signal();
}

void look_guarded() {
    run_guarded([] { look(); });
}

TimedWork work = {.interval_ns = 0, .run = look_guarded, .writes_files = true, .waits_first = true};

std::uint32_t number_of(const char* text, std::uint32_t otherwise) {
    const long number = text ? std::strtol(text, nullptr, 10) : -1;
    return number >= 0 ? static_cast<std::uint32_t>(number) : otherwise;
}

void note_launcher() {
    watchdog->ranks_of_launcher = 1;
    for (const Launcher& launcher : launchers) {
        const char* const rank = value_in(environ, launcher.rank);
        if (!rank || !launcher.size)
            continue;
        watchdog->rank_of_launcher = number_of(rank, 0);
        watchdog->ranks_of_launcher = std::max(1u, number_of(value_in(environ, launcher.size), 1));
        return;
    }
}

}  // namespace

void start_watchdog(const Options& options, const char* program) {
    if (!(options.watchdog_after > 0) || is_starter(program) || watchdog)
        return;
    ensure_record();
    if (run_phase != RunPhase::recording || !process_record)
        return;
    watchdog = new Watchdog{};
    watchdog->after = options.watchdog_after;
    watchdog->progress_ns = monotonic_ns();
    for (const SignalName& row : signal_names)
        if (row.name == options.watchdog_signal) {
            watchdog->signal = row.number;
            watchdog->signal_name = row.name.data();
        }
    note_launcher();
    // An earlier run that was killed may have left these files.
    const std::string place = folder();
    unlink((place + format("/rank_%u", own_rank())).c_str());
    if (own_rank() == 0)
        unlink((place + '/' + signal_file).c_str());
    constexpr double looks = 10, shortest = 0.1, longest = 10;
    work.interval_ns = interval_ns(std::min(options.watchdog_after / looks, longest), shortest);
    const char* const why =
        seccomp_filter_was_added() ? "the process may not create a thread" : nullptr;
    const int error = why ? 0 : every(work);
    if (!why && !error)
        return;
    message_of(Speaker::machine, "watchdog: not started: %s", why ? why : std::strerror(error));
    write_held_messages();
}

void end_watchdog() {
    if (!watchdog)
        return;
    take_stamp_away();
    const std::string place = folder();
    if (own_rank() == 0)
        unlink((place + '/' + signal_file).c_str());
    rmdir(place.c_str());  // succeeds on the last rank
}

}  // namespace vftrace
