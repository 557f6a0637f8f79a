// The report of regions (doc/design/region-report.md) as plain rows: for each host its regions and
// totals, with exact and sampled figures. The file and the tables are made from it.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "profile/profile.hpp"
#include "record/region_hints.hpp"

namespace vftrace {

// A figure that is not a number is not known, and is left out of the report.
struct RegionReportRow {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    std::string name;      // "" of totals
    double runtime_s = 0;  // mean over the processes of the host
    double count = 0;      // of entries, or epochs; also the mean
    double sync_runtime_s = unknown;
    std::array<double, region_hint_words.size()> hint_s = [] {
        std::array<double, region_hint_words.size()> all{};
        all.fill(unknown);
        return all;
    }();
    double package_energy_J = unknown, dram_energy_J = unknown, gpu_energy_J = unknown;
    double cycles = unknown, reference_cycles = unknown, sticker_Hz = unknown;
    double gpu_frequency_Hz = unknown;
    double overhead_s = unknown, peak_bytes = unknown;      // of the application
    std::vector<std::pair<std::string, double>> signals{};  // that users have asked for

    // 0 if there was no time.
    double power_W() const { return ratio(package_energy_J, sync_runtime_s); }
    double gpu_power_W() const { return ratio(gpu_energy_J, sync_runtime_s); }
    double frequency_percent() const { return 100 * ratio(cycles, reference_cycles); }
    double frequency_Hz() const { return sticker_Hz * ratio(cycles, reference_cycles); }

    bool is_known(double value) const { return value == value; }

  private:
    static double ratio(double a, double b) { return a == a && b == 0 ? 0 : a / b; }
};

struct RegionReportHost {
    std::string name;                      // unique
    std::vector<RegionReportRow> regions;  // by mean run time, the longest first
    RegionReportRow unmarked, application;
    RegionReportRow epoch;
    bool has_epochs = false;
};

// Whether a report of the run was requested.
bool has_region_report(const Profile& profile);

std::vector<RegionReportHost> region_report(const Profile& profile);

}  // namespace vftrace
