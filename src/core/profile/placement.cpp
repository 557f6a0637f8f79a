#include "profile/placement.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace vftrace {
namespace {

constexpr double negligible = 0.02;

SitePlacement::Share& share_of(std::vector<SitePlacement::Share>& shares, std::uint32_t number) {
    const auto found = std::lower_bound(
        shares.begin(), shares.end(), number,
        [](const auto& share, std::uint32_t wanted) { return share.number < wanted; });
    if (found != shares.end() && found->number == number)
        return *found;
    return *shares.insert(found, {number});
}

const HeapSiteRow* site_of(const Profile& profile, const Placement& row) {
    const auto key = [](const auto& place) {
        return std::tie(place.path, place.module, place.offset);
    };
    const auto found = std::lower_bound(
        profile.heap_sites.begin(), profile.heap_sites.end(), row,
        [&](const HeapSiteRow& site, const Placement& wanted) { return key(site) < key(wanted); });
    return found != profile.heap_sites.end() && key(*found) == key(row) ? &*found : nullptr;
}

std::size_t count_of(const std::vector<SitePlacement::Share>& shares,
                     double SitePlacement::Share::*what) {
    double all = 0;
    for (const auto& share : shares)
        all += share.*what;
    return static_cast<std::size_t>(
        std::count_if(shares.begin(), shares.end(), [&](const auto& share) {
            return share.*what > 0 && share.*what >= negligible * all;
        }));
}

}  // namespace

ErrorBounds proportion_95(double hits, double samples) {
    if (!(samples > 0))
        return {0, 1};
    constexpr double z2 = z_95 * z_95;
    const double p = hits / samples, scale = 1 + z2 / samples,
                 middle = (p + z2 / (2 * samples)) / scale,
                 half =
                     z_95 / scale * std::sqrt(p * (1 - p) / samples + z2 / (4 * samples * samples));
    return {std::max(middle - half, 0.0), std::min(middle + half, 1.0)};
}

const SitePlacement::Share& SitePlacement::main_toucher() const {
    return *std::max_element(threads.begin(), threads.end(),
                             [](const Share& a, const Share& b) { return a.touched < b.touched; });
}

std::size_t SitePlacement::touchers(const std::vector<Share>& shares) {
    return count_of(shares, &Share::touched);
}

std::size_t SitePlacement::users(const std::vector<Share>& shares) {
    return count_of(shares, &Share::uses);
}

double SitePlacement::page_bytes() const {
    constexpr double fewest = 8;
    return touches_seen >= fewest ? touched / touches : 0;
}

std::vector<SitePlacement> site_placements(const Profile& profile) {
    std::vector<SitePlacement> sites;
    const Placement* previous = nullptr;
    for (const Placement& row : profile.placement) {
        if (!previous || previous->path != row.path || previous->module != row.module ||
            previous->offset != row.offset)
            sites.push_back({allocating_path(profile, row.path), site_of(profile, row)});
        previous = &row;
        SitePlacement& site = sites.back();
        const auto touched = static_cast<double>(row.touched);
        const auto uses = static_cast<double>(row.near_uses) + static_cast<double>(row.far_uses) +
                          static_cast<double>(row.other_uses);
        for (auto* share :
             {&share_of(site.threads, row.thread), &share_of(site.nodes, row.memory_node)}) {
            share->touched += touched;
            share->uses += uses;
        }
        site.touched += touched;
        site.touches += static_cast<double>(row.touches);
        site.touches_seen += static_cast<double>(row.touches_seen);
        site.near_uses += static_cast<double>(row.near_uses);
        site.far_uses += static_cast<double>(row.far_uses);
        site.other_uses += static_cast<double>(row.other_uses);
    }
    std::stable_sort(
        sites.begin(), sites.end(),
        [](const SitePlacement& a, const SitePlacement& b) { return a.touched > b.touched; });
    return sites;
}

}  // namespace vftrace
