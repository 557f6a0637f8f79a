// Reading vfd files: with and without our extension, and peculiarities of Vftrace 2.0.
#include "readers/vfd_reader.hpp"

#include <catch2/catch.hpp>

#include "vfd_builder.hpp"

using namespace vftrace;
using vftrace::test::sample_vfd;
using vftrace::test::VfdBuilder;
using vftrace::test::VfdFileOnDisk;

namespace {

struct ReadSample {
    VfdSampleKind kind;
    std::uint32_t stack;
    std::int64_t ns;
    std::vector<std::int64_t> counters;
    bool operator==(const ReadSample&) const = default;
};

std::vector<ReadSample> all_samples(const VfdFile& file, std::uint32_t thread = 0) {
    std::vector<ReadSample> samples;
    VfdSampleStream stream = file.samples(thread);
    VfdSample sample;
    while (stream.next(sample))
        samples.push_back({sample.kind,
                           sample.stack,
                           sample.ns,
                           {sample.counters.begin(), sample.counters.end()}});
    CHECK(stream.position() == stream.size());
    return samples;
}

// The error of reading the whole file; empty if there is none.
std::string error_of(std::string_view contents) {
    const VfdFileOnDisk on_disk(contents);
    try {
        const VfdFile file(on_disk.path());
        VfdSample sample;
        for (std::uint32_t i = 0; i < file.threads().size(); i++)
            for (VfdSampleStream stream = file.samples(i); stream.next(sample);)
                ;
    } catch (const VfdError& error) {
        const std::string text = error.what();
        CHECK(text.starts_with(on_disk.path() + ": "));
        CHECK(text.find('\n') == std::string::npos);
        return text.substr(on_disk.path().size() + 2);
    }
    return "";
}

}  // namespace

TEST_CASE("kinds of functions from a later version") {
    std::string words;
    for (const std::string_view word : {"root", "function", "fibre", "mpi"})
        VfdBuilder::text(words, word);
    for (const bool with_words : {true, false}) {
        VfdBuilder builder;
        builder.add_function("first", "", no_index, 0, static_cast<NodeKind>(1));
        builder.add_function("second", "", no_index, 0, static_cast<NodeKind>(2));
        builder.add_function("third", "", no_index, 0, static_cast<NodeKind>(77));
        if (with_words)
            builder.add_section(static_cast<std::uint32_t>(VfdSection::kinds), 0, words);
        const VfdFileOnDisk on_disk(builder.contents());
        const VfdFile file(on_disk.path());
        const std::vector<Function>& functions = file.extension().functions;
        REQUIRE(functions.size() == 3);
        CHECK(functions[0].kind == NodeKind::function);
        CHECK(kind_word(functions[1]) == (with_words ? "fibre" : "region"));
        CHECK(functions[2].kind == NodeKind::other);
        CHECK(kind_word(functions[2]) == "kind-77");
    }
}

TEST_CASE("tables of a vfd file") {
    for (const bool with_extension : {true, false}) {
        const VfdFileOnDisk on_disk(sample_vfd(with_extension).contents());
        const VfdFile file(on_disk.path());
        CHECK(file.header().version == 3);
        CHECK(file.header().package == "Vftrace 2.0.0");
        CHECK(file.header().start_date == "Sat Nov 21 01:33:13 2026");
        CHECK(file.header().end_date == "Sat Nov 21 01:33:14 2026");
        CHECK(file.header().numbers.runtime_s == 0.5194);
        REQUIRE(file.stacks().size() == 5);
        CHECK(file.stacks()[0].parent == no_index);
        CHECK(file.stacks()[3].name == "MPI_Send");
        CHECK(file.stacks()[3].precise);
        CHECK_FALSE(file.stacks()[2].precise);
        CHECK(file.stack_text(3, true) == "MPI_Send*<main<init");
        CHECK(file.stack_text(3) == "MPI_Send<main<init");
        CHECK(file.stack_text(0) == "init");
        REQUIRE(file.threads().size() == 2);
        CHECK(file.threads()[0].parent == -1);
        CHECK(file.threads()[1].parent == 0);
        CHECK(file.threads()[0].samples == 7);
        REQUIRE(file.counters().size() == 2);
        CHECK(file.counters()[1].symbol == "l");
        REQUIRE(file.observables().size() == 2);
        CHECK(file.observables()[0].unit == "1/s");
        CHECK(file.observables()[1].unit.empty());
        CHECK(file.extension().present == with_extension);
        CHECK(file.extension().clock.has_value() == with_extension);
    }
}

