// When a device was busy: against a count of every single nanosecond.
#include <catch2/catch.hpp>

#include <random>
#include <vector>

#include "gpu/busy_times.hpp"

using namespace vftrace;

namespace {

struct Kept {
    std::vector<DeviceTimeline::Interval> memory;
    DeviceTimeline timeline;
    explicit Kept(std::size_t shorter = DeviceTimeline::capacity) : memory(2 * shorter) {
        timeline.start(memory.data(), shorter);
    }
};

void check(const DeviceTimeline& timeline, std::uint64_t kernel, std::uint64_t copy,
           std::uint64_t both) {
    const DeviceTimeline::Times times = timeline.times();
    CHECK(times.kernel == kernel);
    CHECK(times.copy == copy);
    CHECK(times.both == both);
}

}  // namespace

TEST_CASE("A device without work has no time") { check(Kept().timeline, 0, 0, 0); }

TEST_CASE("Work that overlaps is counted once") {
    Kept kept;
    kept.timeline.add(BusyWith::kernel, 10, 20);
    kept.timeline.add(BusyWith::kernel, 15, 30);
    kept.timeline.add(BusyWith::kernel, 12, 13);
    check(kept.timeline, 20, 0, 0);
    kept.timeline.add(BusyWith::copy, 25, 40);
    check(kept.timeline, 20, 15, 5);
}

TEST_CASE("Work that only touches other work is joined to it") {
    Kept kept(4);
    for (std::uint64_t start : {30, 10, 20, 40, 0, 50})
        kept.timeline.add(BusyWith::kernel, start, start + 10);
    check(kept.timeline, 60, 0, 0);
}

TEST_CASE("Work of no length, or that ends before it starts, is nothing") {
    Kept kept;
    kept.timeline.add(BusyWith::copy, 10, 10);
    kept.timeline.add(BusyWith::copy, 10, 5);
    check(kept.timeline, 0, 0, 0);
}

TEST_CASE("Any order of work gives the time that counting gives") {
    std::mt19937 random(7);
    constexpr std::uint64_t end = 2000;
    for (int round = 0; round < 200; round++) {
        Kept kept;
        std::vector<int> busy(end);
        const unsigned pieces = random() % 60, longest = 1 + random() % 200;
        for (unsigned i = 0; i < pieces; i++) {
            const std::uint64_t start = random() % (end - longest), length = random() % longest;
            const bool copy = random() % 2;
            kept.timeline.add(copy ? BusyWith::copy : BusyWith::kernel, start, start + length);
            for (std::uint64_t at = start; at < start + length; at++)
                busy[at] |= copy ? 2 : 1;
        }
        std::uint64_t kernel = 0, copy = 0, both = 0;
        for (int with : busy) {
            kernel += with & 1;
            copy += with >> 1;
            both += with == 3;
        }
        check(kept.timeline, kernel, copy, both);
    }
}

TEST_CASE("Short lists of intervals give the same sums if work comes nearly in order") {
    std::mt19937 random(11);
    Kept shorter(32), all;
    std::uint64_t now = 1'000'000;
    for (int i = 0; i < 20'000; i++) {
        now += random() % 20;
        // Others overtake it, but no more than fit into half a list.
        const std::uint64_t start = now - random() % 60, end = start + 1 + random() % 15;
        const BusyWith kind = random() % 3 ? BusyWith::kernel : BusyWith::copy;
        shorter.timeline.add(kind, start, end);
        all.timeline.add(kind, start, end);
    }
    const DeviceTimeline::Times expected = all.timeline.times();
    check(shorter.timeline, expected.kernel, expected.copy, expected.both);
    CHECK(expected.both > 0);
}

TEST_CASE("One kind of endless work does not keep the intervals of the other forever") {
    Kept kept(8);
    kept.timeline.add(BusyWith::copy, 5, 1'000'000);
    for (std::uint64_t at = 0; at < 1000; at++)
        kept.timeline.add(BusyWith::kernel, 10 * at, 10 * at + 4);
    check(kept.timeline, 4000, 999'995, 3996);
}

TEST_CASE("Work that is too late is not counted twice") {
    Kept kept(8);
    for (std::uint64_t at = 0; at < 100; at++)
        kept.timeline.add(BusyWith::kernel, 10 * at, 10 * at + 4);
    kept.timeline.add(BusyWith::kernel, 0, 990);
    const std::uint64_t kernel = kept.timeline.times().kernel;
    CHECK(kernel >= 400);
    CHECK(kernel <= 994);
}
