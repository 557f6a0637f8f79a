// vfd files that are truncated, damaged or hostile: they only cause a one-line message.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "commands/vfd_text.hpp"
#include "vfd_builder.hpp"

using namespace vftrace;
using vftrace::test::sample_vfd;
using vftrace::test::VfdBuilder;
using vftrace::test::VfdFileOnDisk;

namespace {

// Reads and prints the whole file, as the command does. Returns the error; empty if there is none.
std::string read_all(const std::string& path) {
    try {
        const VfdFile file(path);
        OutputFile nowhere("/dev/null");
        VfdText text(file, nowhere);
        const VfdProgress ignore = [](std::uint64_t, std::uint64_t) {};
        text.write_header();
        text.write_thread_tree();
        text.write_stacks();
        text.write_samples({}, ignore);
        for (std::uint32_t i = 0; i < file.threads().size(); i++)
            text.write_samples_of(i, true, {}, ignore);
        text.write_counters();
        return "";
    } catch (const VfdError& error) {
        const std::string problem = error.what();
        CHECK(problem.starts_with(path + ": "));
        CHECK(problem.find('\n') == std::string::npos);
        return problem.substr(path.size() + 2);
    }
}

std::string error_of(std::string_view contents) {
    const VfdFileOnDisk on_disk(contents);
    return read_all(on_disk.path());
}

// The file with a number changed.
template <class Change>
std::string error_after(Change change, bool with_extension = true) {
    VfdBuilder builder = sample_vfd(with_extension);
    std::string contents = builder.contents();
    VfdNumbers numbers;
    std::memcpy(&numbers, contents.data() + builder.numbers_offset(), sizeof numbers);
    change(numbers);
    std::memcpy(contents.data() + builder.numbers_offset(), &numbers, sizeof numbers);
    return error_of(contents);
}

// The file with a payload in place of, or in addition to, its own sections.
std::string error_with_section(VfdSection kind, std::uint32_t detail, std::string_view payload) {
    VfdBuilder builder;
    builder.add_section(static_cast<std::uint32_t>(kind), detail, payload);
    return error_of(builder.contents());
}

template <class T>
std::string bytes_of(const T& value) {
    std::string bytes;
    VfdBuilder::integer(bytes, value);
    return bytes;
}

}  // namespace

TEST_CASE("a vfd file may end anywhere") {
    for (const bool with_extension : {true, false}) {
        const std::string whole = sample_vfd(with_extension).contents();
        const std::size_t version_3 = sample_vfd(false).contents().size();
        VfdFileOnDisk on_disk(whole);
        CHECK(read_all(on_disk.path()) == "");
        for (std::size_t length = 0; length < whole.size(); length++) {
            on_disk.replace(whole.substr(0, length));
            INFO(length);
            // If the extension has fewer than eight bytes, it cannot be recognised.
            const bool reads_as_whole =
                length >= version_3 && length < version_3 + sizeof(VfdExtensionHeader);
            const std::string problem = read_all(on_disk.path());
            if (!reads_as_whole)
                CHECK(problem != "");
        }
    }
}

TEST_CASE("every byte of a vfd file may be wrong") {
    for (const bool with_extension : {true, false}) {
        const std::string whole = sample_vfd(with_extension).contents();
        std::string damaged = whole;
        VfdFileOnDisk on_disk(whole);
        for (std::size_t i = 0; i < whole.size(); i++) {
            for (int pattern : {0xff, 0x01, 0x80}) {
                damaged[i] = static_cast<char>(whole[i] ^ pattern);
                on_disk.replace(damaged);
                read_all(on_disk.path());
            }
            damaged[i] = whole[i];
        }
        on_disk.replace(damaged);
        CHECK(read_all(on_disk.path()) == "");
    }
}

TEST_CASE("every number of a vfd file may be anything") {
    const std::string whole = sample_vfd().contents();
    VfdFileOnDisk on_disk(whole);
    std::mt19937_64 random(5);
    constexpr std::int64_t extremes[] = {
        -1, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, -0x7fffffffffffffff - 1};
    for (int round = 0; round < 3000; round++) {
        std::string damaged = whole;
        for (std::uint64_t i = 0, count = 1 + random() % 4; i < count; i++) {
            const std::size_t bytes = random() % 2 ? 4 : 8;
            std::int64_t value = random() % 3 ? extremes[random() % std::size(extremes)]
                                              : static_cast<std::int64_t>(random() % whole.size());
            std::memcpy(damaged.data() + random() % (whole.size() - bytes), &value, bytes);
        }
        on_disk.replace(damaged);
        read_all(on_disk.path());
    }
}