TEST_CASE("the extension of a vfd file") {
    const VfdFileOnDisk on_disk(sample_vfd().contents());
    const VfdFile file(on_disk.path());
    const VfdExtension& extension = file.extension();
    CHECK(extension.application == "heat");
    CHECK(extension.command_line == "./heat 100");
    CHECK(extension.host == "node1");
    CHECK(extension.configuration == "{}");
    CHECK(extension.clock->measured == 2);
    CHECK(extension.clock->end_offset_ns == 1600);
    REQUIRE(extension.modules.size() == 2);
    CHECK(extension.modules[0].build_id == "0123abcd");
    REQUIRE(extension.functions.size() == 4);
    const Function& work = extension.functions[file.stacks()[2].function];
    CHECK(work.name == "_Z4worki");  // as the profile of the run has it
    CHECK(work.demangled == "work(int)");
    CHECK(work.offset == 0x1100);
    CHECK(extension.functions[1].file == "heat.c");
    CHECK(extension.functions[1].line == 42);
    CHECK(extension.functions[3].kind == NodeKind::mpi);
    CHECK(file.stacks()[4].function == no_index);
    CHECK(file.counters()[0].unit == "cycles");
    CHECK(file.threads()[1].name == "worker");
    CHECK(file.threads()[1].number == 1001);
    REQUIRE(extension.gaps.size() == 1);
    CHECK(extension.gaps[0].events == 12);
}

TEST_CASE("samples of a vfd file, by thread") {
    const VfdFileOnDisk on_disk(sample_vfd().contents());
    const VfdFile file(on_disk.path());
    const std::vector<ReadSample> first = all_samples(file);
    REQUIRE(first.size() == 9);
    CHECK(first[0] == ReadSample{VfdSampleKind::enter, 1, 57'634'400, {1, 2}});
    CHECK(first[4] == ReadSample{VfdSampleKind::message, 3, 80'000'000, {}});
    CHECK(first[8] == ReadSample{VfdSampleKind::exit, 0, 519'000'000, {11, 12}});
    const std::vector<ReadSample> second = all_samples(file, 1);
    REQUIRE(second.size() == 2);
    CHECK(second[1] == ReadSample{VfdSampleKind::exit, 4, 95'000'000, {2, 2}});
    CHECK_THROWS_WITH(file.samples(2), Catch::EndsWith("does not have a thread 2"));
    // Two readers at once, in turns.
    VfdSampleStream a = file.samples(0), b = file.samples(1);
    VfdSample of_a, of_b;
    CHECK(a.next(of_a));
    CHECK(b.next(of_b));
    CHECK(of_a.counters[1] == 2);
    CHECK(of_b.counters[1] == 1);
}

TEST_CASE("more samples than one buffer holds") {
    VfdBuilder builder;
    builder.add_stack(0, "main");
    constexpr std::int64_t count = 200'000;  // 3 MiB; messages shift what crosses buffer ends
    for (std::int64_t i = 0; i < count; i++) {
        builder.enter(1, i);
        if (i % 1000 == 0)
            builder.send(1, 0, static_cast<std::int32_t>(i), i, 1);
    }
    const VfdFileOnDisk on_disk(builder.contents());
    const VfdFile file(on_disk.path());
    VfdSampleStream stream = file.samples();
    VfdSample sample;
    std::int64_t functions = 0, messages = 0;
    bool in_order = true;
    while (stream.next(sample)) {
        if (sample.kind == VfdSampleKind::message) {
            in_order = in_order && sample.message.tag == 1000 * messages;
            messages++;
        } else {
            in_order = in_order && sample.ns == functions;
            functions++;
        }
    }
    CHECK(in_order);
    CHECK(functions == count);
    CHECK(messages == count / 1000);
}

