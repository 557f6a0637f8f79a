#include "regions/region_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vftrace {
namespace {

constexpr std::uint64_t unmarked = 0;

bool is_in(const RegionSlot& slot, const RegionSignal::Domain& domain) {
    return domain.part == domain.board ||
           domain.index == (domain.part == domain.package ? slot.package : slot.core);
}

// The region that all threads of a domain are in.
std::uint64_t common_region(std::span<const RegionSlot> slots, const RegionSignal::Domain& domain) {
    bool any = false;
    std::uint64_t common = unmarked;
    for (const RegionSlot& slot : slots) {
        if (!is_in(slot, domain))
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

// Where a region is, or would be, among sorted ones.
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
    : signals_(std::move(signals)), domains_{{}}, last_values_(values.begin(), values.end()),
      last_times_(signals_.size(), start_s), last_s_(start_s) {
    application_.signals.resize(signals_.size());
    epochs_.signals.resize(signals_.size());
    for (const RegionSignal& signal : signals_) {
        const auto known = std::find(domains_.begin(), domains_.end(), signal.domain);
        domain_of_.push_back(static_cast<std::size_t>(known - domains_.begin()));
        if (known == domains_.end())
            domains_.push_back(signal.domain);
    }
    in_domain_.resize(domains_.size());
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
    for (std::size_t i = 0; i < domains_.size(); i++)
        in_domain_[i] = common_region(slots, domains_[i]);
    of_all(in_domain_[0], [&](Figures& figures) { add_time(figures, seconds, slots); });
    for (std::size_t i = 0; i < signals_.size(); i++) {
        if (!std::isfinite(values[i]))
            continue;
        const double counted =
            values[i] >= last_values_[i] ? values[i] - last_values_[i] : values[i];
        const double known = std::isfinite(last_values_[i]) ? now_s - last_times_[i] : 0;
        const double sum = !signals_[i].is_sum ? values[i] * known : known > 0 ? counted : 0;
        last_values_[i] = values[i];
        last_times_[i] = now_s;
        of_all(in_domain_[domain_of_[i]], [&](Figures& figures) {
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