TEST_CASE("impossible numbers in the header of a vfd file") {
    CHECK(error_after([](VfdNumbers& n) { n.interval_ns = -1; }) ==
          "the header is damaged: sample interval -1");
    CHECK(error_after([](VfdNumbers& n) { n.processes = 0; }) ==
          "the header is damaged: number of processes 0");
    CHECK(error_after([](VfdNumbers& n) { n.rank = 3; }) ==
          "the header is damaged: number of the rank, of 3 processes: 3");
    CHECK(error_after([](VfdNumbers& n) { n.threads = 0; }) ==
          "the header is damaged: number of threads 0");
    CHECK(error_after([](VfdNumbers& n) { n.runtime_s = -NAN; }) != "");
    CHECK(error_after([](VfdNumbers& n) { n.stacks = 0; }) ==
          "the header is damaged: number of stacks 0");
    CHECK(error_after([](VfdNumbers& n) { n.stacks_offset = 1; }) ==
          "the header is damaged: stacks at byte 1");
    CHECK(error_after([](VfdNumbers& n) { n.samples_offset = -1; }) ==
          "the header is damaged: samples at byte -1");
    CHECK(error_after([](VfdNumbers& n) { n.threads_offset = 1'000'000; }) ==
          "is truncated: its threads are at byte 1000000, but it ends at byte 1321");
    // Counts are compared with the number of available bytes before memory is reserved for them.
    CHECK(error_after([](VfdNumbers& n) { n.stacks = 0xffffffff; }) ==
          "the stack table is damaged at byte 484: 4294967295 entries cannot be in 74 bytes");
    CHECK(error_after([](VfdNumbers& n) { n.threads = 0x7fffffff; }) ==
          "the thread table is damaged at byte 558: 2147483647 entries cannot be in 8 bytes");
    CHECK(error_after([](VfdNumbers& n) { n.counters = 0xfffffff0; }) != "");
    CHECK(error_after([](VfdNumbers& n) { n.observables = 0xfffffff0; }) != "");
    CHECK(error_after([](VfdNumbers& n) { n.function_samples++; }) ==
          "its extension has a different number of samples than its header");
    CHECK(error_after([](VfdNumbers& n) { n.function_samples++; }, false) ==
          "the list of samples is damaged at byte 484: it has 7 function samples instead of 8");
    CHECK(error_after([](VfdNumbers& n) { n.message_samples--; }) ==
          "7 function and 1 message samples cannot be in 328 bytes");
}

TEST_CASE("impossible samples") {
    VfdMessageSample good{VfdSampleKind::message, 0, 2, 13, 1, 8, 7, 10, 20, 0, 0};
    auto error_with = [&](auto change) {
        VfdBuilder builder;
        VfdMessageSample message = good;
        change(message);
        builder.message(message);
        const std::string problem = error_of(builder.contents());
        const std::size_t place = problem.rfind(": ");
        return place == std::string::npos ? problem : problem.substr(place + 2);
    };
    CHECK(error_with([](VfdMessageSample&) {}) == "");
    CHECK(error_with([](VfdMessageSample& m) { m.stack = 1; }) == "stack 1 does not exist");
    CHECK(error_with([](VfdMessageSample& m) { m.stack = -1; }) == "stack -1 does not exist");
    CHECK(error_with([](VfdMessageSample& m) { m.thread = 1; }) == "thread 1 does not exist");
    CHECK(error_with([](VfdMessageSample& m) { m.receives = 2; }) ==
          "a message that is neither sent nor received");
    CHECK(error_with([](VfdMessageSample& m) { m.start_ns = -1; }) ==
          "a time before the start of the program");
    // Whatever values these members have, they can be shown.
    CHECK(error_with([](VfdMessageSample& m) {
              m.count = m.type_bytes = m.datatype = m.peer = -0x7fffffff - 1;
          }) == "");
    CHECK(error_with([](VfdMessageSample& m) { m.end_ns = 0; }) == "");
    VfdBuilder builder;
    builder.enter(1, 0);
    CHECK(error_of(builder.contents()) ==
          "the list of samples is damaged at byte 156: stack 1 does not exist");
    // The messages of all threads are among the samples of thread 0.
    VfdBuilder threads;
    const std::uint32_t worker = threads.add_thread(0);
    constexpr std::int64_t time = 0x123456789abcdef;
    threads.enter(0, time, worker);
    std::string contents = threads.contents();
    const std::string enter = bytes_of(VfdFunctionSample{VfdSampleKind::enter, 0, time});
    contents[contents.rfind(enter)] = 2;
    CHECK(error_of(contents).ends_with(": a sample of kind 2"));
}

