#include "collate/collect.hpp"

#include <algorithm>

#include "base/relaxed.hpp"
#include "base/text.hpp"
#include "collate/annotations.hpp"
#include "collate/combined_times.hpp"
#include "collate/counter_figures.hpp"
#include "collate/file_calls.hpp"
#include "collate/formula_metrics.hpp"
#include "collate/function_names.hpp"
#include "collate/gpu_figures.hpp"
#include "collate/heap_sites.hpp"
#include "collate/latencies.hpp"
#include "collate/lock_waits.hpp"
#include "collate/messages.hpp"
#include "collate/node_paths.hpp"
#include "collate/path_addresses.hpp"
#include "collate/placement.hpp"
#include "collate/process_figures.hpp"
#include "collate/region_energy.hpp"
#include "collate/region_figures.hpp"
#include "collate/side_figures.hpp"
#include "collate/stids.hpp"
#include "collate/task_loops.hpp"
#include "collate/thread_figures.hpp"
#include "collate/tree_times.hpp"
#include "collate/unused_paths.hpp"
#include "record/openacc_events.hpp"

namespace vftrace {
namespace {

std::int64_t paused_ns(const ProcessRecord& process, const CollectSettings& settings) {
    std::uint64_t ticks = __atomic_load_n(&process.paused_ticks, __ATOMIC_ACQUIRE);
    const std::uint64_t started = __atomic_load_n(&process.pause_started, __ATOMIC_RELAXED);
    if (started != 0 && started < settings.end_ticks)
        ticks += settings.end_ticks - started;
    return saturated_ns(static_cast<double>(ticks), settings.ns_per_tick);
}

// Adds one line of the summary for each kind of call that cost something.
// `sampled_ns`: the overhead of all threads together, from samples and calibration; negative
// without samples.
void add_overhead(Profile& profile, std::int64_t start_ns, std::int64_t review_ns,
                  std::int64_t memory_ns, const GpuCallbackTimes& callbacks,
                  std::int64_t sampled_ns) {
    std::int64_t hooks_ns = 0, wrappers_ns = 0, cuda_ns = 0, openacc_ns = 0;
    for (const Path& path : profile.paths) {
        const Function& function = profile.functions[path.function];
        add_saturating(function.kind == NodeKind::mpi   ? wrappers_ns
                       : function.kind != NodeKind::gpu ? hooks_ns
                       : is_openacc(function.offset)    ? openacc_ns
                                                        : cuda_ns,
                       path.overhead_ns);
    }
    for (const FilteredFunction& function : profile.filtered)
        add_saturating(hooks_ns, function.overhead_ns);
    if (sampled_ns >= 0)
        hooks_ns = std::max<std::int64_t>(
            sampled_ns - review_ns - memory_ns - wrappers_ns - cuda_ns - openacc_ns, 0);
    profile.run.overhead.push_back({OverheadKind::function_hooks, hooks_ns});
    if (profile.run.uses_mpi)
        profile.run.overhead.push_back({OverheadKind::mpi_wrappers, wrappers_ns});
    // Calls are recorded in callbacks, whose time is measured.
    if (const std::int64_t ns = std::max(callbacks.cuda_ns, cuda_ns); ns > 0)
        profile.run.overhead.push_back({OverheadKind::cuda_callbacks, ns});
    if (const std::int64_t ns = std::max(callbacks.openacc_ns, openacc_ns); ns > 0)
        profile.run.overhead.push_back({OverheadKind::openacc_callbacks, ns});
    if (review_ns > 0)
        profile.run.overhead.push_back({OverheadKind::filtering, review_ns});
    if (start_ns > 0)
        profile.run.overhead.push_back({OverheadKind::library_start, start_ns});
    if (memory_ns > 0)
        profile.run.overhead.push_back({OverheadKind::section_memory, memory_ns});
}

std::uint32_t thread_count(const Profile& profile) {
    std::uint64_t threads = 0;
    for (const ThreadFigures& thread : profile.threads)
        add_saturating(threads, thread.threads);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(threads, 1, 0xffffffff));
}

void note_dropped_calls(Profile& profile, const NodePaths& paths) {
    std::uint64_t dropped = 0;
    for (const NodePaths::Thread& thread : paths.threads())
        add_saturating(dropped, __atomic_load_n(&thread.record->dropped_calls, __ATOMIC_RELAXED));
    note_count(profile.run.notices, NoticeCode::calls_dropped, dropped);
}

// `sampled_ns`: the time that samples represent.
void note_processor_time(RunInfo& run, const ProcessRecord& process, double sampled_ns) {
    const auto used = static_cast<double>(process.processor_ns) -
                      static_cast<double>(process.processor_ns_before);
    if (process.processor_ns == 0 || used < 0)
        return;
    run.processor_ns = saturated_ns(used, 1.0);
    run.unsampled_ns = saturated_ns(std::max(0.0, used - sampled_ns), 1.0);
}

void note_sampling(Profile& profile, const ProcessRecord& process, const NodePaths& paths) {
    if (process.sample_period_ns == 0 || process.sampled_beside_hooks)
        return;
    profile.run.sample_period_ns =
        static_cast<std::int64_t>(std::min(process.sample_period_ns, std::uint64_t{1} << 61));
    profile.run.sample_clock =
        process.sample_clock == SampleClock::user_code ? "user code" : "processor time";
    std::uint64_t taken = 0, lost = 0, in_clocked = 0, kernel_ns = 0;
    for (const NodePaths::Thread& thread : paths.threads()) {
        add_saturating(taken, __atomic_load_n(&thread.record->samples, __ATOMIC_RELAXED));
        add_saturating(lost, __atomic_load_n(&thread.record->lost_samples, __ATOMIC_RELAXED));
        add_saturating(in_clocked,
                       __atomic_load_n(&thread.record->other_samples, __ATOMIC_RELAXED));
        add_saturating(kernel_ns, __atomic_load_n(&thread.record->kernel_ns, __ATOMIC_RELAXED));
    }
    note_processor_time(profile.run, process,
                        (static_cast<double>(taken) + static_cast<double>(in_clocked)) *
                                static_cast<double>(process.sample_period_ns) +
                            static_cast<double>(kernel_ns));
    constexpr std::uint64_t worth_saying = 100;  // one in this many
    if (lost > taken / worth_saying)
        note_count(profile.run.notices, NoticeCode::samples_lost, lost);
}

void add_parameters(RunInfo& run, const ProcessRecord& process) {
    for (const ParameterRecord& parameter : items_of(process.parameters)) {
        const std::string name = parameter.name;
        if (!add_parameter(run.parameters, {name, relaxed(parameter.value)}) &&
            relaxed(parameter.changed) != 0)
            add_notice(run.notices, {NoticeCode::parameter_changed, {name}});
    }
}

void note_missing_files(std::vector<Notice>& notices, const CodeFiles& files) {
    constexpr std::size_t most_shown = 3;
    std::vector<std::string> missing = files.missing();
    if (missing.empty())
        return;
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    const std::size_t others = missing.size() - std::min(missing.size(), most_shown);
    missing.resize(missing.size() - others);
    std::string text = joined(missing, ", ");
    if (others > 0)
        append_format(text, " and %zu more", others);
    add_notice(notices, {NoticeCode::module_changed, {text}});
}

// In a damaged file, thread numbers may have any value.
void note_paths_of_nodes(PathsOfNodes& nodes, const NodePaths& paths) {
    constexpr std::uint32_t most_threads = 1 << 20;
    for (const NodePaths::Thread& thread : paths.threads()) {
        const std::uint32_t number = thread.record->number;
        if (number >= most_threads)
            continue;
        if (number >= nodes.path_of.size())
            nodes.path_of.resize(number + 1);
        nodes.path_of[number] = thread.path_of;
    }
}

}  // namespace

