// Which threads touched large blocks first and which use them, by the place that allocated them.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/heap.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// The interval in which a probability lies with a probability of 95 % if an event happened in
// `hits` of `samples` independent cases: that of the score test (E. B. Wilson, "Probable inference,
// the law of succession, and statistical inference", J. Am. Stat. Assoc. 22, 1927). 0 to 1 without
// samples.
ErrorBounds proportion_95(double hits, double samples);

// What threads did with the blocks of one place.
struct SitePlacement {
    std::uint32_t path;       // index into Profile::paths
    const HeapSiteRow* site;  // nullptr: not known
    double touched = 0;       // bytes that were touched, and seen to be
    double touches = 0;       // page faults
    double touches_seen = 0;  // of these
    struct Share {
        std::uint32_t number;  // of a thread, or of a memory node
        double touched = 0;    // bytes that it touched first
        double uses = 0;       // samples
    };
    std::vector<Share> threads{}, nodes{};  // by number
    double near_uses = 0, far_uses = 0, other_uses = 0;

    // Samples in which it is known where the memory was.
    double known_uses() const { return near_uses + far_uses; }
    double far_share() const { return known_uses() > 0 ? far_uses / known_uses() : 0; }
    // The first one of those that touched most; it is not empty.
    const Share& main_toucher() const;
    // How many threads or nodes touched, or used, a part of it that is not negligible.
    static std::size_t touchers(const std::vector<Share>& shares);
    static std::size_t users(const std::vector<Share>& shares);
    // Bytes of memory for each page fault: the size of pages, or of huge pages; 0: too few were
    // seen.
    double page_bytes() const;
};

// Those that were touched most first. What operator new has allocated, where it has a path of its
// own, is its caller's. Refers to the profile.
std::vector<SitePlacement> site_placements(const Profile& profile);

}  // namespace vftrace
