// Reading of the ring that an event of perf_event_open writes into.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <linux/perf_event.h>
#include <vector>

#include "unwind/event_ring.hpp"

using namespace vftrace;

namespace {

// What the kernel would map and write: a control page and 256 bytes.
class KernelSide {
  public:
    static constexpr std::uint64_t page = 4096, bytes = 256;

    explicit KernelSide(std::uint64_t start = 0) : memory_((page + bytes) / 8) {
        control().data_offset = page;
        control().data_size = bytes;
        control().data_head = control().data_tail = start;
    }
    perf_event_mmap_page& control() {
        return *reinterpret_cast<perf_event_mmap_page*>(memory_.data());
    }
    void write(std::uint32_t type, const std::vector<std::uint64_t>& body) {
        put(std::uint64_t{type} | (8 + body.size() * 8) << 48);
        for (std::uint64_t word : body)
            put(word);
    }
    void put(std::uint64_t word) {
        std::uint64_t& head = *reinterpret_cast<std::uint64_t*>(&control().data_head);
        memory_[(page + head % bytes) / 8] = word;
        head += 8;
    }
    EventRing ring() { return EventRing(memory_.data()); }

  private:
    std::vector<std::uint64_t> memory_;
};

struct Seen {
    std::uint32_t type;
    std::vector<std::uint64_t> words;
    bool operator==(const Seen&) const = default;
};

std::vector<Seen> read_all(EventRing ring) {
    std::vector<Seen> seen;
    ring.read([&](const EventRecord& record) {
        Seen one{record.type, {}};
        for (unsigned at = 0; at + EventRecord::header_bytes < record.bytes; at += 8)
            one.words.push_back(record.body.word(at));
        seen.push_back(one);
    });
    return seen;
}

}  // namespace

TEST_CASE("records of an event's ring, in order and once") {
    KernelSide kernel;
    EventRing ring = kernel.ring();
    CHECK(ring.is_empty());
    CHECK(read_all(ring).empty());
    kernel.write(PERF_RECORD_SAMPLE, {1, 2, 3});
    kernel.write(PERF_RECORD_LOST, {7});
    CHECK_FALSE(ring.is_empty());
    CHECK(read_all(ring) ==
          std::vector<Seen>{{PERF_RECORD_SAMPLE, {1, 2, 3}}, {PERF_RECORD_LOST, {7}}});
    CHECK(ring.is_empty());
    CHECK(kernel.control().data_tail == kernel.control().data_head);
    CHECK(read_all(ring).empty());
}

TEST_CASE("records that wrap around to the start of the ring") {
    for (std::uint64_t start = 0; start <= KernelSide::bytes; start += 8) {
        CAPTURE(start);
        KernelSide kernel(1000 * KernelSide::bytes + start);
        kernel.write(9, {11, 12, 13, 14, 15, 16, 17});
        kernel.write(2, {21});
        kernel.write(9, {31, 32});
        CHECK(read_all(kernel.ring()) ==
              std::vector<Seen>{{9, {11, 12, 13, 14, 15, 16, 17}}, {2, {21}}, {9, {31, 32}}});
    }
}

TEST_CASE("part of a record's body") {
    KernelSide kernel(KernelSide::bytes - 16);
    kernel.write(9, {1, 2, 3, 4});
    kernel.ring().read([](const EventRecord& record) {
        CHECK(record.body.from(16).word(0) == 3);
        CHECK(record.body.from(16).word(8) == 4);
    });
}

TEST_CASE("an event's ring that is full") {
    KernelSide kernel(64);
    EventRing ring = kernel.ring();
    CHECK_FALSE(ring.is_full_for(64));
    kernel.write(9, std::vector<std::uint64_t>(15));
    CHECK(ring.is_full_for(64));
    ring.skip_all();
    CHECK(ring.is_empty());
    CHECK_FALSE(ring.is_full_for(64));
}

TEST_CASE("data that no kernel writes end the reading of a ring") {
    KernelSide kernel;
    kernel.write(9, {1});
    SECTION("a record without length") { kernel.put(9); }
    SECTION("one longer than the written data") {
        kernel.put(std::uint64_t{9} | std::uint64_t{4096} << 48);
    }
    CHECK(read_all(kernel.ring()) == std::vector<Seen>{{9, {1}}});
    CHECK(kernel.ring().is_empty());
}
