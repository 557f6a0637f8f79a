// Hardware counters of the kernel: perf_event_open(2).
//
// The events of a thread are one group, so that they count at the same times. Their pages are
// mapped; if the processor lets programs read its counters (rdpmc), a reading takes about 20 ns per
// counter and no system call. Otherwise read(2) of the leader returns the whole group. Only the
// leader's descriptor is kept: the pages keep the other events alive. Nothing is sampled, so there
// are no signals.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "counters/counter_source.hpp"
#include "counters/perf_events.hpp"
#include "guest/spare_descriptors.hpp"

namespace vftrace {
namespace {

PerfEvent events[most_counters];
std::uint32_t event_count;
std::uint32_t leader;  // hardware, if there is any: software events may join its group
bool user_only;        // the kernel's own work cannot be counted

constexpr std::size_t page_bytes = 4096;  // rounded up if pages are larger

// The event that joins the group in this turn.
std::uint32_t member(std::uint32_t turn) {
    return turn == 0 ? leader : turn <= leader ? turn - 1 : turn;
}

int open_event(const PerfEvent& event, int group, bool without_kernel) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.exclude_user = event.kernel_only;
    attributes.exclude_kernel = event.user_only || without_kernel;
    attributes.exclude_hv = 1;
    attributes.disabled = group < 0;  // the leader: the group begins to count when it is complete
    attributes.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    constexpr int this_thread = 0, any_processor = -1;
    return static_cast<int>(syscall(SYS_perf_event_open, &attributes, this_thread, any_processor,
                                    group, PERF_FLAG_FD_CLOEXEC));
}

std::string why_not(const HardwareCounter& counter, int error) {
    const std::string name = "the counter \"" + counter.hwc_name + "\" ";
    switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        return name + "is not supported by this machine";
    case EACCES:
    case EPERM:
        return name + "is not permitted: /proc/sys/kernel/perf_event_paranoid, or a container, "
                      "forbids it";
    case EINVAL:
        return name + "cannot be counted together with the others";
    default:
        return name + "cannot be opened: " + std::strerror(error);
    }
}

