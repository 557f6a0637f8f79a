#include "attach/sample_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <linux/perf_event.h>
#include <sched.h>
#include <set>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/core.h>

#include "attach/refusal.hpp"
#include "unwind/event_registers.hpp"

namespace vftrace {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t word = sizeof(std::uint64_t);
// Words of a sample's body: process and thread, time, kind of registers, the registers, bytes of
// stack, the stack, and how many bytes of it could be read.
constexpr std::uint64_t kind_at = 2 * word, registers_at = 3 * word,
                        stack_size_at = registers_at + dwarf_registers * word,
                        stack_at = stack_size_at + word;

perf_event_attr attributes_of(std::uint64_t period_ns, std::uint32_t stack_bytes,
                              bool threads_only) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.sample_period = period_ns;
    attributes.sample_type =
        PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attributes.sample_regs_user = event_registers;
    attributes.sample_stack_user = stack_bytes;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.inherit = 1;
    attributes.inherit_thread = threads_only;
    attributes.mmap = 1;
    attributes.mmap2 = 1;
    attributes.comm = 1;
    attributes.comm_exec = 1;
    attributes.task = 1;
    attributes.sample_id_all = 1;
    attributes.use_clockid = 1;
    attributes.clockid = CLOCK_MONOTONIC;
    // Nobody waits for records: a thread that is sampled is not interrupted to wake us.
    attributes.watermark = 1;
    attributes.wakeup_watermark = ~std::uint32_t{0} >> 1;
    return attributes;
}

// A mapping of a size for which a user is always allowed to lock memory, if nothing else uses that
// right, or of one that suffices for root.
EventRing ring_of(int file) {
    constexpr std::size_t pages_of_root = 1024, pages_of_user = 128, fewest_pages = 16;
    EventRing ring;
    for (std::size_t pages = geteuid() == 0 ? pages_of_root : pages_of_user;
         !ring && pages >= fewest_pages; pages /= 2)
        ring = EventRing::map(file, pages);
    return ring;
}
#endif

std::vector<std::int32_t> threads_of(std::int32_t pid) {
    std::vector<std::int32_t> threads;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(fmt::format("/proc/{}/task", pid), error), end;
         !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::int32_t tid = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), tid).ec == std::errc())
            threads.push_back(tid);
    }
    std::sort(threads.begin(), threads.end());
    return threads;
}

std::size_t descriptors_left() {
    std::size_t open = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
         !error && entry != end; entry.increment(error))
        open++;
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    constexpr rlim_t most_for_files = 512;  // those that the process has mapped, and ours
    const std::size_t kept = open + std::min<rlim_t>(limit.rlim_cur / 4, most_for_files);
    return limit.rlim_cur > kept ? limit.rlim_cur - kept : 0;
}

// All processors or, if there are not enough descriptors for those, the ones on which the threads
// may run now.
std::vector<int> processors_for(const std::vector<std::int32_t>& threads) {
    const auto count = static_cast<int>(std::clamp(sysconf(_SC_NPROCESSORS_CONF), 1L, 8192L));
    const bool all = threads.size() * static_cast<std::size_t>(count) <= descriptors_left();
    std::vector<char> used(static_cast<std::size_t>(count), all);
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    cpu_set_t* const set = CPU_ALLOC(count);
    for (std::int32_t tid : threads)
        if (!all && set && sched_getaffinity(tid, bytes, set) == 0)
            for (int i = 0; i < count; i++)
                if (CPU_ISSET_S(static_cast<std::size_t>(i), bytes, set))
                    used[static_cast<std::size_t>(i)] = true;
    CPU_FREE(set);
    std::vector<int> processors;
    for (int i = 0; i < count; i++)
        if (used[static_cast<std::size_t>(i)])
            processors.push_back(i);
    return processors;
}

}  // namespace

SampleStream::SampleStream(std::uint64_t period_ns, std::uint32_t stack_bytes)
    : period_ns_(period_ns), stack_bytes_(stack_bytes) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

SampleStream::~SampleStream() { stop(); }

