// Time and energy of regions that all processors were in: sums of samples, for the report of
// regions (doc/design/region-report.md).
//
// All threads of a host are sampled at once. The increase of a signal since the previous sample is
// added to the region that every thread in its domain is in at this sample; if they are not all in
// the same region, it is added to the unmarked sum. That is GEOPM's rule (https://geopm.github.io,
// geopm_report(7)): such sums contain a little of neighbouring regions, and are compared with the
// time found in the same way, never with the exact run time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "record/region_hints.hpp"

namespace vftrace {

// Where a thread is. Threads that have never been in a region do not have one.
struct RegionSlot {
    std::uint64_t region = 0;             // identifies the outermost one; 0: in none
    RegionHint hint = RegionHint::unset;  // of the innermost one
    std::uint32_t package = 0, core = 0;  // that its processor is part of
};

struct RegionSignal {
    // The threads that must be in a region: all, or those of a package or core.
    struct Domain {
        enum Part : std::uint8_t { board, package, core };
        Part part = board;
        std::uint32_t index = 0;
        friend bool operator==(const Domain&, const Domain&) = default;
    };
    Domain domain{};
    bool is_sum = true;  // what it counts grows; else it is a state, such as a temperature, whose
                         // mean over time is wanted
};

class RegionSums {
  public:
    // The figures of a region, or of everything that happens.
    struct Figures {
        double time = 0;  // seconds in which all threads of the host were in it
        // Seconds by RegionHint, mean over the threads.
        std::array<double, region_hint_words.size()> hint_time = {};
        struct Signal {
            double sum = 0;   // of what a counter has counted; for a state: value times seconds
            double time = 0;  // seconds for which it is known
        };
        std::vector<Signal> signals;

        // The increase of a counter, or the mean of a state; 0 if it was never read.
        double value(const RegionSignal& signal, std::size_t index) const;
    };

    // `start_s`: when the first interval begins; `values`: those of the signals at that time.
    RegionSums(std::vector<RegionSignal> signals, double start_s, std::span<const double> values);

    // A sample at `now_s`, not before the last one. `values`: one per signal; one that is not a
    // number could not be read: what it counts until it can be read again is added to the region of
    // that time. A counter that is lower than before has been reset. `epochs`: how many have begun.
    void sample(double now_s, std::span<const RegionSlot> slots, std::span<const double> values,
                std::uint64_t epochs = 0);

    // 0: what is unmarked. nullptr if there was no sample in it.
    const Figures* of_region(std::uint64_t region) const;
    struct Region {
        std::uint64_t region;
        Figures figures;
    };
    const std::vector<Region>& regions() const { return regions_; }  // sorted
    // From the start, and from the first sample after an epoch had begun.
    const Figures& of_application() const { return application_; }
    const Figures& of_epochs() const { return epochs_; }

  private:
    Figures& figures_of(std::uint64_t region);

    std::vector<RegionSignal> signals_;
    std::vector<RegionSignal::Domain> domains_;  // those of all signals; the board is the first one
    std::vector<std::uint64_t> in_domain_;       // the region in each, at the current sample
    std::vector<std::size_t> domain_of_;         // by signal
    std::vector<double> last_values_;            // the latest ones that were numbers
    std::vector<double> last_times_;             // when they were read
    double last_s_;
    std::vector<Region> regions_;
    Figures application_, epochs_;
};

}  // namespace vftrace
