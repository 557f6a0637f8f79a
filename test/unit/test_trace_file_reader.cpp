// Chunks of a trace: complete ones are found, however damaged the rest is.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <unistd.h>

#include "trace_file_builder.hpp"
#include "vfd/trace_descriptions.hpp"
#include "vfd/trace_file_reader.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// The events of chunk i are in node 1 + i, so that chunks can be distinguished.
constexpr std::uint32_t event_chunks = 5, events_per_chunk = 100;

TraceFileBuilder five_chunks() {
    TraceFileBuilder trace;
    trace.add_process();
    trace.add_paths({TraceFileBuilder::root(0), TraceFileBuilder::region(0, 1, 0, "main")});
    for (std::uint32_t i = 0; i < event_chunks; i++) {
        EventWords events(10'000 * i);
        for (std::uint32_t j = 0; j < events_per_chunk; j++)
            events.enter(1 + i, 10'000 * i + j);
        trace.now_ticks += 100;
        trace.now_ns += 50;
        trace.add_events(i % 2, events);
    }
    trace.add_end();
    return trace;
}

struct TemporaryTrace {
    explicit TemporaryTrace(const std::string& bytes)
        : path("/tmp/vftrace-unit-" + std::to_string(getpid()) + ".tmpvfd") {
        std::ofstream(path, std::ios::binary) << bytes;
        opened = reader.open(path);
    }
    ~TemporaryTrace() { unlink(path.c_str()); }
    const std::string path;
    TraceFileReader reader;
    bool opened;
};

// Which of the event chunks can be loaded, by their nodes.
std::vector<std::uint32_t> whole_chunks(TraceFileReader& reader) {
    struct FirstNode {
        std::uint32_t node = 0;
        void event(WordKind, std::uint32_t number, std::uint64_t) { node = number; }
        void record(RecordKind, std::uint32_t, std::span<const std::uint64_t>) {}
    };
    std::vector<std::uint32_t> found;
    std::vector<std::uint64_t> buffer;
    for (std::size_t i = 0; i < reader.chunks().size(); i++) {
        std::span<const std::uint64_t> words;
        if (reader.chunks()[i].kind != ChunkKind::events || !reader.load(i, buffer, words))
            continue;
        FirstNode visitor;
        REQUIRE(visit_words(words, visitor));
        CHECK(words.size() == events_per_chunk);
        found.push_back(visitor.node);
    }
    return found;
}

using Nodes = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a whole trace") {
    const TraceFileBuilder trace = five_chunks();
    TemporaryTrace file(trace.bytes);
    REQUIRE(file.opened);
    REQUIRE(file.reader.chunks().size() == 8);
    CHECK(file.reader.chunks()[0].kind == ChunkKind::process);
    CHECK(file.reader.chunks()[3].base_ticks == 10'000);
    CHECK(file.reader.chunks()[3].thread == 1);
    CHECK(file.reader.chunks()[7].bytes == 0);
    CHECK(file.reader.latest_ticks() == 1500);
    CHECK(file.reader.latest_ns() == 5'000'250);
    CHECK(whole_chunks(file.reader) == Nodes{1, 2, 3, 4, 5});
    CHECK(file.reader.damaged_chunks() == 0);
}

TEST_CASE("the text after a process") {
    TraceFileBuilder trace = five_chunks();
    TemporaryTrace file(trace.bytes);
    std::vector<std::uint64_t> buffer;
    std::span<const std::uint64_t> words;
    REQUIRE(file.reader.load(0, buffer, words));
    TraceProcess process;
    TraceTexts texts;
    REQUIRE(read_process(words, process, texts));
    CHECK(process.pid == 4711);
    CHECK(text_of(texts, TraceText::command_line) == "program -x");
    CHECK(text_of(texts, TraceText::configuration) == "{}");
    // Without texts, without their ends, and too short.
    REQUIRE(read_process(words.first(8), process, texts));
    CHECK(text_of(texts, TraceText::application).empty());
    REQUIRE(read_process(words.first(9), process, texts));
    CHECK(text_of(texts, TraceText::application) == "program");
    CHECK(text_of(texts, TraceText::command_line).empty());
    CHECK_FALSE(read_process(words.first(7), process, texts));
}

TEST_CASE("cut off anywhere, all whole chunks before are there") {
    const TraceFileBuilder trace = five_chunks();
    for (std::size_t length = 0; length < trace.bytes.size(); length += 13) {
        INFO(length);
        TemporaryTrace file(trace.bytes.substr(0, length));
        // A chunk ends where the next one begins.
        const auto whole = static_cast<std::size_t>(
            std::upper_bound(trace.chunk_starts.begin() + 1, trace.chunk_starts.end(), length) -
            trace.chunk_starts.begin() - 1);
        REQUIRE(file.opened == (whole > 0));
        if (whole == 0)
            CHECK_FALSE(file.reader.error().empty());
        CHECK(file.reader.chunks().size() == whole);
        const bool cut = trace.chunk_starts[whole] != length;
        CHECK(file.reader.damaged_chunks() == (cut ? 1 : 0));
        CHECK(whole_chunks(file.reader).size() == (whole > 2 ? whole - 2 : 0));
    }
}

TEST_CASE("a damaged payload costs its chunk") {
    TraceFileBuilder trace = five_chunks();
    trace.bytes[trace.chunk_starts[4] + sizeof(ChunkHeader) + 77] ^= 4;
    TemporaryTrace file(trace.bytes);
    CHECK(whole_chunks(file.reader) == Nodes{1, 2, 4, 5});
    CHECK(file.reader.damaged_chunks() == 1);
    // Counted once, however often the file is read.
    CHECK(whole_chunks(file.reader) == Nodes{1, 2, 4, 5});
    CHECK(file.reader.damaged_chunks() == 1);
}

TEST_CASE("a damaged header costs its chunk") {
    const TraceFileBuilder sound = five_chunks();
    struct Damage {
        std::size_t offset, bytes;
        std::uint64_t value;
    };
    const Damage damages[] = {
        {offsetof(ChunkHeader, magic), 4, 0},
        {offsetof(ChunkHeader, version), 2, 99},
        {offsetof(ChunkHeader, bytes), 8, 0},
        {offsetof(ChunkHeader, bytes), 8, 8},
        {offsetof(ChunkHeader, bytes), 8, 401},
        {offsetof(ChunkHeader, bytes), 8, 408},
        {offsetof(ChunkHeader, bytes), 8, ~std::uint64_t{0}},
        {offsetof(ChunkHeader, bytes), 8, ~std::uint64_t{0} - 63},
        {offsetof(ChunkHeader, checksum), 8, 1},
    };
    for (const Damage& damage : damages) {
        INFO(damage.offset << " " << damage.value);
        TraceFileBuilder trace = sound;
        std::memcpy(trace.bytes.data() + trace.chunk_starts[4] + damage.offset, &damage.value,
                    damage.bytes);
        TemporaryTrace file(trace.bytes);
        CHECK(whole_chunks(file.reader) == Nodes{1, 2, 4, 5});
        CHECK(file.reader.damaged_chunks() == 1);
    }
}

TEST_CASE("rubbish between chunks, of any length") {
    for (std::size_t length : {8, 64, 72, 4096, 65536, 65536 - 64, 200'000}) {
        TraceFileBuilder trace = five_chunks();
        const std::string before = trace.bytes.substr(0, trace.chunk_starts[4]);
        const std::string after = trace.bytes.substr(trace.chunk_starts[4]);
        TemporaryTrace file(before + std::string(length, '\0') + after);
        INFO(length);
        CHECK(whole_chunks(file.reader) == Nodes{1, 2, 3, 4, 5});
        CHECK(file.reader.damaged_chunks() == 1);
    }
}

TEST_CASE("events that look like headers are not taken for headers") {
    // The payload of the damaged chunk contains a header that is right except for its checksum.
    TraceFileBuilder trace = five_chunks();
    ChunkHeader header;
    std::memcpy(&header, trace.bytes.data() + trace.chunk_starts[5], sizeof header);
    header.bytes = 8;
    std::memcpy(trace.bytes.data() + trace.chunk_starts[4] + sizeof header + 16, &header,
                sizeof header);
    trace.bytes[trace.chunk_starts[4]] = 'X';
    TemporaryTrace file(trace.bytes);
    CHECK(whole_chunks(file.reader) == Nodes{1, 2, 4, 5});
    CHECK(file.reader.damaged_chunks() == 1);
}

TEST_CASE("files that are not traces") {
    CHECK_FALSE(TemporaryTrace("").opened);
    CHECK_FALSE(TemporaryTrace(std::string(100'000, 'x')).opened);
    TraceFileReader reader;
    CHECK_FALSE(reader.open("/no/such/file"));
    CHECK(reader.error() == "No such file or directory");
    TraceFileReader folder;
    CHECK_FALSE(folder.open("."));
    CHECK(folder.error() == "is not a vftrace trace");
}

TEST_CASE("random damage: the reader ends, and what it loads is right") {
    const TraceFileBuilder sound = five_chunks();
    std::mt19937 random(7);
    for (int i = 0; i < 2000; i++) {
        std::string bytes = sound.bytes;
        for (int j = 0; j < 1 + i % 5; j++)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        TemporaryTrace file(bytes);
        for (std::uint32_t node : whole_chunks(file.reader))
            CHECK((node >= 1 && node <= event_chunks));
    }
}

TEST_CASE("a file full of headers that each claim the whole file does not take forever") {
    std::string bytes;
    ChunkHeader header{};
    std::memcpy(header.magic, chunk_magic, sizeof chunk_magic);
    header.version = trace_file_version;
    constexpr std::size_t headers = 20'000;
    for (std::size_t i = 0; i < headers; i++) {
        header.bytes = (headers - i - 1) * sizeof header - 8;
        bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
    }
    TemporaryTrace file(bytes);
    CHECK_FALSE(file.opened);
}

TEST_CASE("words: holes, unfinished records and records that are cut off") {
    struct Counts {
        int events = 0, records = 0;
        void event(WordKind, std::uint32_t, std::uint64_t) { events++; }
        void record(RecordKind, std::uint32_t, std::span<const std::uint64_t>) { records++; }
    };
    EventWords events;
    events.hole().enter(1, 5).hole().record(RecordKind::unfinished, 0, {1, 2, 3}).exit(1, 7);
    Counts counts;
    CHECK(visit_words(events.words, counts));
    CHECK(counts.events == 2);
    CHECK(counts.records == 1);
    events.words.push_back(record_word(RecordKind::message, 6, 0));
    Counts again;
    CHECK_FALSE(visit_words(events.words, again));
    CHECK(again.events == 2);
    // Kind `none` with something else in the word.
    Counts strange;
    CHECK_FALSE(visit_words(std::vector<std::uint64_t>{8}, strange));
}
