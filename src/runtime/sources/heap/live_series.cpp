#include "heap/live_series.hpp"

#include <algorithm>

#include "base/relaxed.hpp"
#include "guest/floating_point.hpp"
#include "record/heap_figures.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/series.hpp"

namespace vftrace {
namespace {

// A path with its own series.
struct FollowedPath {
    std::uint64_t hash;
    SeriesRecord* series;
};
constexpr std::size_t most_followed = 16;

// The live bytes of a path, added up over the sites of all threads.
struct PathLive {
    std::uint64_t hash;  // 0: the place is free
    const Node* node;    // of one of them
    std::uint64_t bytes;
};
constexpr std::size_t places = 1024;  // a power of two

// All of this is used by the thread that `is_reading`.
bool is_reading;
std::uint64_t next_reading;  // ticks; of a large change: `next_possible`
std::uint64_t next_possible;
std::uint64_t begun, spent;  // ticks: when this began, and in all readings
SeriesRecord* of_process;    // nullptr: nothing is recorded now
FollowedPath followed[most_followed];
std::size_t followed_count;
PathLive sums[places];

PathLive* place_of(std::uint64_t hash) {
    constexpr std::size_t most_steps = 16;
    for (std::size_t i = 0; i < most_steps; i++) {
        PathLive& place = sums[(hash + i) % places];
        if (place.hash == hash || place.hash == 0)
            return &place;
    }
    return nullptr;
}

// Paths for which there is no place have little memory in most programs; those that are followed
// have one.
void add_up_paths() {
    std::fill(std::begin(sums), std::end(sums), PathLive{});
    for (std::size_t i = 0; i < followed_count; i++)
        if (PathLive* const place = place_of(followed[i].hash))
            place->hash = followed[i].hash;
    const ThreadRecord* thread = __atomic_load_n(&process_record->threads, __ATOMIC_ACQUIRE);
    for (; thread; thread = thread->next) {
        const HeapSite* site = __atomic_load_n(&thread->heap.first, __ATOMIC_ACQUIRE);
        for (; site; site = __atomic_load_n(&site->next_created, __ATOMIC_ACQUIRE)) {
            const std::uint64_t bytes = relaxed(site->figures.live);
            PathLive* const place = bytes > 0 ? place_of(site->path) : nullptr;
            if (!place)
                continue;
            if (!place->node)
                *place = {site->path, site->node, place->bytes};
            place->bytes += bytes;
        }
    }
}

constexpr std::uint64_t least_bytes = 1 << 20;

// Of the peak; also of a change that is read at once.
std::uint64_t much_of(std::uint64_t peak) { return std::max(peak / 32, least_bytes); }

bool is_followed(std::uint64_t hash) {
    return std::any_of(followed, followed + followed_count,
                       [&](const FollowedPath& path) { return path.hash == hash; });
}

// Follows the paths that have much of the largest amount so far, from now on; before, they had
// less.
void follow_large_paths(std::uint64_t peak) {
    const std::uint64_t least = much_of(peak);
    for (const PathLive& path : sums) {
        if (path.bytes < least || !path.node || followed_count == most_followed ||
            is_followed(path.hash))
            continue;
        SeriesRecord* const series =
            new_series_beside(*of_process, MetricId::heap_path_live_at, nullptr, path.node);
        if (series)
            followed[followed_count++] = {path.hash, series};
    }
}

void read(std::uint64_t live, std::uint64_t peak, std::uint64_t now) {
    const HeldFloatingPointTraps held;
    add_up_paths();
    follow_large_paths(peak);
    add_reading(*of_process, now, static_cast<double>(live));
    for (std::size_t i = 0; i < followed_count; i++) {
        const PathLive* const path = place_of(followed[i].hash);
        add_reading(*followed[i].series, now,
                    static_cast<double>(path && path->hash == followed[i].hash ? path->bytes : 0));
    }
}

}  // namespace

std::uint64_t hash_of_path(const Node& node) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
    std::uint64_t hash = 1;
    const Node* at = &node;
    constexpr int most_levels = 1000;  // grafts could lead in a circle
    for (int level = 0; at && level < most_levels; level++) {
        if (at->kind == NodeKind::graft && at->key != 0) {
            at = reinterpret_cast<const Node*>(at->key);
            continue;
        }
        if (at->parent)  // roots of all threads are alike
            hash = (hash ^ at->key ^ static_cast<std::uint64_t>(at->kind) << 56) * factor;
        at = at->parent;
    }
    return hash != 0 ? hash : 1;
}

void begin_live_series() {
    begun = tree_ticks();
    of_process = new_series(MetricId::heap_live_at);
}

void forget_live_series() {
    of_process = nullptr;
    followed_count = 0;
    next_reading = next_possible = begun = spent = 0;
    is_reading = false;
}

void read_live_series(std::uint64_t live, std::uint64_t peak, std::uint64_t changed) {
    constexpr std::uint64_t interval_ticks = 20'000'000;  // 5 to 20 ms
    // Of the time, one in so many: since the beginning, so that a reading that was interrupted does
    // not prevent the next ones, and after each.
    constexpr std::uint64_t most_cost = 100, most_cost_at_once = 10;
    const std::uint64_t& next = changed < much_of(peak) ? next_reading : next_possible;
    if (relaxed(next) > tree_ticks() || __atomic_exchange_n(&is_reading, true, __ATOMIC_ACQUIRE))
        return;
    if (const std::uint64_t now = tree_ticks(); of_process && now >= next) {
        read(live, peak, now);
        const std::uint64_t cost = tree_ticks() - now;
        spent += cost;
        set_shared(next_possible,
                   std::max(now + most_cost_at_once * cost, begun + most_cost * spent));
        set_shared(next_reading, std::max(now + interval_ticks, next_possible));
    }
    __atomic_store_n(&is_reading, false, __ATOMIC_RELEASE);
}

void end_live_series(std::uint64_t live) {
    if (!of_process || __atomic_exchange_n(&is_reading, true, __ATOMIC_ACQUIRE))
        return;  // `is_reading` stays: nobody reads any more
    const std::uint64_t now = tree_ticks();
    read(live, live, now);
    end_point(*of_process, now);
    for (std::size_t i = 0; i < followed_count; i++)
        end_point(*followed[i].series, now);
}

}  // namespace vftrace
