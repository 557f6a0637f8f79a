#include "lifecycle/tracing.hpp"

#include <climits>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.hpp"
#include "base/saturating.hpp"
#include "lifecycle/patterns.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/shared_run_folder.hpp"
#include "report/text_log.hpp"
#include "symbol/function_set.hpp"
#include "trace/trace_writer.hpp"
#include "tree/call_tree.hpp"
#include "tree/event_buffer.hpp"
#include "tree/tree_memory.hpp"
#include "vfd/vfd_conversion.hpp"

namespace vftrace {
namespace {

// Creates the missing directories of the path to which the trace is written while the program runs.
// Allocates nothing.
void make_directories_of(char* path) {
    if (access(path, F_OK) == 0)
        return;
    for (char* slash = std::strchr(path + 1, '/'); slash; slash = std::strchr(slash + 1, '/')) {
        *slash = '\0';
        if (access(path, F_OK) != 0)
            mkdir(path, 0777);
        *slash = '/';
    }
}

}  // namespace

void prepare_tracing(const Options& options) {
    if (!options.sampling_active)
        return;
    trace_settings.active = true;
    trace_settings.drop_when_full = options.sampling_when_full == "drop";
    trace_settings.buffer_bytes = static_cast<std::size_t>(options.sampling_outbuffer_size) << 20;
    trace_settings.clocks_at_begin = options.sampling_clocks_at_begin;
    trace_settings.interval_ns = static_cast<std::uint64_t>(options.sampling_sample_interval * 1e9);
    // A function sample of the file has 16 bytes, and one word in the buffer.
    trace_settings.complete_words =
        static_cast<std::uint64_t>(options.sampling_complete_size) << 20 >> 4;
    if (options.sampling_precise_functions) {
        auto* functions = new FunctionSet(options.sampling_precise_functions->c_str());
        functions->add_loaded_files();
        watch_pattern("sampling.precise_functions", options.sampling_precise_functions->c_str(),
                      *functions, LaterLibraries::followed);
        tree_settings.precise_functions = functions;
    }
}

void start_tracing_process(ProcessRecord& record) {
    if (!trace_settings.active)
        return;
    // Suffixes are not needed: the name contains the number of the process.
    char path[PATH_MAX];
    int length = std::snprintf(path, sizeof path, "%s_%ld.tmpvfd", record.output_base,
                               static_cast<long>(record.pid));
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof path)
        return;
    make_directories_of(path);
    make_own_run_folder();
    record.trace_file = keep_text(path);
    start_trace(path);
    start_trace_writer();
}

void write_vfd(const Profile& profile, const EndOfTrace& end, const std::string& base) {
    const char* trace_file = trace_file_path();
    if (!trace_file)
        return;
    VfdConversion conversion;
    conversion.trace_file = trace_file;
    conversion.vfd_file = base + rank_text(profile.run) + ".vfd";
    conversion.profile = &profile;
    conversion.nodes = &end.nodes;
    conversion.ns_per_tick = end.ns_per_tick;
    conversion.end_ticks = end.end_ticks;
    const VfdFigures figures = convert_to_vfd(conversion);
    if (!figures.error.empty())
        message("%s: %s", conversion.vfd_file.c_str(), figures.error.c_str());
    if (figures.damaged_chunks)
        message("%s: %llu pieces of the trace are damaged and left out",
                conversion.vfd_file.c_str(),
                static_cast<unsigned long long>(figures.damaged_chunks));
    // The trace was begun in the folder where the rank expected its files to be written; the final
    // folder may be another one.
    const std::string folder(trace_file, std::strrchr(trace_file, '/'));
    if (figures.bytes > 0) {
        remove_trace_file();
        if (!run->run_folder.empty() && folder != run->run_folder)
            rmdir(folder.c_str());
    } else
        message("the trace is kept; when there is space, make it readable with: vftrace recover %s",
                trace_file);
}

void note_trace_losses(RunInfo& info, double ns_per_tick) {
    const TraceLosses losses = trace_losses();
    note_count(info.notices, NoticeCode::trace_events_missing, losses.dropped_events);
    note_count(info.notices, NoticeCode::trace_gpu_work_missing, losses.dropped_work);
    note_count(info.notices, NoticeCode::trace_cut_short, losses.error ? 1 : 0);
    const std::int64_t waited_ns =
        saturated_ns(static_cast<double>(losses.waited_ticks), ns_per_tick);
    if (losses.waits)
        add_notice(info.notices, {NoticeCode::trace_waits,
                                  {losses.waits, static_cast<std::uint64_t>(waited_ns)}});
}

}  // namespace vftrace