TEST_CASE("impossible stacks and threads") {
    VfdBuilder later;
    later.add_stack(1, "itself");
    CHECK(error_of(later.contents()).ends_with(": stack 1 is called by stack 1"));
    VfdBuilder orphan;
    orphan.add_stack(-1, "second root");
    CHECK(error_of(orphan.contents()).ends_with(": stack 1 is called by stack -1"));
    VfdBuilder nul;
    nul.add_stack(0, std::string_view("a\0b", 3));
    CHECK(error_of(nul.contents()).ends_with(": a text does not end where it should"));
    VfdBuilder thread;
    thread.add_thread(1);
    CHECK(error_of(thread.contents()).ends_with(": thread 1 was created by thread 1"));
    VfdBuilder nameless;
    nameless.add_stack(0, "");
    nameless.add_stack(0, "*");
    CHECK(error_of(nameless.contents()) == "");
}

TEST_CASE("impossible sections of an extension") {
    using Section = VfdSection;
    CHECK(error_with_section(Section::run, 0, "") ==
          "the extension is damaged at byte 358: a second section of the run");
    CHECK(error_with_section(Section::samples, 0, "")
              .ends_with(": samples of a thread that does not exist"));
    CHECK(error_with_section(Section::samples, 1, "")
              .ends_with(": samples of a thread that does not exist"));
    CHECK(error_with_section(Section::modules, 0, bytes_of(std::uint32_t{0xffffffff}))
              .ends_with(": a text of 4294967295 bytes, but it has only 0 more"));
    const VfdFunction function{1, 0, 0, 0};
    CHECK(error_with_section(Section::functions, 0, bytes_of(function))
              .ends_with(": a function in a module that does not exist"));
    CHECK(error_with_section(Section::stacks, 0, bytes_of(std::uint32_t{0}))
              .ends_with(": a stack of a function that does not exist"));
    CHECK(error_with_section(Section::stacks, 0, "").ends_with(": it ends too early"));
    CHECK(error_with_section(Section::gaps, 0, "1").ends_with(": gaps of another size"));
    CHECK(error_with_section(Section::gaps, 0, bytes_of(VfdGap{1, 0, 0, 0, 0}))
              .ends_with(": a gap of a thread that does not exist"));
    CHECK(error_with_section(Section::gaps, 0, bytes_of(VfdGap{0, 0, 5, 4, 0}))
              .ends_with(": a gap that ends before it begins"));

    VfdBuilder builder = sample_vfd();
    std::string contents = builder.contents();
    VfdExtensionFooter footer;
    const std::size_t place = contents.size() - sizeof footer;
    std::memcpy(&footer, contents.data() + place, sizeof footer);
    for (const std::int64_t wrong :
         {std::int64_t{-1}, std::int64_t{0}, std::int64_t{footer.extension_offset + 1},
          std::numeric_limits<std::int64_t>::max()}) {
        std::memcpy(contents.data() + place, &wrong, sizeof wrong);
        CHECK(error_of(contents).starts_with("the extension is damaged at byte "));
    }
}

TEST_CASE("thousands of stacks, each called by the one before") {
    VfdBuilder builder;
    for (std::int32_t i = 0; i < 2000; i++) {
        builder.add_stack(i, "f");
        builder.add_thread(i);
    }
    builder.enter(2000, 5);
    CHECK(error_of(builder.contents()) == "");
}
