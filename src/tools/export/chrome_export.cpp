// JSON trace events, for chrome://tracing and Perfetto: a process per rank, a thread per thread.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#include <charconv>
#include <cstring>
#include <optional>

#include <fmt/core.h>

#include "base/json_string.hpp"
#include "base/version.hpp"
#include "export/device_lanes.hpp"
#include "export/exporters.hpp"
#include "export/task_lanes.hpp"
#include "export/timeline.hpp"

namespace vftrace {
namespace {

// Distinguishes the numbers of arrows from those of messages.
constexpr std::uint64_t launch_arrows = ~std::uint64_t{0};

// Microseconds with three decimals: 20 characters at most.
char* put_time(char* out, std::int64_t ns) {
    out = std::to_chars(out, out + 20, ns / 1000).ptr;
    const auto fraction = static_cast<unsigned>(ns % 1000);
    *out++ = '.';
    *out++ = static_cast<char>('0' + fraction / 100);
    *out++ = static_cast<char>('0' + fraction / 10 % 10);
    *out++ = static_cast<char>('0' + fraction % 10);
    return out;
}

char* put(char* out, std::string_view text) {
    std::memcpy(out, text.data(), text.size());
    return out + text.size();
}

std::string time_text(std::int64_t ns) {
    char text[32];
    return {text, put_time(text, ns)};
}

class ChromeThread final : public ReplayVisitor {
  public:
    ChromeThread(ExportOutput& output, const TimelineRank& rank, std::uint32_t thread,
                 MessageMatching& matching)
        : output_(output), rank_(rank), matching_(matching), thread_(thread),
          place_(fmt::format(R"("pid":{},"tid":{},"ts":)", rank.rank, thread)),
          begin_(",\n{\"ph\":\"B\"," + place_), end_(",\n{\"ph\":\"E\"," + place_),
          ends_(rank.file->stacks().size()) {}

    void open(std::uint32_t stack, std::int64_t ns) override {
        const std::string& rest = rest_of(stack);
        char* out = output_.room(begin_.size() + 24);
        out = put_time(put(out, begin_), rank_.clock(ns));
        output_.end_of_room(out);
        output_.write(rest);
    }

    // Writes the name, too: the format allows it to be left out, but then readers do not close
    // calls.
    void close(const ReplayedCall& call) override {
        const std::string& rest = rest_of(call.stack);
        char* out = output_.room(end_.size() + 24);
        out = put_time(put(out, end_), rank_.clock(call.ns));
        output_.end_of_room(out);
        if (call.recorded) {
            output_.write(rest);
        } else {
            output_.write(std::string_view(rest).substr(0, rest.size() - 1));
            output_.write(fmt::format(",\"args\":{{\"reconstructed\":\"{}\"}}}}",
                                      text_on_reconstructed(call)));
        }
    }

    void counters(std::int64_t ns, std::span<const std::int64_t> readings) override {
        for (std::size_t i = 0; i < readings.size(); i++) {
            // Counters belong to processes in this format.
            const std::string name =
                fmt::format("{}, {}", rank_.file->counters()[i].name, rank_.thread_label(thread_));
            output_.write(
                fmt::format(",\n{{\"ph\":\"C\",{}{},\"name\":{},\"args\":{{\"value\":{}}}}}",
                            place_, time_text(rank_.clock(ns)), json_string(name), readings[i]));
        }
    }

    void message(const VfdMessageSample& message) override {
        if (rank_.class_of(message) == MessageClass::never_received)
            return;
        const bool receives = message.receives != 0;
        const std::int32_t peer = message.peer, tag = message.tag, of_thread = message.thread;
        const std::string place =
            fmt::format(R"("pid":{},"tid":{},"ts":{})", rank_.rank, of_thread,
                        time_text(rank_.clock(receives ? message.end_ns : message.start_ns)));
        output_.write(fmt::format(
            ",\n{{\"ph\":\"i\",\"s\":\"t\",{},\"cat\":\"message\",\"name\":\"{} {}\",\"args\":{{"
            "\"peer\":{},\"tag\":{},\"bytes\":{},\"type\":\"{}\",\"ns\":{}}}}}",
            place, receives ? "receive from" : "send to", peer, peer, tag, message_bytes(message),
            vfd_datatype_name(message.datatype), message.end_ns - message.start_ns));
        if (const std::uint64_t flow = matching_.match(rank_, message); flow != 0)
            output_.write(fmt::format(
                ",\n{{\"ph\":\"{}\",{},\"cat\":\"message\",\"name\":\"message\",\"id\":\"{:#x}\"}}",
                receives ? "f\",\"bp\":\"e" : "s", place, flow));
    }

