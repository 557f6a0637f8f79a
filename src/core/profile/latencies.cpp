#include "profile/latencies.hpp"

#include <algorithm>
#include <cmath>

#include "base/saturating.hpp"

namespace vftrace {
namespace {

std::uint64_t calls_in_bins(const PathLatencies& latencies) {
    std::uint64_t calls = 0;
    for (const LatencyCount& bin : latencies.bins)
        add_saturating(calls, bin.calls);
    return calls;
}

double middle_of(std::uint32_t bin) {
    return (static_cast<double>(start_of_bin(bin)) + static_cast<double>(start_of_bin(bin + 1))) /
           2;
}

}  // namespace

void sort_and_add_up(std::vector<LatencyCount>& bins) {
    std::sort(bins.begin(), bins.end(),
              [](const LatencyCount& a, const LatencyCount& b) { return a.bin < b.bin; });
    std::size_t kept = 0;
    for (const LatencyCount& bin : bins)
        if (kept > 0 && bins[kept - 1].bin == bin.bin)
            add_saturating(bins[kept - 1].calls, bin.calls);
        else
            bins[kept++] = bin;
    bins.resize(kept);
}

void add_latencies(PathLatencies& sum, const PathLatencies& other) {
    sum.bins.insert(sum.bins.end(), other.bins.begin(), other.bins.end());
    sort_and_add_up(sum.bins);
}

double percentile_ns(const PathLatencies& latencies, double share) {
    const std::uint64_t in_bins = calls_in_bins(latencies);
    const auto all = static_cast<double>(std::max(latencies.calls, in_bins));
    const double wanted = std::max(std::ceil(share * all), 1.0);
    double seen = all - static_cast<double>(in_bins);  // the short ones
    if (seen >= wanted)
        return 0;
    const auto longest = static_cast<double>(latencies.longest.ns);
    for (const LatencyCount& bin : latencies.bins) {
        seen += static_cast<double>(bin.calls);
        if (seen >= wanted)
            return std::min(static_cast<double>(start_of_bin(bin.bin + 1)), longest);
    }
    return longest;
}

double ns_of_longest(const PathLatencies& latencies, double share, std::uint64_t& calls) {
    const std::uint64_t all = std::max(latencies.calls, calls_in_bins(latencies));
    std::uint64_t left = calls = static_cast<std::uint64_t>(share * static_cast<double>(all));
    double ns = 0;
    const auto longest = static_cast<double>(latencies.longest.ns);
    for (auto bin = latencies.bins.rbegin(); bin != latencies.bins.rend() && left > 0; ++bin) {
        const std::uint64_t taken = std::min(left, bin->calls);
        ns += static_cast<double>(taken) * std::min(middle_of(bin->bin), longest);
        left -= taken;
    }
    return ns;
}

}  // namespace vftrace
