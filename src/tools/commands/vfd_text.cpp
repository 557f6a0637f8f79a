#include "commands/vfd_text.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "readers/device_names.hpp"
#include "record/gpu_work.hpp"
#include "record/task_moments.hpp"

namespace vftrace {
namespace {

constexpr std::size_t most_stack_text_bytes = 64 * 1024 * 1024;
constexpr std::size_t lines_at_once = 32 * 1024;
constexpr std::size_t deepest_indentation = 100;  // of threads created by threads

void append_integer(std::string& out, std::int64_t value) {
    char digits[24];
    out.append(digits, std::to_chars(digits, std::end(digits), value).ptr);
}

}  // namespace

void append_seconds(std::string& out, std::int64_t ns) {
    constexpr std::uint64_t us_per_second = 1'000'000;
    constexpr std::size_t width = 16;
    char text[32];
    const std::uint64_t us = (static_cast<std::uint64_t>(ns) + 500) / 1000;
    std::uint64_t fraction = us % us_per_second, seconds = us / us_per_second;
    char* next = std::end(text);
    for (int i = 0; i < 6; i++, fraction /= 10)
        *--next = static_cast<char>('0' + fraction % 10);
    *--next = '.';
    do
        *--next = static_cast<char>('0' + seconds % 10);
    while ((seconds /= 10) > 0);
    const std::size_t size = static_cast<std::size_t>(std::end(text) - next);
    out.append(width - std::min(width, size), ' ');
    out.append(next, size);
}

VfdText::VfdText(const VfdFile& file, OutputFile& out, Names names)
    : file_(file), out_(out), names_(names), stack_texts_(file.stacks().size()) {}

void VfdText::flush() {
    out_.write(lines_);
    lines_.clear();
}

void VfdText::write_header() {
    const VfdHeader& header = file_.header();
    const VfdNumbers numbers = header.numbers;
    auto line = [&](const char* name, const std::string& value) {
        fmt::format_to(std::back_inserter(lines_), "{:<17}{}\n", name, value);
    };
    line("Version ID:", printable(header.package));
    line("Start Date:", printable(header.start_date));
    line("End Date:", printable(header.end_date));
    line("Processes:", format("%d of %d", numbers.rank, numbers.processes));
    line("Threads:", format("%d", numbers.threads));
    line("Sample interval:",
         format("%12.6e seconds", static_cast<double>(numbers.interval_ns) * 1e-9));
    line("Job runtime:", format("%.3f seconds", numbers.runtime_s));
    const std::uint64_t functions = numbers.function_samples, messages = numbers.message_samples;
    line("Samples:", std::to_string(functions + messages));
    line("   Function:", std::to_string(functions));
    line("   Messages:", std::to_string(messages));
    line("Unique stacks:", format("%u", numbers.stacks));
    line("HW counters:", format("%u", numbers.counters));
    line("HW observables:", format("%u", numbers.observables));
    auto offset = [](std::int64_t bytes) {
        return format("0x%llx", static_cast<unsigned long long>(bytes));
    };
    line("Stacks offset:", offset(numbers.stacks_offset));
    line("Sample offset:", offset(numbers.samples_offset));
    line("Thread offset:", offset(numbers.threads_offset));
    line("HWprof offset:", offset(numbers.hwprof_offset));
    flush();
}

void VfdText::write_title(std::string_view title) {
    lines_ += '\n';
    lines_ += title;
    lines_ += '\n';
}

void VfdText::write_thread_tree() {
    write_title("Threadtree:");
    const std::vector<VfdThreadInfo>& threads = file_.threads();
    constexpr std::size_t none = ~std::size_t{0};
    struct Place {
        std::size_t depth = 0, parent = none, first_child = none, next = none;
    };
    std::vector<Place> places(threads.size());
    std::size_t first = none;
    // Parents come before their children, so going backwards leaves the lists of children in order.
    for (std::size_t i = threads.size(); i-- > 0;) {
        if (threads[i].parent >= 0)
            places[i].parent = static_cast<std::size_t>(threads[i].parent);
        std::size_t& list = places[i].parent == none ? first : places[places[i].parent].first_child;
        places[i].next = list;
        list = i;
    }
    std::size_t thread = first;
    while (thread != none && out_.error() == 0) {
        Place& place = places[thread];
        place.depth = place.parent == none ? 0 : places[place.parent].depth + 1;
        lines_.append(2 * std::min(place.depth, deepest_indentation), ' ');
        append_integer(lines_, static_cast<std::int64_t>(thread));
        lines_ += '\n';
        if (lines_.size() > lines_at_once)
            flush();
        if (place.first_child != none) {
            thread = place.first_child;
            continue;
        }
        while (thread != none && places[thread].next == none)
            thread = places[thread].parent;
        if (thread != none)
            thread = places[thread].next;
    }
    flush();
}

std::string VfdText::make_stack_text(std::uint32_t stack) const {
    if (names_ == Names::stored)
        return printable(file_.stack_text(stack, true));
    const std::vector<Function>& functions = file_.extension().functions;
    std::string text;
    for (std::uint32_t step = stack; step != no_index; step = file_.stacks()[step].parent) {
        const VfdStack& caller = file_.stacks()[step];
        const bool has_other_name =
            caller.function != no_index && !functions[caller.function].display.empty();
        if (step != stack)
            text += '<';
        if (has_other_name)
            text += functions[caller.function].display;
        else
            text += display_name(caller);
        if (caller.precise)
            text += '*';
    }
    return printable(text);
}

std::string_view VfdText::stack_text(std::uint32_t stack) {
    std::string& kept = stack_texts_[stack];
    if (!kept.empty())
        return kept;
    last_stack_text_ = make_stack_text(stack);
    if (stack_text_bytes_ + last_stack_text_.size() > most_stack_text_bytes)
        return last_stack_text_;
    stack_text_bytes_ += last_stack_text_.size();
    kept = std::move(last_stack_text_);
    return kept;
}

void VfdText::write_stacks() {
    write_title("Stacks list:");
    const std::size_t stacks = file_.stacks().size();
    for (std::size_t i = 0; i < stacks && out_.error() == 0; i++) {
        fmt::format_to(std::back_inserter(lines_), "   {}: {}\n", i,
                       make_stack_text(static_cast<std::uint32_t>(i)));
        if (lines_.size() > lines_at_once)
            flush();
    }
    flush();
}

void VfdText::write_counters() {
    // Matches Vftrace 2.0, including blanks.
    if (!file_.counters().empty())
        write_title(" Counter names & symbols: \n");
    for (const VfdCounter& counter : file_.counters())
        lines_ += printable(counter.name) + " -> " + printable(counter.symbol) + '\n';
    if (!file_.observables().empty())
        write_title("Observables:");
    for (const VfdObservable& observable : file_.observables()) {
        lines_ += printable(observable.name) + ": " + printable(observable.formula) + " [" +
                  printable(observable.unit) + "]\n";
    }
    flush();
}

void VfdText::append_message(const VfdMessageSample& message) {
    const char* const direction = message.receives ? "recv" : "send";
    constexpr std::string_view indentation = "                 ";
    const std::int64_t start_ns = message.start_ns, end_ns = message.end_ns;
    const std::int64_t bytes = std::int64_t{message.count} * message.type_bytes;
    const std::int32_t count = message.count, type_bytes = message.type_bytes;
    const double mebibytes = static_cast<double>(bytes) / (1024.0 * 1024.0);
    const double seconds = static_cast<double>(end_ns - start_ns) * 1e-9;
    append_seconds(lines_, start_ns);
    const std::int32_t stack = message.stack, thread = message.thread;
    fmt::format_to(std::back_inserter(lines_), " {} in stackID {} from threadID {}\n", direction,
                   stack, thread);
    const std::int32_t peer = message.peer, tag = message.tag;
    fmt::format_to(std::back_inserter(lines_),
                   "{}count={} type={}({}Bytes) rate= {:>8.4f} MiB/s peer={} tag={}\n", indentation,
                   count, vfd_datatype_name(message.datatype), type_bytes,
                   bytes == 0 ? 0.0 : mebibytes / seconds, peer, tag);
    append_seconds(lines_, end_ns);
    fmt::format_to(std::back_inserter(lines_), " {} end\n", direction);
}

void VfdText::write_sample(const VfdSample& sample) {
    if (sample.kind == VfdSampleKind::message) {
        append_message(sample.message);
    } else {
        append_seconds(lines_, sample.ns);
        for (const std::int64_t reading : sample.counters) {
            lines_ += ' ';
            append_integer(lines_, reading);
        }
        lines_ += sample.kind == VfdSampleKind::enter ? " call " : " exit ";
        lines_ += stack_text(sample.stack);
        lines_ += '\n';
    }
    if (lines_.size() > lines_at_once)
        flush();
}

void VfdText::write_samples(const VfdPeriod& period, const VfdProgress& progress) {
    write_title("Stack and message samples:");
    VfdSampleStream stream = file_.samples();
    VfdSample sample;
    while (out_.error() == 0 && stream.next(sample)) {
        if (period.has(sample))
            write_sample(sample);
        progress(stream.position(), stream.size());
    }
    flush();
}

std::string VfdText::thread_text(std::uint32_t thread) const {
    const std::string& name = file_.threads().at(thread).name;
    return fmt::format("thread {}{}", thread,
                       name.empty() ? "" : fmt::format(" ({})", printable(name)));
}

void VfdText::write_samples_of(std::uint32_t thread, bool with_messages, const VfdPeriod& period,
                               const VfdProgress& progress) {
    write_title(fmt::format("Samples of {}:", thread_text(thread)));
    // All messages are among the samples of thread 0, which does not have a list of its own.
    const bool reads_first = thread == 0 || with_messages, reads_own = thread != 0;
    VfdSampleStream first = file_.samples(0), own = file_.samples(thread);
    VfdSample first_sample, own_sample;
    const std::uint64_t total = (reads_first ? first.size() : 0) + (reads_own ? own.size() : 0);
    auto next_of_first = [&] {
        while (reads_first && first.next(first_sample)) {
            progress(first.position() + (reads_own ? own.position() : 0), total);
            if (first_sample.kind != VfdSampleKind::message
                    ? thread == 0
                    : with_messages &&
                          static_cast<std::uint32_t>(first_sample.message.thread) == thread)
                return true;
        }
        return false;
    };
    auto next_of_own = [&] { return reads_own && own.next(own_sample); };
    bool has_first = next_of_first(), has_own = next_of_own();
    while (out_.error() == 0 && (has_first || has_own)) {
        const bool takes_own = has_own && (!has_first || own_sample.ns <= first_sample.ns);
        const VfdSample& next = takes_own ? own_sample : first_sample;
        if (period.has(next))
            write_sample(next);
        if (takes_own)
            has_own = next_of_own();
        else
            has_first = next_of_first();
        progress((reads_first ? first.position() : 0) + (reads_own ? own.position() : 0), total);
    }
    flush();
}

template <class Entry, class Append>
void VfdText::write_list(const std::string& title, VfdThreadStream<Entry> stream,
                         const VfdPeriod& period, Append append) {
    write_title(title);
    Entry entry;
    while (out_.error() == 0 && stream.next(entry)) {
        if (entry.ns < period.from_ns || entry.ns > period.to_ns)
            continue;
        append_seconds(lines_, entry.ns);
        append(entry);
        lines_ += stack_text(entry.stack);
        lines_ += '\n';
        if (lines_.size() > lines_at_once)
            flush();
    }
    flush();
}

void VfdText::write_call_samples_of(std::uint32_t thread, const VfdPeriod& period) {
    if (file_.call_sample_count(thread) > 0)
        write_list(fmt::format("Samples of {} in functions without hooks:", thread_text(thread)),
                   file_.call_samples(thread), period,
                   [&](const VfdCallSample&) { lines_ += " in "; });
}

void VfdText::write_task_moments_of(std::uint32_t thread, const VfdPeriod& period) {
    if (file_.task_moment_count(thread) > 0)
        write_list(fmt::format("Tasks on {}:", thread_text(thread)), file_.task_moments(thread),
                   period, [&](const VfdTaskMoment& found) {
                       const std::uint64_t task = found.task;
                       fmt::format_to(std::back_inserter(lines_), " {} task {} ",
                                      word_of(static_cast<TaskMoment>(found.moment)), task);
                   });
}

void VfdText::write_tracks() {
    const std::vector<VfdTrackInfo>& tracks = file_.extension().tracks;
    if (tracks.empty())
        return;
    write_title("GPU tracks:");
    for (std::uint32_t i = 0; i < tracks.size(); i++)
        fmt::format_to(
            std::back_inserter(lines_), "{:4}: {}{}, {} piece{} of work\n", i, track_name(file_, i),
            tracks[i].device_name.empty() ? std::string()
                                          : fmt::format(" ({})", printable(tracks[i].device_name)),
            tracks[i].pieces, plural_s(tracks[i].pieces));
    flush();
}

void VfdText::append_device_work(const VfdDeviceWork& work) {
    const std::uint32_t track = work.track;
    const std::uint64_t bytes = work.bytes;
    const std::int64_t ns = work.end_ns - work.start_ns;
    append_seconds(lines_, work.start_ns);
    fmt::format_to(std::back_inserter(lines_), " track {} {} ns {}", track, ns,
                   printable(std::string(work_name(file_, work))));
    if (work.work != static_cast<std::uint32_t>(GpuWork::kernel))
        fmt::format_to(std::back_inserter(lines_), " {} bytes", bytes);
    if (work.stack >= 0) {
        lines_ += " of ";
        lines_ += stack_text(static_cast<std::uint32_t>(work.stack));
    }
    lines_ += '\n';
}

void VfdText::write_device_work(const VfdPeriod& period, const VfdProgress& progress) {
    if (file_.extension().tracks.empty())
        return;
    write_title("GPU work:");
    VfdWorkStream stream = file_.device_work();
    VfdDeviceWork work;
    while (out_.error() == 0 && stream.next(work)) {
        if (work.start_ns <= period.to_ns && work.end_ns >= period.from_ns)
            append_device_work(work);
        if (lines_.size() > lines_at_once)
            flush();
        progress(stream.position(), stream.size());
    }
    flush();
}

}  // namespace vftrace
