// Samples the current regions of the threads of a host and the host's signals, and keeps the sums
// in the process's tree file.
#pragma once

#include <string>
#include <vector>

#include "base/arena.hpp"
#include "host_signals/processors.hpp"
#include "host_signals/signal_reader.hpp"
#include "record/region_rows.hpp"
#include "record/series.hpp"
#include "record/side_table.hpp"
#include "regions/region_page.hpp"
#include "regions/region_sums.hpp"

namespace vftrace {

struct RegionSamplerSettings {
    std::string system_files;             // /sys except in tests
    std::vector<SignalRequest> requests;  // in addition to those that the report always has
};

class RegionSampler {
  public:
    // Reports what cannot be read.
    RegionSampler(const RegionSamplerSettings& settings, RegionPage& page);

    void sample();
    // Writes the sums to the tree file. sample() does so from time to time; to be called after the
    // last one.
    void keep_sums();
    // The same, and ends the series.
    void finish();

  private:
    struct Kept {  // rows in the tree file
        RegionPart part;
        std::uint64_t region;
        std::uint64_t* values = nullptr;           // by column of columns_
        std::vector<std::uint64_t*> of_requested;  // by signal in requested_
    };
    struct Power {  // over time, from a signal of energy
        std::size_t signal;
        SeriesRecord* series;
        double joules, seconds;  // at the last reading
    };

    void report_problems();
    void look_after_processes();
    void gather();
    void add_power(double now_s);
    void keep(RegionPart part, std::uint64_t region, const RegionSums::Figures& figures);
    Kept& kept_row(RegionPart part, std::uint64_t region);
    std::uint64_t* new_row(SideTable*& table, const std::vector<SideColumn>& columns,
                           const char* name);

    RegionPage& page_;
    Processors processors_;
    SignalReader reader_;
    std::vector<SideColumn> columns_;     // sync_runtime, the hints, then the signals
    std::vector<std::size_t> signal_of_;  // by column after the hints: the signal
    std::vector<std::size_t> requested_;  // signals that the user has requested
    std::vector<std::string> requested_name_;
    std::vector<RegionSignal> signals_;
    std::vector<double> values_;
    std::vector<RegionSlot> slots_;
    std::vector<std::uint32_t> master_slot_;  // by slot: where its master's slot was last found
    RegionSums sums_;
    Arena memory_;
    SideTable* table_ = nullptr;
    SideTable* requested_table_ = nullptr;
    bool has_sticker_ = false;  // the last of columns_
    std::vector<Kept> kept_;    // sorted by part and region
    std::vector<Power> powers_;
    std::size_t problems_reported_ = 0;
    std::uint64_t samples_ = 0, kept_ns_ = 0;
};

}  // namespace vftrace