  private:
    const std::string& rest_of(std::uint32_t stack) {
        std::string& rest = ends_[stack];
        if (rest.empty())
            rest =
                fmt::format(",\"cat\":\"{}\",\"name\":{}}}", row_of(rank_.category_of(stack)).word,
                            json_string(rank_.name_of(stack)));
        return rest;
    }

    ExportOutput& output_;
    const TimelineRank& rank_;
    MessageMatching& matching_;
    const std::uint32_t thread_;
    const std::string place_, begin_, end_;
    std::vector<std::string> ends_;  // by stack: what follows the time; made when needed
};

void name_track(const TimelineRank& rank, const char* what, std::size_t thread,
                const std::string& text, ExportOutput& output) {
    output.write(fmt::format(
        ",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"{}\",\"args\":{{\"name\":{}}}}}",
        rank.rank, thread, what, json_string(text)));
}

void name_thread(const TimelineRank& rank, std::size_t thread, const std::string& text,
                 ExportOutput& output) {
    name_track(rank, "thread_name", thread, text, output);
}

void name_tracks(const TimelineRank& rank, ExportOutput& output) {
    name_track(rank, "process_name", 0, rank.label, output);
    output.write(fmt::format(",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":"
                             "\"process_sort_index\",\"args\":{{\"sort_index\":{}}}}}",
                             rank.rank, rank.rank));
    for (std::uint32_t thread = 0; thread < rank.file->threads().size(); thread++)
        name_thread(rank, thread, rank.thread_label(thread), output);
}

void write_gaps(const TimelineRank& rank, ExportOutput& output) {
    for (const VfdGap& gap : rank.file->extension().gaps) {
        const std::uint32_t thread = gap.thread;
        const std::uint64_t events = gap.events;
        const std::int64_t start = rank.clock(gap.start_ns);
        output.write(fmt::format(
            ",\n{{\"ph\":\"i\",\"s\":\"t\",\"pid\":{},\"tid\":{},\"ts\":{},\"cat\":\"gap\","
            "\"name\":\"{}\",\"args\":{{\"ns\":{},\"events\":{}}}}}",
            rank.rank, thread, time_text(start),
            gap.waited ? "waited for the trace" : "events are missing",
            rank.clock(gap.end_ns) - start, events));
    }
}

// Samples in functions without hooks, the begin and end of which are unknown.
void write_call_samples(const TimelineRank& rank, std::uint32_t thread, ExportOutput& output) {
    if (rank.file->call_sample_count(thread) == 0)
        return;
    std::vector<std::string> names(rank.file->stacks().size());  // by stack; made when needed
    VfdCallSampleStream stream = rank.file->call_samples(thread);
    for (VfdCallSample sample; stream.next(sample);) {
        std::string& name = names[sample.stack];
        if (name.empty())
            name = json_string(rank.name_of(sample.stack));
        output.write(fmt::format(",\n{{\"ph\":\"i\",\"s\":\"t\",\"pid\":{},\"tid\":{},\"ts\":{},"
                                 "\"cat\":\"sample\",\"name\":{}}}",
                                 rank.rank, thread, time_text(rank.clock(sample.ns)), name));
    }
}

std::string place_text(const TimelineRank& rank, std::size_t thread, std::int64_t ns) {
    return fmt::format(R"("pid":{},"tid":{},"ts":{})", rank.rank, thread,
                       time_text(rank.clock(ns)));
}

// `from` and `to`: place_text() of the two ends; the arrow leads to the slice that begins there.
void write_arrow(const char* kind, const std::string& from, const std::string& to,
                 std::uint64_t number, ExportOutput& output) {
    constexpr const char* form =
        ",\n{{\"ph\":\"{}\",{},\"cat\":\"{}\",\"name\":\"{}\",\"id\":\"{:#x}\"}}";
    output.write(fmt::format(form, "s", from, kind, kind, number));
    output.write(fmt::format(form, "f\",\"bp\":\"e", to, kind, kind, number));
}

// Lanes of GPUs have the numbers after those of the threads. Returns how many there are.
std::size_t write_device_work(const TimelineRank& rank, ExportOutput& output) {
    const std::size_t threads = rank.file->threads().size();
    std::vector<std::string> paths(rank.file->stacks().size());  // made when needed
    std::uint64_t arrows = 0;
    std::size_t used = 0;
    visit_device_work(*rank.file, [&](const VfdDeviceWork& work, const DeviceLanes& lanes,
                                      std::uint32_t lane, bool is_new) {
        const std::size_t thread = threads + lane;
        used = lanes.count();
        if (is_new)
            name_thread(rank, thread, lanes.name(lane), output);
        const std::int64_t start = rank.clock(work.start_ns);
        const std::uint64_t bytes = work.bytes;
        const std::string place = place_text(rank, thread, work.start_ns);
        std::string path;
        if (work.stack >= 0) {
            std::string& text = paths[static_cast<std::size_t>(work.stack)];
            if (text.empty())
                text = json_string(launch_path(rank, work));
            path = (bytes > 0 ? ",\"path\":" : "\"path\":") + text;
        }
        output.write(fmt::format(
            ",\n{{\"ph\":\"X\",{},\"dur\":{},\"cat\":\"gpu {}\",\"name\":{},\"args\":{{{}{}}}}}",
            place, time_text(rank.clock(work.end_ns) - start), work_category(work),
            json_string(std::string(work_name(*rank.file, work))),
            bytes > 0 ? fmt::format("\"bytes\":{}", bytes) : std::string(), path));
        if (work.call_ns < 0 || work.thread < 0)
            return;
        write_arrow("launch", place_text(rank, static_cast<std::size_t>(work.thread), work.call_ns),
                    place, mixed_number(rank.rank, ++arrows, launch_arrows), output);
    });
    return used;
}

// Lanes of tasks have the numbers from `first` on.
void write_tasks(const TimelineRank& rank, std::size_t first, ExportOutput& output) {
    if (!has_tasks(*rank.file))
        return;
    TaskLanes lanes(rank);
    std::uint32_t named = 0;
    lanes.visit([&](const TaskRun& run) {
        for (; named <= run.lane; named++)
            name_thread(rank, first + named, lanes.name(named), output);
        const std::string place = place_text(rank, first + run.lane, run.start_ns);
        output.write(fmt::format(
            ",\n{{\"ph\":\"{}\",{}{},\"cat\":\"task\",\"name\":{},\"args\":{{\"task\":\"{}\","
            "\"thread\":{},\"left\":\"{}\"}}}}",
            run.has_run ? "X" : "i\",\"s\":\"t", place,
            run.has_run ? ",\"dur\":" + time_text(rank.clock(run.end_ns) - rank.clock(run.start_ns))
                        : std::string(),
            json_string(rank.name_of(run.stack)), run.task,
            json_string(rank.thread_label(run.thread)), run.left));
        if (run.is_first)
            write_arrow("task", place_text(rank, run.creator, run.created_ns), place,
                        creation_flow(rank, run), output);
    });
}

}  // namespace

void export_chrome(const ExportSource& source, ExportOutput& output) {
    const Timeline timeline = make_timeline(source, output);
    MessageMatching matching(timeline);
    output.write(fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"producer\":\"vftrace "
                             "{}\",\"application\":{},\"start_unix_ns\":\"{}\"}},\n"
                             "\"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":{},\"tid\":0,\"name\":"
                             "\"process_labels\",\"args\":{{\"labels\":{}}}}}",
                             version, json_string(timeline.application), timeline.start_unix_ns,
                             timeline.ranks.front().rank, json_string(timeline.application)));
    for (const TimelineRank& rank : timeline.ranks) {
        name_tracks(rank, output);
        write_gaps(rank, output);
    }
    std::optional<ChromeThread> visitor;
    replay_timeline(
        timeline, output,
        [&](const TimelineRank& rank, std::uint32_t thread) -> ReplayVisitor& {
            return visitor.emplace(output, rank, thread, matching);
        },
        [](const ReplayFigures&) {});
    for (const TimelineRank& rank : timeline.ranks) {
        for (std::uint32_t thread = 0; thread < rank.file->threads().size(); thread++)
            write_call_samples(rank, thread, output);
        const std::size_t lanes = write_device_work(rank, output);
        write_tasks(rank, rank.file->threads().size() + lanes, output);
    }
    output.write("\n]}\n");
}

}  // namespace vftrace