void SampleStream::stop() {
    for (auto& [processor, ring] : rings_)
        ring.ring.unmap();
    for (const auto& [pid, process] : processes_) {
        for (const auto& [tid, files] : process.threads)
            for (int file : files)
                close(file);
        for (const Files& files : process.ended)
            for (int file : files)
                close(file);
    }
    rings_.clear();
    processes_.clear();
}

// Rings continue to belong to the events with which they were made.
void SampleStream::close_all(const Files& files) const {
    for (int file : files)
        if (std::none_of(rings_.begin(), rings_.end(),
                         [file](const auto& entry) { return entry.second.file == file; }))
            close(file);
}

#if defined(__x86_64__)
// Returns -1 and an errno if it cannot be opened.
int SampleStream::open_event(std::int32_t tid, int processor) const {
    perf_event_attr attributes = attributes_of(period_ns_, stack_bytes_, threads_only_);
    return static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, tid, processor, -1, PERF_FLAG_FD_CLOEXEC));
}

void SampleStream::send_to_ring(int file, int processor) {
    Ring& ring = rings_[processor];
    if (ring.file < 0) {
        ring.ring = ring_of(file);
        if (!ring.ring)
            throw AttachError(
                "the kernel does not give memory for samples: raise the limit of locked memory "
                "(ulimit -l) or, as root, kernel.perf_event_mlock_kb");
        ring.file = file;
    } else if (ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, ring.file) != 0) {
        throw AttachError(fmt::format("perf_event_open: {}", std::strerror(errno)));
    }
}

void SampleStream::open_events(std::int32_t tid, const std::vector<int>& processors, Files& files) {
    for (int processor : processors) {
        int file = open_event(tid, processor);
        if (file < 0 && errno == EINVAL && threads_only_) {
            threads_only_ = false;  // Linux before 5.13: children of fork are sampled in vain
            file = open_event(tid, processor);
        }
        if (file >= 0) {
            files.push_back(file);
            send_to_ring(file, processor);
        } else if (errno == ESRCH) {  // the thread has just ended
            return;
        } else if (errno != ENODEV) {  // else the processor is switched off
            throw AttachError(why_refused(tid, errno));
        }
    }
}

std::size_t SampleStream::attach(std::int32_t pid) {
    Attached& process = processes_[pid];
    const std::vector<int> processors = processors_for(threads_of(pid));
    std::set<std::int32_t> seen;
    std::size_t left_out = 0, descriptors = descriptors_left();
    for (bool any_new = true; any_new;) {
        any_new = false;
        for (std::int32_t tid : threads_of(pid)) {
            if (!seen.insert(tid).second)
                continue;
            any_new = true;
            if (descriptors < processors.size()) {
                left_out++;
                continue;
            }
            Files& files = process.threads[tid];
            open_events(tid, processors, files);
            descriptors -= files.size();
        }
    }
    if (std::all_of(process.threads.begin(), process.threads.end(),
                    [](const auto& thread) { return thread.second.empty(); }))
        throw AttachError(left_out > 0
                              ? "there are too few file descriptors: raise their limit (ulimit -n)"
                              : fmt::format("{}: no such process", pid));
    return left_out;
}

void SampleStream::read(SampleListener& listener) {
    struct Reported {
        std::uint64_t ns;
        EventRecord record;
    };
    std::vector<Reported> all;
    std::vector<std::pair<Ring*, std::uint64_t>> read;
    for (auto& [processor, ring] : rings_) {
        const std::uint64_t end = ring.ring.look([&all](const EventRecord& record) {
            const std::uint64_t body = record.bytes - std::uint64_t{EventRecord::header_bytes};
            if (body >= 2 * word)
                all.push_back(
                    {record.body.word(record.type == PERF_RECORD_SAMPLE ? word : body - word),
                     record});
        });
        read.emplace_back(&ring, end);
    }
    // Each ring is sorted; a thread may have moved from one to another.
    std::stable_sort(all.begin(), all.end(),
                     [](const Reported& a, const Reported& b) { return a.ns < b.ns; });
    for (const Reported& reported : all)
        pass_on(listener, reported.record, reported.ns);
    for (auto& [ring, end] : read)
        ring->ring.release(end);
}

