#include "files/byte_series.hpp"

#include "base/relaxed.hpp"
#include "guest/floating_point.hpp"
#include "tree/call_tree.hpp"
#include "tree/series.hpp"

namespace vftrace {
namespace {

std::uint64_t all_read, all_written;  // by all threads

// Used by the thread that `is_adding`.
bool is_adding;
SeriesRecord *of_read, *of_written;  // nullptr: nothing is recorded now
std::uint64_t next_point;            // ticks

void add_points(std::uint64_t now) {
    const HeldFloatingPointTraps held;
    add_reading(*of_read, now, static_cast<double>(relaxed(all_read)));
    add_reading(*of_written, now, static_cast<double>(relaxed(all_written)));
}

}  // namespace

void begin_byte_series() {
    of_read = new_series(MetricId::files_read_at);
    of_written = of_read ? new_series(MetricId::files_written_at) : nullptr;
}

void forget_byte_series() {
    all_read = all_written = next_point = 0;
    of_read = of_written = nullptr;
    is_adding = false;
}

void add_bytes(std::uint64_t read, std::uint64_t written, std::uint64_t now) {
    if (read > 0)
        __atomic_fetch_add(&all_read, read, __ATOMIC_RELAXED);
    if (written > 0)
        __atomic_fetch_add(&all_written, written, __ATOMIC_RELAXED);
    constexpr std::uint64_t interval_ticks = 20'000'000;  // 5 to 20 ms
    if (now < relaxed(next_point) || __atomic_exchange_n(&is_adding, true, __ATOMIC_ACQUIRE))
        return;
    if (of_written && now >= next_point) {
        set_shared(next_point, now + interval_ticks);
        add_points(now);
    }
    __atomic_store_n(&is_adding, false, __ATOMIC_RELEASE);
}

void end_byte_series() {
    if (!of_written || __atomic_exchange_n(&is_adding, true, __ATOMIC_ACQUIRE))
        return;  // `is_adding` stays: nobody adds any more
    const std::uint64_t now = tree_ticks();
    add_points(now);
    end_point(*of_read, now);
    end_point(*of_written, now);
}

}  // namespace vftrace
