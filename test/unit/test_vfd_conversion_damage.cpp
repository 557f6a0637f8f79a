// From chunks to a vfd file: damaged traces, and no room for the file.
#include <catch2/catch.hpp>

#include <random>
#include <sys/resource.h>

#include "converted_trace.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

using Lines = std::vector<std::string>;
using Trace = TraceFileBuilder;

}  // namespace

TEST_CASE("a damaged chunk costs only its own events") {
    SmallTrace small;
    small.begin();
    for (std::uint64_t i = 0; i < 3; i++) {
        EventWords words(1000 + 100 * i);
        words.enter(1, words.base).exit(1, words.base + 50);
        small.trace.add_events(0, words);
    }
    small.trace.bytes[small.trace.chunk_starts[3] + sizeof(ChunkHeader) + 5] ^= 1;
    const VfdFigures figures = convert(small.folder, small.trace, small, 2000);
    CHECK(sample_lines(VfdFile(small.folder.vfd())) ==
          Lines{"0 call main<init", "50 exit main<init", "200 call main<init", "250 exit main<init",
                "1000 exit init"});
    CHECK(figures.damaged_chunks == 1);
    CHECK(figures.error == "");
}

TEST_CASE("nothing to convert") {
    SmallTrace small;
    VfdFigures figures = convert(small.folder, small.trace, small, 2000);
    CHECK(figures.error == "the trace cannot be read: is empty");
    CHECK(figures.bytes == 0);
    small.trace.add_paths({Trace::root(0)});
    figures = convert(small.folder, small.trace, small, 2000);
    CHECK(figures.error == "the trace does not identify its process");
    CHECK_FALSE(exists(small.folder.vfd()));
    CHECK_FALSE(small.folder.has_parts());
}

TEST_CASE("no room for the vfd file") {
    SmallTrace small;
    small.begin();
    EventWords words(1000);
    for (std::uint64_t i = 0; i < 300'000; i++)
        words.enter(1, 1000 + i);
    small.trace.add_events(0, words);
    small.trace.write(small.folder.trace());
    rlimit old, limit;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = 3'000'000;
    setrlimit(RLIMIT_FSIZE, &limit);
    const VfdFigures figures = convert_to_vfd({.trace_file = small.folder.trace(),
                                               .vfd_file = small.folder.vfd(),
                                               .profile = &small.profile,
                                               .nodes = &small.nodes,
                                               .end_ticks = 400'000});
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK(figures.error == "cannot be written: File too large");
    CHECK(figures.bytes == 0);
    CHECK_FALSE(exists(small.folder.vfd()));
    CHECK_FALSE(small.folder.has_parts());
    CHECK(exists(small.folder.trace()));
    CHECK(convert(small.folder, small.trace, small, 400'000).error == "");
}

TEST_CASE("a missing folder") {
    SmallTrace small;
    small.begin();
    small.trace.write(small.folder.trace());
    CHECK(convert_to_vfd({.trace_file = small.folder.trace(),
                          .vfd_file = small.folder.path + "/no/such.vfd",
                          .profile = &small.profile,
                          .nodes = &small.nodes,
                          .end_ticks = 2000})
              .error == "cannot be written: No such file or directory");
}

TEST_CASE("damaged at random: what is written is a vfd file that can be read") {
    SmallTrace small;
    small.nodes.path_of.push_back({0, 2});
    small.begin();
    for (std::uint64_t i = 0; i < 6; i++) {
        EventWords words(1000 + 100 * i);
        words.communicator(
            {.id = 5, .list = PeerList::members, .size = 3, .first = 0, .own = 1, .count = 0},
            {0, 1, 2});
        words.enter(1, words.base + 1);
        words.fan(0, {.start = words.base + 3,
                      .end = words.base + 9,
                      .node = 1,
                      .communicator = 5,
                      .count = 1,
                      .type_bytes = 1,
                      .datatype = 0,
                      .flags = 0,
                      .tag = 0,
                      .first_peer = 0});
        words.gap(RecordKind::waited, words.base + 10, words.base + 11, 0);
        words.exit(1, words.base + 20);
        small.trace.add_events(static_cast<std::uint32_t>(i % 2), words);
    }
    const std::string sound = small.trace.bytes;
    std::mt19937 random(11);
    int converted = 0;
    for (int i = 0; i < 3000; i++) {
        std::string& bytes = small.trace.bytes;
        bytes = sound;
        for (int j = 0; j < 1 + i % 7; j++)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        // Half of them with right checksums, so that the damage gets further in.
        for (std::size_t start : small.trace.chunk_starts) {
            ChunkHeader header;
            std::memcpy(&header, bytes.data() + start, sizeof header);
            if (i % 2 || header.bytes > bytes.size() - start - sizeof header)
                continue;
            std::vector<std::uint64_t> words(header.bytes / 8);
            if (!words.empty())
                std::memcpy(words.data(), bytes.data() + start + sizeof header, words.size() * 8);
            header.checksum = chunk_checksum(header, words.data());
            std::memcpy(bytes.data() + start, &header, sizeof header);
        }
        const VfdFigures figures = convert(small.folder, small.trace, small, 2000);
        if (figures.bytes == 0)
            continue;
        converted++;
        const VfdFile file(small.folder.vfd());
        std::int64_t last = 0;
        VfdSampleStream samples = file.samples(0);
        for (VfdSample sample; samples.next(sample);) {
            REQUIRE(sample.ns >= last);
            last = sample.ns;
        }
    }
    CHECK(converted > 2000);
}
