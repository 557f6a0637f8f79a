#include "host_signals/thread_cycles.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"

namespace vftrace {
namespace {

constexpr std::size_t page_bytes = 4096;  // rounded up if pages are larger
constexpr int paranoid_for_own_code = 2;
constexpr int no_group = -1;

// The leader of a group begins disabled: Linux lets what joins a running group count only from the
// thread's next switch on.
PerfDescriptor open_event(std::uint32_t type, std::uint64_t config, pid_t thread, int group) {
    perf_event_attr attributes{};
    attributes.type = type;
    attributes.config = config;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.disabled = group == no_group;
    attributes.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    constexpr int any_processor = -1;
    return {attributes, thread, any_processor, group};
}

// 0 or an errno.
int try_event(std::uint32_t type, std::uint64_t config) {
    constexpr pid_t this_thread = 0;
    return open_event(type, config, this_thread, no_group) ? 0 : errno;
}

}  // namespace

ThreadCycles::Thread::~Thread() {
    for (void* page : pages)
        if (page)
            munmap(page, page_bytes);
}

ThreadCycles::Thread::Thread(Thread&& other) noexcept
    : id(other.id), leader(std::move(other.leader)), others(std::move(other.others)),
      pages(std::exchange(other.pages, {})), enabled(other.enabled), running(other.running),
      counted(other.counted), is_lost(other.is_lost) {}

ThreadCycles::Thread& ThreadCycles::Thread::operator=(Thread&& other) noexcept {
    id = other.id;
    leader = std::move(other.leader);
    others = std::move(other.others);
    std::swap(pages, other.pages);
    enabled = other.enabled;
    running = other.running;
    counted = other.counted;
    is_lost = other.is_lost;
    return *this;
}

ThreadCycles::ThreadCycles(const HostFiles& files, std::span<const SignalFigure> figures,
                           double sticker_hz, std::span<const ThreadEvent> events)
    : files_(files) {
    for (const ThreadEvent& row : events) {
        if (std::find(figures.begin(), figures.end(), row.figure) == figures.end())
            continue;
        Event event{row.figure, row.type, row.config};
        int error = try_event(event.type, event.config);
        // If cycles are not counted either, the estimate is not needed, and the kernel takes 20 ms
        // to open a first event.
        const bool nothing_to_compare =
            std::find(figures.begin(), figures.end(), SignalFigure::cycles) != figures.end() &&
            !has(SignalFigure::cycles);
        if (row.figure == SignalFigure::reference_cycles && is_no_such_event(error) &&
            !nothing_to_compare) {
            // The estimated count: the time on a processor times the nominal frequency.
            if (sticker_hz <= 0) {
                problems_.push_back(
                    {row.figure,
                     {format("%s: this machine does not count reference cycles, and its nominal "
                             "frequency is not known (see man vftrace-run)",
                             row_of(row.figure).name),
                      true}});
                continue;
            }
            constexpr double nanosecond = 1e-9;
            event.type = PERF_TYPE_SOFTWARE;
            event.config = PERF_COUNT_SW_TASK_CLOCK;
            event.unit = nanosecond * sticker_hz;
            error = try_event(event.type, event.config);
        }
        if (error != 0)
            add_problem(row.figure, error);
        else
            events_.push_back(event);
    }
    // A software event cannot lead a group of the processor's.
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
        return std::tie(a.type, a.config) < std::tie(b.type, b.config);
    });
}

void ThreadCycles::add_problem(SignalFigure figure, int error) {
    problems_.push_back(
        {figure,
         {format("%s: %s (see man vftrace-run)", row_of(figure).name,
                 why_no_perf_event(error, files_.processes, paranoid_for_own_code).c_str()),
          is_no_such_event(error)}});
}

const ThreadCycles::Event* ThreadCycles::find(SignalFigure figure) const {
    const auto found = std::find_if(events_.begin(), events_.end(),
                                    [&](const Event& event) { return event.figure == figure; });
    return found == events_.end() ? nullptr : &*found;
}

