// What `vftrace dump` prints, compared with what Vftrace 2.0 prints.
#include "commands/vfd_text.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "base/text.hpp"
#include "vfd_builder.hpp"
#include "written_text.hpp"

using namespace vftrace;
using vftrace::test::sample_vfd;
using vftrace::test::VfdBuilder;
using vftrace::test::VfdFileOnDisk;
using vftrace::test::written_text;

namespace {

const VfdProgress ignore = [](std::uint64_t, std::uint64_t) {};

template <class Write>
std::string text_of(VfdBuilder builder, Write write) {
    const VfdFileOnDisk on_disk(builder.contents());
    const VfdFile file(on_disk.path());
    return written_text([&](OutputFile& out) {
        VfdText text(file, out);
        write(text);
    });
}

}  // namespace

TEST_CASE("seconds in the form that printf uses") {
    auto seconds = [](std::int64_t ns) {
        std::string text;
        append_seconds(text, ns);
        return text;
    };
    CHECK(seconds(0) == "        0.000000");
    CHECK(seconds(57'634'400) == "        0.057634");
    CHECK(seconds(999'999'499) == "        0.999999");
    CHECK(seconds(999'999'500) == "        1.000000");
    CHECK(seconds(1'000'000'000'000'000'000) == "1000000000.000000");
    CHECK(seconds(std::numeric_limits<std::int64_t>::max()) == "9223372036.854776");
    std::mt19937_64 random(1);
    for (int i = 0; i < 10'000; i++) {
        // Less than 2^52, so that a double represents it exactly, and not halfway between two
        // results.
        const std::int64_t ns = static_cast<std::int64_t>(random() >> (12 + random() % 50));
        if (ns % 1000 != 500)
            CHECK(seconds(ns) == format("%16.6f", static_cast<double>(ns) / 1e9));
    }
}

TEST_CASE("the header of a dump") {
    CHECK(text_of(sample_vfd(), [](VfdText& text) { text.write_header(); }) ==
          R"(Version ID:      Vftrace 2.0.0
Start Date:      Sat Nov 21 01:33:13 2026
End Date:        Sat Nov 21 01:33:14 2026
Processes:       1 of 3
Threads:         2
Sample interval: 5.000000e-03 seconds
Job runtime:     0.519 seconds
Samples:         9
   Function:     7
   Messages:     2
Unique stacks:   5
HW counters:     2
HW observables:  2
Stacks offset:   0x1e4
Sample offset:   0x9c
Thread offset:   0x22e
HWprof offset:   0x236
)");
}

TEST_CASE("the tables of a dump") {
    CHECK(text_of(sample_vfd(), [](VfdText& text) {
              text.write_stacks();
              text.write_counters();
          }) == R"(
Stacks list:
   0: init
   1: main<init
   2: work<main<init
   3: MPI_Send*<main<init
   4: [thread]<main<init

 Counter names & symbols: 

Cycles -> c
Loads -> l

Observables:
Rate: c/T [1/s]
Ratio: c/l []
)");
    VfdBuilder deep;
    for (std::int32_t caller = 0; caller < 10; caller++)
        deep.add_stack(caller, "f");
    CHECK_THAT(text_of(deep, [](VfdText& text) { text.write_stacks(); }),
               Catch::Matchers::Contains("\n   9: f<f<f<f<f<f<f<f<f<init\n"
                                         "   10: f<f<f<f<f<f<f<f<f<f<init\n"));
    VfdBuilder threads;
    for (const std::int32_t parent : {0, 1, 0, 2, -1, 5})
        threads.add_thread(parent);
    CHECK(text_of(threads, [](VfdText& text) { text.write_thread_tree(); }) ==
          "\nThreadtree:\n0\n  1\n    2\n      4\n  3\n5\n  6\n");
}

TEST_CASE("the samples of a dump") {
    CHECK(text_of(sample_vfd(), [](VfdText& text) { text.write_samples({}, ignore); }) == R"(
Stack and message samples:
        0.057634 1 2 call main<init
        0.060000 3 4 call work<main<init
        0.070000 5 6 exit work<main<init
        0.080000 7 8 call MPI_Send*<main<init
        0.080000 send in stackID 3 from threadID 0
                 count=1000 type=MPI_DOUBLE(8Bytes) rate= 122.7973 MiB/s peer=2 tag=7
        0.080062 send end
        0.081000 9 10 exit MPI_Send*<main<init
        0.090000 recv in stackID 4 from threadID 1
                 count=10 type=MPI_INT(4Bytes) rate=      inf MiB/s peer=0 tag=9
        0.090000 recv end
        0.500000 11 12 exit main<init
        0.519000 11 12 exit init
)");
}

