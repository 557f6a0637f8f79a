#include "sections/live_print.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/guarded.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "queries/live_lines.hpp"
#include "queries/section_memory.hpp"
#include "record/open_calls.hpp"
#include "sections/live_printer.hpp"
#include "sections/section_handles.hpp"
#include "service/service_thread.hpp"
#include "tree/call_tree.hpp"
#include "tree/visit_nodes.hpp"

namespace vftrace {
namespace {

bool wanted, of_all;
bool started;  // in this process
std::int64_t limit_ns;

struct WatchedThread {
    const ThreadRecord* record;
    LivePrinter printer;
};
std::vector<WatchedThread>* threads;  // the service thread's
const WatchedThread* latest;          // the last one that printed something

bool is_main_thread(const ThreadRecord& record) { return record.tid == getpid(); }

std::vector<LiveSection> open_sections(const ThreadRecord& record, std::uint64_t now) {
    std::vector<LiveSection> sections;
    visit_open_calls_of(
        record, open_calls(record, *process_record, now),
        [&](const Frame& frame, const Node& node, const Node*, const OpenCalls& calls) {
            if (node.kind != NodeKind::section || relaxed(frame.start) == frame_fold)
                return;
            const std::uint64_t start = seen_start_of(frame);
            const Section* section = find_section(region_name(node.key));
            if (section && section->live_message)
                sections.push_back(
                    {&node, relaxed(node.calls),
                     ns_of_ticks(static_cast<std::uint64_t>(calls.time_since(start))),
                     relaxed(node.inclusive_ticks), section->live_message, section->prints_dots});
        });
    return sections;
}

// The end of a line that a thread other than `thread` has begun.
std::string end_of_line_before(const WatchedThread* thread) {
    return latest && latest != thread ? const_cast<WatchedThread*>(latest)->printer.end_line()
                                      : std::string();
}

void print_of(const WatchedThread& thread, const std::string& text) {
    if (text.empty())
        return;
    const std::string before = end_of_line_before(&thread);
    latest = &thread;
    print_live_text(before + text);
}

void watch_new_threads() {
    visit_threads([](const ThreadRecord& record) {
        const auto is_it = [&](const WatchedThread& thread) { return thread.record == &record; };
        if ((of_all || is_main_thread(record)) &&
            std::none_of(threads->begin(), threads->end(), is_it))
            threads->push_back(
                {&record, LivePrinter(live_style(), limit_ns, live_prefix_of(record))});
    });
}

LivePrinter::Moment moment_of(std::uint64_t now) {
    constexpr double mebibyte = 1 << 20;
    const std::int64_t bytes = resident_bytes();
    return {ns_of_ticks(now - process_record->start.ticks),
            bytes < 0 ? -1 : static_cast<double>(bytes) / mebibyte};
}

void look_at_sections() {
    const std::uint64_t now = tree_ticks();
    if (!threads) {
        threads = new std::vector<WatchedThread>;
        threads->reserve(of_all ? 4096 : 1);  // `latest` points into it
    }
    if (threads->size() < threads->capacity())
        watch_new_threads();
    const LivePrinter::Moment moment = moment_of(now);
    const auto seconds_of = [&](const LiveSection& section) {
        const auto* node = static_cast<const Node*>(section.node);
        const std::uint64_t ticks = relaxed(node->inclusive_ticks) - section.closed;
        return 1e-9 * static_cast<double>(ns_of_ticks(ticks));
    };
    for (WatchedThread& thread : *threads)
        print_of(thread,
                 thread.printer.look(open_sections(*thread.record, now), moment, seconds_of));
    for (MemoryGrowth growth; !threads->empty() && take_growth(growth);)
        if (const Section* section = find_section(region_name(growth.section));
            section && section->live_message &&
            ns_of_ticks(growth.ticks) < limit_ns)  // else it was seen
            print_of(threads->front(),
                     threads->front().printer.report_finished(
                         section->live_message,
                         1e-9 * static_cast<double>(ns_of_ticks(growth.ticks)), moment));
}

void look() {
    run_guarded([] { look_at_sections(); });
}

TimedWork work = {.interval_ns = 0, .run = look};

}  // namespace

std::string (*const end_of_growing_line)() = [] { return end_of_line_before(nullptr); };

void prepare_live_print(const Options& options) {
    prepare_live_lines(options);
    wanted = live_scope() != LiveScope::nothing;
    of_all = live_scope() == LiveScope::all;
    constexpr double shortest = 0.05, longest = 1e6, second = 1e9, mebibyte = 1 << 20;
    limit_ns = static_cast<std::int64_t>(second *
                                         std::clamp(options.section_live_time, shortest, longest));
    // Short enough to report the ends of sections without a noticeable delay.
    constexpr std::int64_t most_ns = 20'000'000;
    work.interval_ns = static_cast<std::uint64_t>(std::min(limit_ns / 5, most_ns));
    if (wanted)
        growth_to_report =
            static_cast<std::int64_t>(mebibyte * std::min(options.section_live_memory, longest));
}

void section_with_message_begins() {
    if (!wanted || __atomic_exchange_n(&started, true, __ATOMIC_RELAXED))
        return;
    if (process_record->forked && !of_all)
        return;
    if (const int error = every(work))
        message("section.live: cannot start the thread that prints messages of sections: %s",
                std::strerror(error));
}

void forget_live_print() {
    started = false;
    threads = nullptr;
    latest = nullptr;
}

void end_live_print() {
    if (!threads)
        return;
    run_guarded([] {
        look_at_sections();
        print_live_text(end_of_line_before(nullptr));
    });
    threads = nullptr;
    latest = nullptr;
}

}  // namespace vftrace