TEST_CASE("Vftrace 2.0 wrote no readings in internal regions (fault 11.1.15)") {
    VfdBuilder builder(false);
    builder.add_stack(0, "main");
    builder.add_stack(1, "MPI_Allreduce", true);
    builder.add_stack(2, "MPI_Allreduce_sync", true);
    builder.add_counter("a", "a");
    builder.enter(1, 10, 0, {1});
    builder.enter(2, 20, 0, {2});
    builder.enter(3, 30);
    builder.exit(3, 40);
    builder.exit(2, 50, 0, {0});
    builder.exit(1, 60, 0, {1});
    builder.exit(0, 55, 0, {2});
    const VfdFileOnDisk on_disk(builder.contents());
    const std::vector<ReadSample> samples = all_samples(VfdFile(on_disk.path()));
    REQUIRE(samples.size() == 7);
    CHECK(samples[1].counters == std::vector<std::int64_t>{2});
    CHECK(samples[2] == ReadSample{VfdSampleKind::enter, 3, 30, {}});
    CHECK(samples[3] == ReadSample{VfdSampleKind::exit, 3, 40, {}});
    CHECK(samples[6] == ReadSample{VfdSampleKind::exit, 0, 55, {2}});
    // Samples of other regions must have readings.
    VfdBuilder wrong(false);
    wrong.add_stack(0, "main");
    wrong.add_counter("a", "a");
    wrong.enter(1, 10);
    wrong.exit(1, 20, 0, {0});
    CHECK(error_of(wrong.contents()) != "");
}

TEST_CASE("an empty trace") {
    VfdBuilder builder;
    CHECK(error_of(builder.contents()) == "");
    const VfdFileOnDisk on_disk(builder.contents());
    CHECK(all_samples(VfdFile(on_disk.path())).empty());
}

TEST_CASE("sections of later versions are skipped") {
    VfdBuilder builder = sample_vfd();
    builder.add_section(77, 3, "whatever this may be");
    CHECK(error_of(builder.contents()) == "");
}

TEST_CASE("files that are not vfd files") {
    CHECK_THROWS_WITH(VfdFile("/nowhere/x.vfd"), "/nowhere/x.vfd: No such file or directory");
    CHECK_THROWS_WITH(VfdFile("/tmp"), "/tmp: Is a directory");
    CHECK_THROWS_WITH(VfdFile("/dev/null"), "/dev/null: is not a regular file");
    CHECK(error_of("") == "is empty: the run did not finish, or the disk was full");
    CHECK(error_of("{ \"run\": 1 }") == "is not a vfd file");
    CHECK(error_of("\3") == "is not a vfd file");
    CHECK(error_of(std::string("\0\0\0\3", 4) + std::string(200, 'x')) ==
          "was written on a machine with a different byte order");
    CHECK(error_of(std::string("\2\0\0\0", 4) + std::string(200, 'x')) ==
          "is a vfd file of version 2, not 3");
    CHECK(error_of("VFTC" + std::string(200, 'x'))
              .starts_with("is the trace of a run that did not finish; \"vftrace recover\""));
}

TEST_CASE("a vfd file of Vftrace 2.0 whose run crashed") {
    VfdBuilder builder(false);
    std::string contents = builder.contents();
    const std::string zeros(sizeof(VfdNumbers), '\0');
    contents.replace(builder.numbers_offset(), zeros.size(), zeros);
    CHECK(error_of(contents) == "was never finished: Vftrace 2.0.0 began to write it on Sat Nov 21 "
                                "01:33:13 2026 and did not complete it");
}