TEST_CASE("the samples of one thread or period") {
    CHECK(text_of(sample_vfd(), [](VfdText& text) {
              text.write_samples_of(1, true, {}, ignore);
              text.write_samples_of(1, false, {90'000'001}, ignore);
          }) == R"(
Samples of thread 1 (worker):
        0.085000 1 1 call [thread]<main<init
        0.090000 recv in stackID 4 from threadID 1
                 count=10 type=MPI_INT(4Bytes) rate=      inf MiB/s peer=0 tag=9
        0.090000 recv end
        0.095000 2 2 exit [thread]<main<init

Samples of thread 1 (worker):
        0.095000 2 2 exit [thread]<main<init
)");
    CHECK(text_of(sample_vfd(), [](VfdText& text) {
              text.write_samples_of(0, true, {80'000'001, 80'062'130}, ignore);
          }) == R"(
Samples of thread 0:
        0.080000 send in stackID 3 from threadID 0
                 count=1000 type=MPI_DOUBLE(8Bytes) rate= 122.7973 MiB/s peer=2 tag=7
        0.080062 send end
)");
}

TEST_CASE("messages of more bytes than 31 bits count, and of unknown types") {
    VfdBuilder builder;
    builder.message({VfdSampleKind::message, 0, 1, -1, 0x40000000, 8, 0, 0, 1'000'000'000, 0, 0});
    builder.message({VfdSampleKind::message, 1, 1, 37, 0, 8, -1, 0, 0, 0, 0});
    CHECK(text_of(builder, [](VfdText& text) { text.write_samples({}, ignore); }) == R"(
Stack and message samples:
        0.000000 send in stackID 0 from threadID 0
                 count=1073741824 type=MPI_DERIVED_TYPE(8Bytes) rate= 8192.0000 MiB/s peer=1 tag=0
        1.000000 send end
        0.000000 recv in stackID 0 from threadID 0
                 count=0 type=MPI_UNDEFINED_TYPE(8Bytes) rate=   0.0000 MiB/s peer=1 tag=-1
        0.000000 recv end
)");
}

TEST_CASE("names with terminal escape sequences") {
    VfdBuilder builder;
    builder.add_stack(0, "a\nb\x1b[31m\xff");
    builder.enter(1, 0);
    CHECK(text_of(builder,
                  [](VfdText& text) {
                      text.write_stacks();
                      text.write_samples({}, ignore);
                  }) == "\nStacks list:\n   0: init\n   1: a\\nb\\x1b[31m\xEF\xBF\xBD<init\n\n"
                        "Stack and message samples:\n        0.000000 call "
                        "a\\nb\\x1b[31m\xEF\xBF\xBD<init\n");
}

TEST_CASE("readable names of C++ functions") {
    VfdBuilder builder;
    const std::uint32_t function =
        builder.add_function("_Z4workISt6vectorIiEEvT_", "void work<std::vector<int> >(T)");
    builder.add_stack(0, "main");
    builder.add_stack(1, "_Z4workISt6vectorIiEEvT_", true, function);
    const VfdFileOnDisk on_disk(builder.contents());
    const VfdFile file(on_disk.path());
    auto stacks_with = [&](VfdText::Names names) {
        return written_text([&](OutputFile& out) { VfdText(file, out, names).write_stacks(); });
    };
    CHECK(stacks_with(VfdText::Names::stored) == "\nStacks list:\n   0: init\n   1: main<init\n"
                                                 "   2: _Z4workISt6vectorIiEEvT_*<main<init\n");
    CHECK(stacks_with(VfdText::Names::readable) == "\nStacks list:\n   0: init\n   1: main<init\n"
                                                   "   2: " +
                                                       file.extension().functions[0].display +
                                                       "*<main<init\n");
    CHECK(file.extension().functions[0].display.starts_with("work<"));
}
