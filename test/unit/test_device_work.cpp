// Device work from the chunks of a trace: in chronological order, on the process's clock.
#include <catch2/catch.hpp>

#include <random>

#include "converted_trace.hpp"
#include "vfd/device_clock.hpp"
#include "vfd/device_work_merge.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

constexpr std::uint64_t one_second = 1'000'000'000;

// The payload of a chunk of device work.
struct DeviceWords {
    DeviceWords& record(DeviceRecordKind kind, std::uint32_t number,
                        const std::vector<std::uint64_t>& content) {
        words.push_back(device_word(kind, static_cast<std::uint32_t>(content.size()), number));
        words.insert(words.end(), content.begin(), content.end());
        return *this;
    }
    // Paths are those of SmallTrace.
    DeviceWords& site(std::uint32_t number, std::uint32_t node, std::uint64_t work = 1,
                      std::uint64_t text_bytes = 0, std::vector<std::uint64_t> text = {}) {
        text.insert(text.begin(), {std::uint64_t{node} << 32, text_bytes << 32 | work});
        return record(DeviceRecordKind::site, number, text);
    }
    DeviceWords& track(std::uint32_t number, std::uint64_t device, std::uint64_t stream) {
        return record(DeviceRecordKind::track, number, {std::uint64_t{1} << 32 | device, stream});
    }
    DeviceWords& moment(std::uint64_t device_ns, std::uint64_t ticks, std::uint64_t error = 0) {
        return record(DeviceRecordKind::moment, 0, {device_ns, ticks, error});
    }
    DeviceWords& work(std::uint32_t track, std::uint32_t site, std::uint64_t start,
                      std::uint64_t ns = 10, std::uint64_t call = 0) {
        words.push_back(device_word(DeviceRecordKind::work, track, site));
        words.insert(words.end(), {start, ns, call});
        return *this;
    }
    void add_to(TraceFileBuilder& trace) const {
        ChunkHeader header{};
        header.kind = ChunkKind::device_work;
        trace.add_chunk(
            header, {reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]});
    }
    std::vector<std::uint64_t> words;
};

struct ConvertedWork {
    explicit ConvertedWork(const SmallTrace& traced)
        : figures(convert(traced.folder, traced.trace, traced, 2'000'000)),
          file(traced.folder.vfd()) {
        if (file.extension().tracks.empty())
            return;
        VfdWorkStream stream = file.device_work();
        VfdDeviceWork work;
        while (stream.next(work))
            pieces.push_back(work);
    }
    VfdFigures figures;
    VfdFile file;
    std::vector<VfdDeviceWork> pieces;
};

}  // namespace

TEST_CASE("Offsets that differ by less than the reading are the same", "[device_work]") {
    DeviceClock clock;
    REQUIRE_FALSE(clock.is_known());
    clock.add(100 * one_second, 5000, 200);
    clock.add(101 * one_second, 5000 + one_second + 1300, 200);
    clock.add(102 * one_second, 5000 + 2 * one_second - 1300, 200);
    clock.add(103 * one_second, 5000 + 3 * one_second + 800'000, 900'000);  // interrupted
    REQUIRE(clock.is_known());
    for (std::uint64_t ns : {0ull, 1ull, 500'000'001ull, 2'500'000'000ull, 9'000'000'000ull})
        CHECK(clock.own_ns(100 * one_second + ns) == static_cast<std::int64_t>(5000 + ns));
    CHECK(clock.own_ns(99 * one_second) == 0);
}

TEST_CASE("A clock that drifts is followed", "[device_work]") {
    DeviceClock clock;
    for (std::uint64_t i = 0; i < 1000; i++)  // 5 us per second
        clock.add(i * one_second, static_cast<std::int64_t>(one_second + i * (one_second + 5000)),
                  100);
    std::int64_t last = 0;
    for (std::uint64_t ns = 0; ns < 999 * one_second; ns += 77'777'777) {
        const auto expected = static_cast<double>(one_second) + static_cast<double>(ns) * 1.000005;
        const std::int64_t own = clock.own_ns(ns);
        CHECK(static_cast<double>(own) == Approx(expected).epsilon(0).margin(6200));
        CHECK(own >= last);
        last = own;
    }
}