void add_root(Profile& profile) {
    Function root;
    root.kind = NodeKind::root;
    root.name = root.display = "init";
    profile.functions.push_back(root);
    profile.paths.push_back({});
}

void collect_profile(Profile& profile, const ProcessRecord& process,
                     const CollectSettings& settings) {
    CodeFiles own_files(process.modules, settings.process_folder);
    CodeFiles& files = settings.files ? *settings.files : own_files;
    FunctionTable functions(profile, files, settings.perf_map, settings.source_lines);
    FilteredFunctions filtered(profile, functions, process, settings.filtered,
                               settings.ns_per_tick);
    const NodePaths paths(process, profile, functions, filtered, files);
    if (profile.paths.empty())  // this rank of a job has recorded nothing
        profile.paths.emplace_back().function = functions.index_of_root();
    ThreadFiguresSum sum(profile, settings.ns_per_tick, settings.end_ticks,
                         settings.calibration.uncertainty);
    TaskLoopsSum loops(profile, settings.ns_per_tick);
    CounterFiguresSum counters(profile, settings.ns_per_tick);
    SideFiguresSum side(profile, settings.ns_per_tick);
    PathAddressesSum addresses(profile, functions, process.modules);
    LockWaitsSum locks(profile, functions, paths, files);
    HeapSitesSum heap(profile, functions, process.modules);
    FileCallsSum file_calls(profile, process, settings.ns_per_tick);
    PlacementSum placement(profile, functions, paths, process.modules);
    LatenciesSum latencies(profile, process.start.ticks, settings.ns_per_tick);
    RegionFiguresSum regions(profile, process, settings.ns_per_tick);
    const bool sampled = removed_functions_are_sampled(process);
    double longest_delay = 0, error_of_longest = 0, thread_ticks = 0;
    for (const NodePaths::Thread& thread : paths.threads()) {
        const ThreadTimes times = times_of_tree(thread, profile, process, settings.end_ticks,
                                                settings.calibration.costs, settings.corrected);
        const std::uint32_t row = sum.add(thread, times.nodes);
        loops.add(thread, times.nodes, row);
        regions.add(thread, times.nodes);
        side.add(thread, row);
        addresses.add(thread);
        locks.add(thread);
        latencies.add(thread);
        heap.add(thread);
        file_calls.add(thread);
        placement.add(thread);
        counters.add(thread, times.nodes);
        thread_ticks += times.overhead;
        if (times.overhead > longest_delay) {
            longest_delay = times.overhead;
            error_of_longest = times.overhead_error;
        }
    }
    sum.finish();
    loops.finish();
    counters.finish();
    side.finish();
    addresses.finish(settings.ns_per_tick);
    locks.finish();
    latencies.finish();
    heap.finish();
    file_calls.finish();
    placement.finish();
    collect_process_figures(profile, process, settings.ns_per_tick, &paths);
    add_formula_metrics(profile);
    compute_formula_metrics(profile);
    collect_messages(profile, settings.ns_per_tick, settings.requests, paths);
    collect_gpu_figures(profile, process, functions, paths);
    if (uses_devices(process))
        profile.run.visible_gpus = settings.visible_gpus;
    regions.add_regions();
    functions.look_up_names();
    collect_annotations(profile, process);
    note_missing_files(profile.run.notices, files);
    if (settings.nodes)
        note_paths_of_nodes(*settings.nodes, paths);
    drop_unused_paths(profile, settings.nodes);
    set_stids(profile);

    const auto review_ticks =
        static_cast<double>(__atomic_load_n(&process.review_ticks, __ATOMIC_RELAXED));
    // Before the first call of a path, so no path has it in its time.
    const auto start_ticks =
        static_cast<double>(__atomic_load_n(&process.library_start_ticks, __ATOMIC_RELAXED));
    add_overhead(profile, saturated_ns(start_ticks, settings.ns_per_tick),
                 saturated_ns(review_ticks, settings.ns_per_tick),
                 saturated_ns(static_cast<double>(relaxed(process.section_memory_ticks)),
                              settings.ns_per_tick),
                 gpu_callback_times(process, settings.ns_per_tick),
                 settings.corrected ? saturated_ns(thread_ticks + (sampled ? 0 : review_ticks),
                                                   settings.ns_per_tick)
                                    : -1);
    // If there are samples, the overhead of the threads already includes the reviews.
    profile.run.delay_ns = saturated_ns(start_ticks, settings.ns_per_tick);
    profile.run.delay_ns +=
        saturated_ns(longest_delay + (sampled ? 0 : review_ticks), settings.ns_per_tick);
    profile.run.delay_error_ns = saturated_ns(error_of_longest, settings.ns_per_tick);
    profile.run.paused_ns = paused_ns(process, settings);
    profile.run.threads = thread_count(profile);
    profile.run.memory_bytes = settings.memory_bytes;
    regions.finish();
    if (profile.run.ranks <= 1)  // else the energy is that of all ranks of a host
        estimate_energy_of_paths(profile);
    add_parameters(profile.run, process);
    note_dropped_calls(profile, paths);
    note_count(profile.run.notices, NoticeCode::section_memory_left_out,
               relaxed(process.section_memory_left_out));
    note_sampling(profile, process, paths);
}

}  // namespace vftrace