void SampleStream::pass_on(SampleListener& listener, const EventRecord& record, std::uint64_t ns) {
    const RingBytes& body = record.body;
    const std::uint64_t bytes = record.bytes - std::uint64_t{EventRecord::header_bytes};
    const auto low = [&body](std::uint64_t at) { return static_cast<std::int32_t>(body.word(at)); };
    const auto high = [&body](std::uint64_t at) {
        return static_cast<std::int32_t>(body.word(at) >> 32);
    };
    const auto text = [&](std::uint64_t at) {
        std::string text;
        for (; at + 2 * word < bytes; at += word)  // what identifies the record follows
            for (unsigned i = 0; i < word; i++) {
                const auto c = static_cast<char>(body.word(at) >> (8 * i));
                if (c == '\0')
                    return text;
                text += c;
            }
        return text;
    };
    const std::int32_t pid = low(0), tid = high(0);
    switch (record.type) {
    case PERF_RECORD_SAMPLE: {
        if (bytes < stack_at || body.word(kind_at) != PERF_SAMPLE_REGS_ABI_64)
            return;
        const Registers registers = registers_in(body.from(registers_at));
        const std::uint64_t size = body.word(stack_size_at);
        if (size + stack_at > bytes)
            return;
        const std::uint64_t readable =
            size && size + stack_at + word <= bytes ? body.word(stack_at + size) : 0;
        return listener.sample(pid, tid, registers,
                               {registers.stack(), std::min(readable, size), body.from(stack_at)});
    }
    case PERF_RECORD_MMAP2: {
        constexpr std::uint64_t address = 8, length = 16, offset = 24, inode = 40, name = 64;
        return listener.mapped(pid, {body.word(address), body.word(address) + body.word(length),
                                     body.word(offset), body.word(inode), text(name)});
    }
    case PERF_RECORD_COMM:
        if (record.flags & PERF_RECORD_MISC_COMM_EXEC)
            listener.became_other_program(pid, ns);
        return listener.named(pid, tid, text(word));
    case PERF_RECORD_FORK: {  // process and parent, thread and its creator
        const std::int32_t created = low(word);
        const auto process = processes_.find(pid);
        if (process == processes_.end())
            return;
        // It has inherited events, and has got some from attach() just before or after that.
        if (const auto twice = process->second.threads.find(created);
            twice != process->second.threads.end()) {
            close_all(twice->second);
            process->second.threads.erase(twice);
        }
        return listener.thread_began(pid, created, ns);
    }
    case PERF_RECORD_EXIT: {
        const std::int32_t ended = low(word);
        const auto process = processes_.find(pid);
        if (process == processes_.end())
            return;
        if (auto thread = process->second.threads.extract(ended))
            process->second.ended.push_back(std::move(thread.mapped()));
        return listener.thread_ended(pid, ended, ns);
    }
    case PERF_RECORD_LOST:  // of which event, and how many; who was running
        return listener.lost(low(bytes - 2 * word), body.word(word));
    default:
        return;
    }
}

std::uint64_t SampleStream::processor_ns(std::int32_t pid) const {
    const auto process = processes_.find(pid);
    if (process == processes_.end())
        return 0;
    std::uint64_t sum = 0;
    const auto add = [&sum](const Files& files) {
        for (int file : files) {
            std::uint64_t ns = 0;
            if (::read(file, &ns, sizeof ns) == sizeof ns)
                sum += ns;
        }
    };
    for (const auto& [tid, files] : process->second.threads)
        add(files);
    for (const Files& files : process->second.ended)
        add(files);
    return sum;
}
#else
std::size_t SampleStream::attach(std::int32_t) {
    throw AttachError("processes that run already can be sampled on x86-64 only");
}
void SampleStream::read(SampleListener&) {}
std::uint64_t SampleStream::processor_ns(std::int32_t) const { return 0; }
#endif

}  // namespace vftrace
