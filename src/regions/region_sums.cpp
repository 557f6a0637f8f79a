// How long all processors were in a region, and what that cost: sums of samples.
#include "regions/region_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vftrace {
namespace {

constexpr std::uint64_t unmarked = 0;

// The region that all threads of a package are in, or all threads.
std::uint64_t common_region(std::span<const RegionSlot> slots, std::uint32_t package) {
    bool any = false;
    std::uint64_t common = unmarked;
    for (const RegionSlot& slot : slots) {
        if (package != RegionSignal::board && slot.package != package)
            continue;
        if (any && slot.region != common)
            return unmarked;
        any = true;
        common = slot.region;
    }
    return common;
}

void add_time(RegionSums::Figures& figures, double seconds, std::span<const RegionSlot> slots) {
    figures.time += seconds;
    for (const RegionSlot& slot : slots)
        figures.hint_time[static_cast<std::size_t>(slot.hint)] +=
            seconds / static_cast<double>(slots.size());
    if (slots.empty())
        figures.hint_time[static_cast<std::size_t>(RegionHint::unset)] += seconds;
}

// Where a region is among sorted ones, or would be.
template <class Regions>
auto place_of(Regions& regions, std::uint64_t region) {
    return std::lower_bound(
        regions.begin(), regions.end(), region,
        [](const RegionSums::Region& one, std::uint64_t other) { return one.region < other; });
}

}  // namespace

double RegionSums::Figures::value(const RegionSignal& signal, std::size_t index) const {
    const Signal& found = signals[index];
    return signal.is_sum ? found.sum : found.time > 0 ? found.sum / found.time : 0;
}

RegionSums::RegionSums(std::vector<RegionSignal> signals, double start_s,
                       std::span<const double> values)
    : signals_(std::move(signals)), last_values_(values.begin(), values.end()),
      last_times_(signals_.size(), start_s), last_s_(start_s) {
    application_.signals.resize(signals_.size());
    epochs_.signals.resize(signals_.size());
}

RegionSums::Figures& RegionSums::figures_of(std::uint64_t region) {
    auto place = place_of(regions_, region);
    if (place == regions_.end() || place->region != region) {
        place = regions_.insert(place, Region{region, {}});
        place->figures.signals.resize(signals_.size());
    }
    return place->figures;
}

void RegionSums::sample(double now_s, std::span<const RegionSlot> slots,
                        std::span<const double> values, std::uint64_t epochs) {
    const double seconds = now_s - last_s_;
    last_s_ = now_s;
    const auto of_all = [&](std::uint64_t region, auto add) {
        add(figures_of(region));
        add(application_);
        if (epochs > 0)
            add(epochs_);
    };
    of_all(common_region(slots, RegionSignal::board),
           [&](Figures& figures) { add_time(figures, seconds, slots); });
    for (std::size_t i = 0; i < signals_.size(); i++) {
        if (!std::isfinite(values[i]))
            continue;
        const double counted =
            values[i] >= last_values_[i] ? values[i] - last_values_[i] : values[i];
        const double known = std::isfinite(last_values_[i]) ? now_s - last_times_[i] : 0;
        const double sum = !signals_[i].is_sum ? values[i] * known : known > 0 ? counted : 0;
        last_values_[i] = values[i];
        last_times_[i] = now_s;
        of_all(common_region(slots, signals_[i].package), [&](Figures& figures) {
            figures.signals[i].sum += sum;
            figures.signals[i].time += known;
        });
    }
}

const RegionSums::Figures* RegionSums::of_region(std::uint64_t region) const {
    const auto found = place_of(regions_, region);
    return found == regions_.end() || found->region != region ? nullptr : &found->figures;
}

}  // namespace vftrace