// Opens all events, the leader first. Returns the position of the first that fails, or event_count;
// then `descriptors` are those of the events.
std::uint32_t open_group(int (&descriptors)[most_counters], bool without_kernel) {
    std::uint32_t failed = event_count;
    int error = 0, group = -1;
    for (std::uint32_t turn = 0; turn < event_count && failed == event_count; turn++) {
        const std::uint32_t i = member(turn);
        descriptors[i] = open_event(events[i], group, without_kernel);
        if (turn == 0)
            group = descriptors[i];
        if (descriptors[i] < 0) {
            failed = i;
            error = errno;
        }
    }
    if (failed == event_count) {
        ioctl(group, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
        return failed;
    }
    for (std::uint32_t turn = 0; turn < event_count; turn++) {
        const std::uint32_t i = member(turn);
        if (i == failed)
            break;
        close(descriptors[i]);
    }
    errno = error;
    return failed;
}

std::string prepare(const std::vector<HardwareCounter>& counters) {
    event_count = leader = 0;
    for (const HardwareCounter& counter : counters) {
        const std::optional<PerfEvent> event = perf_event(counter.hwc_name);
        if (!event) {
            const std::string_view similar = similar_perf_event(counter.hwc_name);
            std::string text = "perf does not have a counter \"" + counter.hwc_name + "\"";
            if (!similar.empty())
                text += " (did you mean \"" + std::string(similar) + "\"?)";
            return text;
        }
        events[event_count++] = *event;
    }
    while (leader + 1 < event_count && events[leader].type == PERF_TYPE_SOFTWARE)
        leader++;
    if (events[leader].type == PERF_TYPE_SOFTWARE)
        leader = 0;

    int descriptors[most_counters];
    user_only = false;
    std::uint32_t failed = open_group(descriptors, user_only);
    if (failed < event_count && (errno == EACCES || errno == EPERM)) {
        user_only = true;
        failed = open_group(descriptors, user_only);
    }
    if (failed < event_count)
        return why_not(counters[failed], errno);
    for (std::uint32_t i = 0; i < event_count; i++)
        close(descriptors[i]);
    return "";
}

const perf_event_mmap_page& page_of(const SourceThread& thread, std::uint32_t counter) {
    return *static_cast<const perf_event_mmap_page*>(thread.pages[counter]);
}

#if defined(__x86_64__)
constexpr bool has_rdpmc = true;
std::uint64_t rdpmc(std::uint32_t counter) {
    std::uint32_t low, high;
    asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
    return std::uint64_t{high} << 32 | low;
}
#else
constexpr bool has_rdpmc = false;
std::uint64_t rdpmc(std::uint32_t) { return 0; }
#endif

// One counter of the calling thread, in the way that <linux/perf_event.h> describes.
std::int64_t read_page(const perf_event_mmap_page& page) {
    std::uint32_t sequence;
    std::int64_t count;
    do {
        sequence = __atomic_load_n(&page.lock, __ATOMIC_ACQUIRE);
        const std::uint32_t index = page.index;
        count = page.offset;
        if (page.cap_user_rdpmc && index != 0) {
            const unsigned unused = 64u - page.pmc_width;
            count += static_cast<std::int64_t>(rdpmc(index - 1) << unused) >> unused;
        }
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while (__atomic_load_n(&page.lock, __ATOMIC_RELAXED) != sequence);
    return count;
}

// Whether all counters are in the processor now, where instructions can read them.
bool readable_by_instruction(const SourceThread& thread) {
    for (std::uint32_t i = 0; i < event_count; i++)
        if (!has_rdpmc || !thread.pages[i] || !page_of(thread, i).cap_user_rdpmc ||
            page_of(thread, i).index == 0 || page_of(thread, i).pmc_width == 0)
            return false;
    return true;
}

bool begin_thread(SourceThread& thread) {
    const int saved_errno = errno;
    int opened[most_counters];
    const bool possible = open_group(opened, user_only) == event_count;
    for (std::uint32_t i = 0; possible && i < event_count; i++) {
        void* page = mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, opened[i], 0);
        thread.pages[i] = page == MAP_FAILED ? nullptr : page;
        // A member of the group lives as long as its page or, without one, its descriptor.
        if (thread.pages[i] && i != leader) {
            close(opened[i]);
            continue;
        }
        thread.descriptors[i] = move_descriptor_up(opened[i]);
        ioctl(thread.descriptors[i], PERF_EVENT_IOC_ID, &thread.ids[i]);
    }
    thread.by_instruction = possible && readable_by_instruction(thread);
    errno = saved_errno;
    return possible;
}

// Whether the descriptor of a counter is still ours: the program may have closed it and opened
// something else.
bool is_ours(const SourceThread& thread, std::uint32_t counter) {
    std::uint64_t id = 0;
    return thread.ids[counter] != 0 &&
           ioctl(thread.descriptors[counter], PERF_EVENT_IOC_ID, &id) == 0 &&
           id == thread.ids[counter];
}

struct GroupReading {
    std::uint64_t count, enabled, running;  // ns
    std::uint64_t values[most_counters];    // in the order in which they were opened
};

bool read_group(SourceThread& thread, GroupReading& reading) {
    const int saved_errno = errno;
    const std::size_t bytes = (3 + event_count) * sizeof(std::uint64_t);
    const bool whole =
        is_ours(thread, leader) &&
        ::read(thread.descriptors[leader], &reading, sizeof reading) == static_cast<ssize_t>(bytes);
    errno = saved_errno;
    return whole;
}

// Estimates the counts of a group for the whole time, if it shared the processor's counters with
// others: what it counted since the last reading, scaled by how long it was in the processor.
void scale(SourceThread& thread, const GroupReading& reading) {
    const std::uint64_t enabled = reading.enabled - thread.enabled,
                        running = reading.running - thread.running;
    if (running == 0)
        return;  // the next reading includes what it counted, if anything
    for (std::uint32_t turn = 0; turn < event_count; turn++) {
        const std::uint32_t i = member(turn);
        const std::uint64_t counted = reading.values[turn] - thread.raw[i];
        thread.raw[i] = reading.values[turn];
        thread.value[i] +=
            static_cast<std::uint64_t>(static_cast<unsigned __int128>(counted) * enabled / running);
    }
    if (enabled > running + running / 100)
        thread.sharing |= counters_scaled;
    thread.enabled = reading.enabled;
    thread.running = reading.running;
}

bool read_by_system_call(SourceThread& thread, std::span<std::int64_t> values) {
    GroupReading reading;
    if (!read_group(thread, reading))
        return false;
    scale(thread, reading);
    for (std::uint32_t i = 0; i < event_count; i++)
        values[i] = static_cast<std::int64_t>(thread.value[i]);
    return true;
}

bool read_perf(SourceThread& thread, std::span<std::int64_t> values) {
    if (!thread.by_instruction)
        return read_by_system_call(thread, values);
    for (std::uint32_t i = 0; i < event_count; i++)
        values[i] = read_page(page_of(thread, i));
    return true;
}

// Counters that a thread reads by instructions continue without gaps as long as they do not have to
// share the processor's counters.
bool read_other(SourceThread& thread, std::span<std::int64_t> values) {
    GroupReading reading;
    if (!thread.by_instruction)
        return read_by_system_call(thread, values);
    if (!read_group(thread, reading))
        return false;
    for (std::uint32_t turn = 0; turn < event_count; turn++) {
        const std::uint32_t i = member(turn);
        values[i] = static_cast<std::int64_t>(reading.values[turn]);
    }
    return true;
}

void end_thread(SourceThread& thread) {
    GroupReading reading;
    if (thread.by_instruction && read_group(thread, reading) &&
        reading.enabled > reading.running + reading.running / 100)
        thread.sharing |= counters_with_gaps;
    const int saved_errno = errno;
    for (std::uint32_t i = 0; i < event_count; i++) {
        if (is_ours(thread, i))
            close(thread.descriptors[i]);
        if (thread.pages[i])
            munmap(thread.pages[i], page_bytes);
    }
    errno = saved_errno;
}

}  // namespace

constexpr CounterSource perf_source = {.name = "perf",
                                       .prepare = prepare,
                                       .begin_thread = begin_thread,
                                       .read = read_perf,
                                       .read_other = read_other,
                                       .end_thread = end_thread};

}  // namespace vftrace
