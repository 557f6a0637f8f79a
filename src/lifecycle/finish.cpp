// End of the run: from the trees of all threads to the files.
#include <climits>
#include <cstring>
#include <optional>
#include <unistd.h>

#include "base/floating_point.hpp"
#include "base/guarded.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "collate/collect.hpp"
#include "config/rank_list.hpp"
#include "lifecycle/output_names.hpp"
#include "lifecycle/run.hpp"
#include "overhead/hook_cost.hpp"
#include "profile/display_names.hpp"
#include "profile/profile_json.hpp"
#include "report/report_options.hpp"
#include "report/text_log.hpp"
#include "tree/call_tree.hpp"
#include "tree/registry.hpp"

namespace vftrace {
namespace {

LogFailure first_of(LogFailure earlier, LogFailure later) {
    return earlier.error ? earlier : later;
}

void fill_run_information(RunInfo& info, double ns_per_tick, std::uint64_t end_ticks) {
    char host[HOST_NAME_MAX + 1] = {};
    gethostname(host, sizeof host - 1);
    info.host = host;
    info.application = run->application;
    info.command_line = run->command_line;
    info.pid = run->owner;
    info.start_unix_ns = run->start_unix_ns;
    info.end_unix_ns = unix_time_ns();
    info.runtime_ns =
        static_cast<std::int64_t>(static_cast<double>(end_ticks - run->start.ticks) * ns_per_tick);
    info.config_source = run->configuration.source;
    info.config_text = print_configuration(run->configuration.options);
}

void write_profile(void*) {
    std::uint64_t end_ticks = tree_ticks();
    double ns_per_tick = tree_settings.processor_ticks ? nanoseconds_per_tick(run->start) : 1.0;
    const Options& options = run->configuration.options;
    CLocale decimal_points;
    Profile profile;
    fill_run_information(profile.run, ns_per_tick, end_ticks);
    collect_profile(profile, {.end_ticks = end_ticks,
                              .ns_per_tick = ns_per_tick,
                              .hook_pair_ns = measure_hook_pair_ns(ns_per_tick),
                              .source_lines = options.json && options.source_lines});
    set_display_names(profile.functions, options.demangle_cxx, options.strip_module_names);

    std::string base = claim_output_base(run->output_base, run->library_start_unix_ns);
    ReportOptions report = report_options(options);
    LogFailure failure = write_all_logs(profile, report, base);
    std::optional<RankList> ranks_with_logs = RankList::parse(options.logfile_for_ranks);
    if (ranks_with_logs && ranks_with_logs->contains(static_cast<int>(profile.run.rank)))
        failure = first_of(failure, write_rank_log(profile, report, base));
    if (options.json) {
        std::string path = base + "all.json";
        failure = first_of(failure, {write_profile_json(profile, path), path});
    }
    // A full disk fails them all; one line is enough.
    if (failure.error)
        message("cannot write %s: %s", failure.path.c_str(), std::strerror(failure.error));
}

bool anything_recorded() {
    for (const ThreadState* state = first_thread_state(); state; state = state->next)
        if (state->node_count > 1)
            return true;
    return false;
}

}  // namespace

void finish_library() {
    // A child of fork() or vfork() that ends is not the end of the run.
    if (run_phase != RunPhase::recording || getpid() != run->owner)
        return;
    run_phase = RunPhase::over;
    if (own_thread_state)
        close_all_frames(own_thread_state);
    stop_recording();
    // Launchers and shells under `vftrace run` are not the program: they leave no file behind.
    if (!anything_recorded())
        return;
    HeldFloatingPointTraps held;
    run_guarded(write_profile, nullptr);
}

// Runs after the destructors of the program and of the libraries that need this one.
[[gnu::destructor(101)]] static void library_destructor() { finish_library(); }

}  // namespace vftrace
