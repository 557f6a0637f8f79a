// What `vftrace info` shows of traces: vfd files, and traces of unfinished runs.
#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/file_facts.hpp"
#include "readers/device_names.hpp"
#include "readers/vfd_reader.hpp"
#include "vfd/trace_file_reader.hpp"

namespace vftrace::tools {
namespace {

void add_clock(FileFacts& result, const VfdClock& clock) {
    auto fact = [&](const char* key, std::int64_t value) {
        result.facts.push_back(count_fact(key, "", value));
    };
    const std::int64_t begin_offset = clock.begin_offset_ns, begin_error = clock.begin_error_ns;
    const std::int64_t end_offset = clock.end_offset_ns, end_error = clock.end_error_ns;
    result.add_time("start_time", "Recorded since", clock.start_unix_ns);
    if (clock.measured == 0)
        return;
    auto reading = [](std::int64_t offset, std::int64_t error, std::int64_t ns) {
        return fmt::format("{} ns (+-{}) at {:.3f} s", offset, error,
                           static_cast<double>(ns) / 1e9);
    };
    std::string text = reading(begin_offset, begin_error, clock.begin_ns);
    fact("clock_offset_begin_ns", begin_offset);
    fact("clock_error_begin_ns", begin_error);
    if (clock.measured == 2) {
        text += ", " + reading(end_offset, end_error, clock.end_ns);
        fact("clock_offset_end_ns", end_offset);
        fact("clock_error_end_ns", end_error);
    }
    result.facts.push_back({"", "Offset to clock of rank 0", text, ""});
}

void add_gaps(FileFacts& result, const VfdFile& file) {
    std::uint64_t gaps = 0, dropped = 0, waits = 0, waited_ns = 0;
    for (const VfdGap& gap : file.extension().gaps) {
        (gap.waited ? waits : gaps)++;
        if (gap.waited)
            waited_ns += static_cast<std::uint64_t>(gap.end_ns - gap.start_ns);
        else
            dropped += gap.events;
    }
    result.add_count("gaps", "", gaps);
    result.facts.push_back(
        {"dropped_events", "Dropped events",
         gaps == 0 ? "0" : fmt::format("{} in {} gap{}", dropped, gaps, plural_s(gaps)),
         std::to_string(dropped)});
    result.add_count("waits", "", waits);
    if (waits > 0)
        result.add_seconds("waited_s", "Waited for the disk",
                           static_cast<double>(waited_ns) * 1e-9);
}

void add_counters(FileFacts& result, const VfdFile& file) {
    FactTable counters{"counters", "Counters", {}};
    for (const VfdCounter& counter : file.counters())
        counters.rows.push_back({text_fact("name", "Name", counter.name),
                                 text_fact("symbol", "Symbol", counter.symbol),
                                 text_fact("unit", "Unit", counter.unit)});
    FactTable observables{"observables", "Observables", {}};
    for (const VfdObservable& observable : file.observables())
        observables.rows.push_back({text_fact("name", "Name", observable.name),
                                    text_fact("formula", "Formula", observable.formula),
                                    text_fact("unit", "Unit", observable.unit)});
    result.tables.push_back(std::move(counters));
    result.tables.push_back(std::move(observables));
}

void add_device_work(FileFacts& result, const VfdFile& file) {
    const VfdExtension& extension = file.extension();
    if (extension.tracks.empty() && extension.missing_work == 0)
        return;
    FactTable table{"gpu_tracks", "GPU tracks", {}};
    std::uint64_t pieces = 0;
    for (std::uint32_t i = 0; i < extension.tracks.size(); i++) {
        const VfdTrackInfo& track = extension.tracks[i];
        pieces += track.pieces;
        const bool has_stream = track.stream != vfd_no_stream;
        table.rows.push_back({text_fact("name", "Track", track_name(file, i)),
                              count_fact("device", "GPU", track.device),
                              text_fact("device_name", "Name", track.device_name),
                              count_fact("context", "Context", track.context),
                              has_stream ? count_fact("stream", "Stream", track.stream)
                                         : Fact{"stream", "Stream", "-", "null"},
                              {"pieces", "Pieces of work", std::to_string(track.pieces),
                               std::to_string(track.pieces)}});
    }
    result.add_count("gpu_tracks", "GPU streams", extension.tracks.size());
    result.add_count("gpu_work", "GPU work", pieces);
    if (extension.missing_work > 0)
        result.add_count("missing_gpu_work", "Dropped GPU work", extension.missing_work);
    result.tables.push_back(std::move(table));
}

FactTable thread_table(const VfdFile& file) {
    FactTable table{"threads", "Threads", {}};
    for (std::size_t i = 0; i < file.threads().size(); i++) {
        const VfdThreadInfo& thread = file.threads()[i];
        std::vector<Fact> row{count_fact("thread", "Thread", static_cast<std::int64_t>(i))};
        row.push_back(thread.parent < 0 ? Fact{"parent", "Created by", "-", "null"}
                                        : count_fact("parent", "Created by", thread.parent));
        if (file.extension().present || i == 0)
            row.push_back({"samples", "Samples", std::to_string(thread.samples),
                           std::to_string(thread.samples)});
        else  // version 3 only has the number for thread 0
            row.push_back({"samples", "Samples", "-", "null"});
        if (file.extension().present) {
            row.push_back(count_fact("number", "Number", thread.number));
            row.push_back({"openmp_worker", "OpenMP", thread.openmp_worker ? "worker" : "-",
                           thread.openmp_worker ? "true" : "false"});
            row.push_back(text_fact("name", "Name", thread.name));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace

FileFacts facts_of_vfd_file(const std::string& path) {
    const VfdFile file(path);
    const VfdHeader& header = file.header();
    const VfdNumbers numbers = header.numbers;
    const VfdExtension& extension = file.extension();
    FileFacts result{path,
                     "vfd",
                     fmt::format("trace (vfd version {}, {} extension)", header.version,
                                 extension.present ? "with" : "without"),
                     {},
                     {}};
    result.add_text("written_by", "Written by", header.package);
    result.facts.push_back({"extension", "", "", extension.present ? "true" : "false"});
    result.add_text("program", "Program", extension.application);
    result.add_text("command_line", "Command line", extension.command_line);
    result.add_text("host", "Host", extension.host);
    const std::int32_t rank = numbers.rank, processes = numbers.processes;
    result.facts.push_back({"", "Rank", fmt::format("{} of {}", rank, processes), ""});
    result.facts.push_back(count_fact("rank", "", rank));
    result.facts.push_back(count_fact("ranks", "", processes));
    result.add_text("start", "Started", header.start_date);
    result.add_text("end", "Ended", header.end_date);
    result.add_seconds("run_time_s", "Run time", numbers.runtime_s);
    const std::int64_t interval_ns = numbers.interval_ns;
    result.facts.push_back(
        {"interval_ns", "Sample interval",
         interval_ns == 0 ? "0 (every call)" : fmt::format("{:.9g} s", interval_ns * 1e-9),
         std::to_string(interval_ns)});
    std::uint64_t samples = 0;
    for (const VfdThreadInfo& thread : file.threads())
        samples += thread.samples;
    result.add_count("function_samples", "Function samples", samples);
    std::uint64_t left_out = 0, call_samples = 0, task_moments = 0;
    for (std::uint32_t i = 0; i < file.threads().size(); i++) {
        left_out += file.left_out_events(i);
        call_samples += file.call_sample_count(i);
        task_moments += file.task_moment_count(i);
    }
    if (left_out > 0)
        result.add_count("left_out", "Events left out", left_out);
    if (call_samples > 0)
        result.add_count("call_samples", "Samples without hooks", call_samples);
    if (task_moments > 0)
        result.add_count("task_moments", "Task events", task_moments);
    result.add_count("message_samples", "Messages", numbers.message_samples);
    result.add_count("stacks", "Call paths", file.stacks().size());
    if (!extension.functions.empty())
        result.add_count("functions", "Functions", extension.functions.size());
    if (extension.present)
        add_gaps(result, file);
    add_device_work(result, file);
    if (extension.clock)
        add_clock(result, *extension.clock);
    result.add_bytes("bytes", "Size", file.bytes());
    result.tables.push_back(thread_table(file));
    add_counters(result, file);
    FactTable modules{"modules", "Modules", {}};
    for (const Module& module : extension.modules)
        modules.rows.push_back({text_fact("build_id", "Build-id", module.build_id),
                                text_fact("path", "File", module.path)});
    result.tables.push_back(std::move(modules));
    return result;
}

FileFacts facts_of_unfinished_trace(const std::string& path) {
    TraceFileReader reader;
    if (!reader.open(path))
        throw CommandError(fmt::format("{}: {}", path, reader.error()));
    TraceProcess process{};
    std::string_view texts;
    std::vector<std::uint64_t> buffer;
    std::uint64_t event_bytes = 0, work_bytes = 0;
    std::uint32_t threads = 0;
    bool is_complete = false;
    // The last chunk of kind `process` counts.
    for (std::size_t i = 0; i < reader.chunks().size(); i++) {
        const TraceChunk& chunk = reader.chunks()[i];
        if (chunk.kind == ChunkKind::device_work)
            work_bytes += chunk.bytes;
        if (chunk.kind == ChunkKind::events) {
            event_bytes += chunk.bytes;
            threads = std::max(threads, chunk.thread + 1);
        }
        is_complete = is_complete || chunk.kind == ChunkKind::end;
        std::span<const std::uint64_t> words;
        std::vector<std::uint64_t> of_process;
        if (chunk.kind != ChunkKind::process || !reader.load(i, of_process, words) ||
            words.size_bytes() < sizeof process)
            continue;
        buffer.assign(words.begin(), words.end());
        std::memcpy(&process, buffer.data(), sizeof process);
        texts = std::string_view(reinterpret_cast<const char*>(buffer.data()),
                                 buffer.size() * sizeof buffer[0])
                    .substr(sizeof process);
    }
    FileFacts result{
        path,
        "unfinished-trace",
        is_complete ? "trace that was not converted (\"vftrace recover\" makes a vfd file of it)"
                    : "trace of a run that did not finish, or is still running (\"vftrace "
                      "recover\" makes a vfd file of it)",
        {},
        {}};
    if (!texts.empty()) {
        const std::vector<std::string_view> parts = split(texts, '\0');
        auto add_text = [&](std::size_t part, const char* key, const char* label) {
            if (part < parts.size())
                result.add_text(key, label, parts[part]);
        };
        add_text(0, "program", "Program");
        add_text(1, "command_line", "Command line");
        add_text(2, "host", "Host");
        result.facts.push_back(count_fact("pid", "Process", process.pid));
        result.add_count("rank", process.uses_mpi ? "Rank" : "", process.rank);
        result.add_count("ranks", process.uses_mpi ? "Ranks of the run" : "", process.ranks);
        result.add_time("start", "Started", process.start_unix_ns);
        if (reader.latest_ns() > process.start_ns)
            result.add_seconds("written_until_s", "Written until",
                               static_cast<double>(reader.latest_ns() - process.start_ns) * 1e-9);
    }
    result.add_count("threads", "Threads", threads);
    result.add_count("chunks", "Pieces", reader.chunks().size());
    result.add_count("damaged_chunks", "Damaged pieces", reader.damaged_chunks());
    result.add_bytes("event_bytes", "Events", event_bytes);
    if (work_bytes > 0)
        result.add_bytes("gpu_work_bytes", "GPU work", work_bytes);
    result.add_bytes("bytes", "Size", reader.file_bytes());
    return result;
}

}  // namespace vftrace::tools