TEST_CASE("Moments of damaged files are left out", "[device_work]") {
    DeviceClock clock;
    clock.add(~std::uint64_t{0}, 5, 5);
    clock.add(5, -1, 5);
    clock.add(5, 5, -1);
    CHECK_FALSE(clock.is_known());
    clock.add(1000, 2000, 0);
    clock.add(1000, 900'000, 0);
    clock.add(10, 900'000, 0);
    CHECK(clock.own_ns(1500) == 2500);
    CHECK(clock.own_ns(~std::uint64_t{0}) > 0);
}

TEST_CASE("Work is in the order of time, whatever the order of its records", "[device_work]") {
    std::mt19937 random(7);
    SmallTrace traced;
    traced.begin();
    std::vector<std::uint64_t> starts;
    for (int chunk = 0; chunk < 8; chunk++) {
        DeviceWords words;
        if (chunk == 0)
            words.moment(100 * one_second, 1500)
                .track(0, 1, 9)
                .track(1, 0, 7)
                .site(0, 1)
                .site(1, 2);
        for (std::uint64_t i = 0; i < 500; i++) {
            const std::uint64_t from = static_cast<std::uint64_t>(chunk) * 20'000;
            starts.push_back(100 * one_second + from + random() % 70'000);
            words.work(i % 2, i % 2, starts.back(), i, i % 3 ? 1700 : 0);
        }
        words.add_to(traced.trace);
    }
    std::sort(starts.begin(), starts.end());
    const ConvertedWork converted(traced);
    CHECK(converted.figures.damaged_chunks == 0);
    REQUIRE(converted.pieces.size() == starts.size());
    for (std::size_t i = 0; i < starts.size(); i++) {
        const VfdDeviceWork& piece = converted.pieces[i];
        const std::int64_t start = piece.start_ns, call = piece.call_ns;
        const std::uint32_t track = piece.track;
        const std::int32_t stack = piece.stack;
        // Ticks are ns, and recording began at 1000.
        CHECK(start == static_cast<std::int64_t>(starts[i] - 100 * one_second + 500));
        CHECK((call == -1 || call == 700));
        // Tracks are in the order of their devices.
        CHECK(stack == (track == 0 ? 2 : 1));
    }
    const std::vector<VfdTrackInfo>& tracks = converted.file.extension().tracks;
    REQUIRE(tracks.size() == 2);
    CHECK(tracks[0].stream == 7);
    CHECK(tracks[1].pieces == 2000);
}

TEST_CASE("Nonsensical records are left out and counted", "[device_work]") {
    SmallTrace traced;
    traced.begin();
    DeviceWords()
        .moment(one_second, 1500)
        .track(0, 0, 7)
        .site(0, 1)
        .work(0, 0, one_second)
        .add_to(traced.trace);
    DeviceWords().work(1, 0, one_second).work(0, 0, one_second + 1).add_to(traced.trace);
    DeviceWords().work(0, 1, one_second).work(0, 0, one_second + 2).add_to(traced.trace);
    DeviceWords()
        .work(0, 0, ~std::uint64_t{0})
        .work(0, 0, one_second, ~std::uint64_t{0})
        .add_to(traced.trace);
    DeviceWords().site(1'000'000'000, 1).track(16'000'000, 0, 1).add_to(traced.trace);
    DeviceWords().site(1, 1, 99).site(2, 1, 0, 100, {5}).add_to(traced.trace);
    DeviceWords().record(static_cast<DeviceRecordKind>(200), 0, {}).add_to(traced.trace);
    DeviceWords cut;
    cut.work(0, 0, one_second + 3).words.pop_back();
    cut.add_to(traced.trace);
    DeviceWords device;
    device.record(DeviceRecordKind::device, 0, {100, 0}).add_to(traced.trace);
    const ConvertedWork converted(traced);
    CHECK(converted.figures.damaged_chunks == 8);
    REQUIRE(converted.pieces.size() == 3);
    for (std::int64_t i = 0; i < 3; i++) {
        const std::int64_t start = converted.pieces[static_cast<std::size_t>(i)].start_ns;
        CHECK(start == 500 + i);
    }
}

TEST_CASE("Without a reference moment there are no times", "[device_work]") {
    SmallTrace traced;
    traced.begin();
    DeviceWords().track(0, 0, 7).site(0, 1).work(0, 0, one_second).add_to(traced.trace);
    const ConvertedWork converted(traced);
    CHECK(converted.figures.damaged_chunks == 1);
    CHECK(converted.file.extension().tracks.empty());
}

TEST_CASE("Dropped work is reported even if there is no other work", "[device_work]") {
    SmallTrace traced;
    traced.begin();
    DeviceWords().record(DeviceRecordKind::dropped, 0, {41}).add_to(traced.trace);
    DeviceWords().record(DeviceRecordKind::dropped, 0, {1}).add_to(traced.trace);
    const ConvertedWork converted(traced);
    CHECK(converted.figures.dropped_work == 42);
    CHECK(converted.file.extension().missing_work == 42);
}
