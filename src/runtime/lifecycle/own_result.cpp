#include "lifecycle/own_result.hpp"

#include <cstdlib>
#include <string>
#include <unistd.h>

#include "base/relaxed.hpp"
#include "collate/collect.hpp"
#include "collate/counter_figures.hpp"
#include "collate/rank_figures.hpp"
#include "collate/section_figures.hpp"
#include "lifecycle/cost_of_measuring.hpp"
#include "lifecycle/run.hpp"
#include "mpi/mpi_state.hpp"
#include "mpi/requests.hpp"
#include "profile/display_names.hpp"
#include "tree/call_tree.hpp"
#include "tree/event_buffer.hpp"
#include "tree/own_record.hpp"
#include "tree/registry.hpp"

namespace vftrace {

void fill_run_information(RunInfo& info, double ns_per_tick, std::uint64_t end_ticks) {
    info.host = run->host;
    info.application = run->application;
    info.command_line = run->command_line;
    info.pid = process_record ? process_record->pid : getpid();
    info.start_unix_ns = run->start_unix_ns;
    info.end_unix_ns = unix_time_ns();
    if (run->start.ticks)  // else nothing was ever recorded
        info.runtime_ns = static_cast<std::int64_t>(
            static_cast<double>(end_ticks - run->start.ticks) * ns_per_tick);
    info.config_source = run->configuration.source;
    info.config_text = run->config_text;
    if (process_record)  // else nothing was read
        set_counter_information(info, run->configuration.options);
    info.uses_mpi = mpi_process.used;
    info.rank = static_cast<std::uint32_t>(mpi_process.rank);
    info.ranks = static_cast<std::uint32_t>(mpi_process.size);
}

static std::string visible_gpus() {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible ? visible : "all";
}

double tick_ns() {
    return tree_settings.processor_ticks && run->start.ticks ? nanoseconds_per_tick(run->start)
                                                             : 1.0;
}

// The program had ended before the rest of us did: what is between that and the end of the run is
// not its own time.
static void count_own_end(ProcessRecord& record, std::uint64_t end_ticks) {
    static std::uint64_t of_start;
    static bool is_known;
    if (!is_known)
        of_start = record.library_start_ticks;
    is_known = true;
    if (record.end_ticks != 0 && end_ticks > record.end_ticks)
        set_shared(record.library_start_ticks, of_start + (end_ticks - record.end_ticks));
}

OwnResult own_result(const std::vector<CodePlace>& filtered_elsewhere) {
    OwnResult result;
    std::uint64_t end_ticks = tree_ticks();
    double ns_per_tick = tick_ns();
    Profile& profile = result.profile;
    count_own_end(*process_record, end_ticks);
    result.trace.ns_per_tick = ns_per_tick;
    result.trace.end_ticks = end_ticks;
    fill_run_information(profile.run, ns_per_tick, end_ticks);
    bool uses_mpi = profile.run.uses_mpi;
    result.files = std::make_unique<CodeFiles>(process_record->modules, own_process_folder);
    collect_profile(
        profile, *process_record,
        {.end_ticks = end_ticks,
         .ns_per_tick = ns_per_tick,
         .calibration = final_calibration(*process_record, ns_per_tick, profile.run),
         .corrected = run->configuration.options.overhead_corrected,
         .filtered = filtered_elsewhere,
         .source_lines = run->configuration.options.source_lines,
         .memory_bytes = tree_memory_bytes(),
         .requests = request_counts(),
         .visible_gpus = visible_gpus(),
         .nodes = trace_settings.active ? &result.trace.nodes : nullptr,
         .files = result.files.get(),
         .perf_map = {perf_map_path(profile.run.pid), geteuid(), run->library_start_unix_ns}});
    note_trace_losses(profile.run, ns_per_tick);
    if (uses_mpi) {
        profile.ranks.push_back(rank_figures(profile));
        note_sections_of_rank(profile);
    }
    const Options& options = run->configuration.options;
    set_display_names(profile.functions, options.demangle_cxx, options.strip_module_names);
    return result;
}

}  // namespace vftrace