int ThreadCycles::open_thread(Thread& thread) const {
    for (std::size_t i = 0; i < events_.size(); i++) {
        const Event& event = events_[i];
        PerfDescriptor opened = open_event(event.type, event.config, thread.id,
                                           i == 0 ? no_group : thread.leader.number());
        if (!opened)
            return errno;
        if (i == 0) {
            thread.leader = std::move(opened);
            continue;
        }
        // An event lives as long as its page does, so a thread needs only one descriptor.
        void* const page = mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, opened.number(), 0);
        if (page == MAP_FAILED)
            thread.others[i] = std::move(opened);
        else
            thread.pages[i] = page;
    }
    if (thread.leader.is_ours())
        ioctl(thread.leader.number(), PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    return 0;
}

void ThreadCycles::follow(std::span<const pid_t> threads) {
    if (events_.empty())
        return;
    wanted_.assign(threads.begin(), threads.end());
    std::sort(wanted_.begin(), wanted_.end());
    wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
    const auto has_id_below = [](const Thread& thread, pid_t id) { return thread.id < id; };
    const auto has_id = [](const Thread& thread, pid_t id) { return thread.id == id; };
    if (without_events_ == 0 && !any_lost_ &&
        std::equal(threads_.begin(), threads_.end(), wanted_.begin(), wanted_.end(), has_id))
        return;

    for (Thread& thread : threads_)
        if (!std::binary_search(wanted_.begin(), wanted_.end(), thread.id))
            read_thread(thread);  // what it has counted since its last turn
    // New threads have counted nothing yet, so a pass that has begun can continue.
    const pid_t next_id = next_ < threads_.size() ? threads_[next_].id : 0;
    std::vector<Thread> followed;
    followed.reserve(wanted_.size());
    without_events_ = 0;
    any_lost_ = false;
    std::size_t before = 0;
    for (const pid_t id : wanted_) {
        while (before < threads_.size() && threads_[before].id < id)
            before++;
        if (before < threads_.size() && threads_[before].id == id && !threads_[before].is_lost) {
            followed.push_back(std::move(threads_[before]));
            continue;
        }
        Thread thread;
        thread.id = id;
        const int error = open_thread(thread);
        if (error == 0) {
            followed.push_back(std::move(thread));
        } else if (error != ESRCH) {  // else the thread has ended
            without_events_++;
            if (!std::exchange(reported_, true))
                add_problem(events_[0].figure, error);
        }
    }
    threads_ = std::move(followed);
    next_ = static_cast<std::size_t>(
        std::lower_bound(threads_.begin(), threads_.end(), next_id, has_id_below) -
        threads_.begin());
}

bool ThreadCycles::read_thread(Thread& thread) {
    struct {
        std::uint64_t count, enabled, running;
        std::uint64_t values[most_events];
    } reading;
    const std::size_t bytes = (3 + events_.size()) * sizeof(std::uint64_t);
    if (!thread.leader.read(&reading, bytes)) {
        thread.is_lost = any_lost_ = true;
        return false;
    }
    const std::uint64_t enabled = reading.enabled - thread.enabled,
                        running = reading.running - thread.running;
    if (running == 0)
        return true;  // the next reading includes what it has counted, if anything
    // If the group shares the processor's counters with others, it counts only part of the time.
    const double share = static_cast<double>(enabled) / static_cast<double>(running);
    for (std::size_t i = 0; i < events_.size(); i++) {
        const std::uint64_t counted = reading.values[i] - thread.counted[i];
        events_[i].sum += events_[i].unit * share * static_cast<double>(counted);
        thread.counted[i] = reading.values[i];
    }
    thread.enabled = reading.enabled;
    thread.running = reading.running;
    return true;
}

void ThreadCycles::read_some() {
    if (events_.empty())
        return;
    const std::size_t end = std::min(next_ + most_at_once, threads_.size());
    for (; next_ < end; next_++)
        pass_is_whole_ &= read_thread(threads_[next_]);
    all_read_ = next_ == threads_.size() && pass_is_whole_;
    if (next_ == threads_.size()) {
        next_ = 0;
        pass_is_whole_ = true;
    }
}

double ThreadCycles::value(SignalFigure figure) const {
    const Event* const event = find(figure);
    return event && all_read_ && without_events_ == 0 ? event->sum : unknown_value;
}

}  // namespace vftrace
