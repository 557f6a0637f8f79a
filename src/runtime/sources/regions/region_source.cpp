// The source `region`: the current regions of threads, and the sampler that one process of a host
// runs for all.
#include <cstdlib>
#include <cstring>

#include "base/guarded.hpp"
#include "base/launcher.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "guest/frame_address.hpp"
#include "regions/epochs.hpp"
#include "regions/region_sampler.hpp"
#include "regions/thread_regions.hpp"
#include "service/service_thread.hpp"
#include "tree/own_record.hpp"
#include "tree/slow_path.hpp"
#include "tree/source.hpp"

namespace vftrace {

const RegionCalls* region_calls;

namespace {

RegionSamplerSettings* settings;  // nullptr: no report is wanted
RegionSampler* sampler;           // nullptr: this process does not sample, or has not begun to
bool has_tried;                   // to create it

void sample() {
    run_guarded([] {
        if (!sampler && !has_tried) {
            has_tried = true;  // memory may run out below
            sampler = new RegionSampler(*settings, *region_settings.page.page);
        }
        if (sampler)
            sampler->sample();
    });
}

TimedWork work = {.interval_ns = 0, .run = sample};

// The lowest rank on the host; if launchers do not report which one that is, the first one to ask.
bool may_sample() {
    for (const Launcher& launcher : launchers)
        if (const char* local_rank =
                launcher.local_rank ? value_in(environ, launcher.local_rank) : nullptr)
            if (value_in(environ, launcher.rank) && std::strcmp(local_rank, "0") != 0)
                return false;
    return true;
}

bool samples;

// A shell that starts the program is not recorded: it does not have a record, and does not sample.
void start_sampling() {
    if (!process_record || !samples)
        return;
    samples = false;
    if (!take_over_sampling(region_settings.page))
        return;
    sample();  // not only when the thread has started: energy counts from the start of the run
    work.waits_first = true;
    if (const int error = every(work))
        message("region_report.active: cannot start the thread that samples regions: %s",
                std::strerror(error));
}

void prepare(const Options& options) {
    if (!options.region_report_active)
        return;
    constexpr double shortest = 1e-3;
    settings = new RegionSamplerSettings{options.energy_system_files, {}};
    work.interval_ns = interval_ns(options.region_report_interval, shortest);
    const char* of_geopm = std::getenv("GEOPM_REPORT_SIGNALS");
    const std::string signals = options.region_report_signals.empty() && of_geopm
                                    ? of_geopm
                                    : options.region_report_signals;
    std::string error;
    if (auto requests = signal_requests(signals, error))
        settings->requests = std::move(*requests);
    else
        message_of(Speaker::job, "region_report.signals: %s", error.c_str());
    if (!options.region_report_epoch_region.empty())
        region_settings.epoch_region = strdup(options.region_report_epoch_region.c_str());
}

void join_ranks() {
    region_settings.page = open_region_page();
    if (!region_settings.page.page)
        return;
    region_calls = &calls_of_regions;
    if (ThreadState* state = known_state()) {
        SlowPath guard(*state, frame_address());
        thread_enters_regions(*state);
    }
    samples = work.interval_ns > 0 && may_sample();
    start_sampling();
}

void begin() {
    if (settings)
        run_guarded([] { join_ranks(); });
}

void finish() {
    if (sampler)
        run_guarded([] {
            sampler->sample();
            sampler->finish();
        });
    end_epochs();
    leave_region_page(region_settings.page);
}

void forget_parent() {
    region_calls = nullptr;
    region_settings.page = {};
    sampler = nullptr;
    samples = false;
    forget_epochs();
}

}  // namespace

constexpr Source region_source = {.prepare = prepare,
                                  .process_begins =
                                      [] {
                                          if (!settings || process_record->forked)
                                              return;
                                          start_epochs();
                                          start_sampling();
                                      },
                                  .begin = begin,
                                  .thread_begins =
                                      [](ThreadState& state) {
                                          if (region_calls)
                                              thread_enters_regions(state);
                                      },
                                  .thread_ends = thread_leaves_regions,
                                  .forget_parent = forget_parent,
                                  .finish =
                                      [](ThreadState*) {
                                          if (settings)
                                              finish();
                                      }};

}  // namespace vftrace
