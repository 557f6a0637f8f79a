#include "sections/section_snapshots.hpp"

#include <cstring>
#include <vector>

#include <vftrace/sections.h>

#include "base/message.hpp"
#include "config/options.hpp"
#include "queries/live_index.hpp"
#include "queries/live_lines.hpp"
#include "sections/section_data.hpp"
#include "service/service_thread.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/series.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

// A section takes 36 KiB.
constexpr std::size_t most_sections = 256;
constexpr std::uint32_t points_of_section = 256;

struct SectionSeries {
    const char* name;  // its only copy in the tree's memory
    SeriesRecord *calls, *self, *total;
};

// Under the lock of ask_sections().
SeriesRecord* labels;
std::vector<SectionSeries>* of_sections;

bool started;  // in this process
TimedWork work = {.interval_ns = 0, .run = [] {
                      const std::uint64_t ticks = tree_ticks() - process_record->start.ticks;
                      section_snapshot(seconds_per_tick() * static_cast<double>(ticks));
                  }};

void add(SeriesRecord* series, std::uint64_t now, double value) {
    if (series)
        add_reading(*series, now, value);
}

SectionSeries* series_of(const char* name) {
    for (SectionSeries& known : *of_sections)
        if (known.name == name)
            return &known;
    if (of_sections->size() == most_sections) {
        VFTRACE_MESSAGE_ONCE(
            "snapshots include at most %zu sections: those that ran first (reported once)",
            most_sections);
        return nullptr;
    }
    const auto series = [&](MetricId metric) {
        return new_series(metric, name, points_of_section);
    };
    of_sections->push_back({name, series(MetricId::section_calls_at),
                            series(MetricId::section_self_at), series(MetricId::section_total_at)});
    return &of_sections->back();
}

void take(LiveIndex& index, std::uint64_t now, double label) {
    if (!of_sections)
        of_sections = new std::vector<SectionSeries>;
    if (!labels)
        labels = new_series(MetricId::section_snapshot, nullptr, points_of_section);
    add(labels, now, label);
    index.look(*process_record, nullptr, now);
    const double ns = 1e9 * seconds_per_tick();
    index.visit_names([&](const char* name) {
        const LiveSums sums = index.times_of(name);
        if (const SectionSeries* series = series_of(name)) {
            add(series->calls, now, static_cast<double>(sums.calls));
            add(series->self, now, ns * sums.self);
            add(series->total, now, ns * sums.total);
        }
    });
}

}  // namespace

void prepare_section_snapshots(const Options& options) {
    constexpr double shortest = 1e-3;
    work.interval_ns = interval_ns(options.section_snapshot_interval, shortest);
}

int section_snapshot(double label) {
    return ask_sections([label](LiveIndex& index, std::uint64_t now) { take(index, now, label); });
}

void start_section_snapshots() {
    if (work.interval_ns == 0 || __atomic_exchange_n(&started, true, __ATOMIC_RELAXED))
        return;
    if (const int error = every(work))
        message("section.snapshot_interval: cannot start the thread that takes snapshots: %s",
                std::strerror(error));
}

void forget_section_snapshots() {
    started = false;
    labels = nullptr;
    of_sections = nullptr;
}

void end_section_snapshots() {
    const std::uint64_t now = tree_ticks();
    const auto end = [now](SeriesRecord* series) {
        if (series)
            end_point(*series, now);
    };
    end(labels);
    for (std::size_t i = 0; of_sections && i < of_sections->size(); i++)
        for (SeriesRecord* series :
             {(*of_sections)[i].calls, (*of_sections)[i].self, (*of_sections)[i].total})
            end(series);
}

}  // namespace vftrace
