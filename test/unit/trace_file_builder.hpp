// Helpers for writing traces: the chunks of a .tmpvfd file as a process would have written them,
// optionally damaged.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "record/node.hpp"
#include "record/packed_words.hpp"
#include "record/trace_file.hpp"
#include "record/trace_words.hpp"

namespace vftrace::test {

// The words of one chunk of events.
class EventWords {
  public:
    explicit EventWords(std::uint64_t base_ticks = 0) : base(base_ticks) {}

    EventWords& enter(std::uint32_t node, std::uint64_t ticks) {
        words.push_back(event_word(WordKind::enter, node, ticks - base));
        return *this;
    }
    EventWords& exit(std::uint32_t node, std::uint64_t ticks) {
        words.push_back(event_word(WordKind::exit, node, ticks - base));
        return *this;
    }
    EventWords& hole() {
        words.push_back(0);
        return *this;
    }
    EventWords& record(RecordKind kind, std::uint32_t detail,
                       const std::vector<std::uint64_t>& content) {
        words.push_back(record_word(kind, content.size(), detail));
        words.insert(words.end(), content.begin(), content.end());
        return *this;
    }
    template <class Record>
    static std::vector<std::uint64_t> content_of(const Record& record) {
        std::vector<std::uint64_t> content(sizeof record / 8);
        std::memcpy(content.data(), &record, sizeof record);
        return content;
    }
    EventWords& message(std::uint32_t thread, const MessageRecord& record) {
        note_message(record.start);
        return this->record(RecordKind::message, thread, content_of(record));
    }
    EventWords& fan(std::uint32_t thread, const FanRecord& record) {
        note_message(record.start);
        return this->record(RecordKind::fan, thread, content_of(record));
    }
    EventWords& fan_counts(std::uint32_t thread, const FanRecord& record,
                           const std::vector<PeerCount>& counts) {
        note_message(record.start);
        std::vector<std::uint64_t> content = content_of(record);
        for (const PeerCount& count : counts)
            for (std::uint64_t word : content_of(count))
                content.push_back(word);
        return this->record(RecordKind::fan_counts, thread, content);
    }
    EventWords& communicator(CommunicatorRecord record, std::vector<std::int32_t> ranks) {
        record.count = static_cast<std::uint32_t>(ranks.size());
        ranks.resize((ranks.size() + 1) / 2 * 2);
        std::vector<std::uint64_t> content = content_of(record);
        content.resize(content.size() + ranks.size() / 2);
        if (!ranks.empty())
            std::memcpy(content.data() + sizeof record / 8, ranks.data(), ranks.size() * 4);
        return this->record(RecordKind::communicator, 0, content);
    }
    // Adds a message that was completed by another call.
    EventWords& completed_message(std::uint32_t thread, const MessageRecord& record,
                                  const CompletionRecord& completion) {
        note_message(record.start);
        return completed(RecordKind::message, thread, record, completion);
    }
    EventWords& collective(std::uint32_t thread, const CollectiveRecord& record) {
        note_message(record.start);
        return this->record(RecordKind::collective, thread, content_of(record));
    }
    EventWords& completed_collective(std::uint32_t thread, const CollectiveRecord& record,
                                     const CompletionRecord& completion) {
        note_message(record.start);
        return completed(RecordKind::collective, thread, record, completion);
    }
    EventWords& group(GroupRecord record, std::vector<std::int32_t> ranks) {
        record.count = static_cast<std::uint32_t>(ranks.size());
        ranks.resize((ranks.size() + 1) / 2 * 2);
        std::vector<std::uint64_t> content = content_of(record);
        content.resize(content.size() + ranks.size() / 2);
        if (!ranks.empty())
            std::memcpy(content.data() + sizeof record / 8, ranks.data(), ranks.size() * 4);
        return this->record(RecordKind::group, 0, content);
    }
    EventWords& gap(RecordKind kind, std::uint64_t start, std::uint64_t end, std::uint64_t events) {
        return record(kind, 0, {start, end, events});
    }

    std::uint64_t base;
    std::vector<std::uint64_t> words;
    std::uint32_t messages = 0;
    std::uint64_t first_message = ~std::uint64_t{0};

  private:
    template <class Record>
    EventWords& completed(RecordKind kind, std::uint32_t thread, const Record& record,
                          const CompletionRecord& completion) {
        std::vector<std::uint64_t> content = content_of(record);
        for (const std::uint64_t word : content_of(completion))
            content.push_back(word);
        return this->record(kind, thread, content);
    }
    void note_message(std::uint64_t start) {
        messages++;
        first_message = std::min(first_message, start);
    }
};

// The contents of a `paths` chunk. Regions need no files to have names.
struct TracedPath {
    TracePath path;
    std::string text;
};

class TraceFileBuilder {
  public:
    TraceFileBuilder() {
        process.pid = 4711;
        process.start_unix_ns = 1'700'000'000'000'000'000;
        process.start_ticks = 1000;
        process.start_ns = 5'000'000;
        process.ranks = 1;
        texts = {"program", "program -x", "node7", "/tmp/program_", "", "", "{}"};
    }

    void add_chunk(ChunkHeader header, std::string payload) {
        payload.resize((payload.size() + 7) / 8 * 8);
        std::vector<std::uint64_t> words(payload.size() / 8);
        if (!words.empty())
            std::memcpy(words.data(), payload.data(), payload.size());
        std::memcpy(header.magic, chunk_magic, sizeof chunk_magic);
        header.version = trace_file_version;
        header.bytes = payload.size();
        header.checksum = chunk_checksum(header, words.data());
        chunk_starts.push_back(bytes.size());
        append(header);
        bytes += payload;
    }

    // Adds the contents of `process` and `texts`.
    void add_process() {
        std::string payload(reinterpret_cast<const char*>(&process), sizeof process);
        for (const std::string& text : texts)
            payload += text + '\0';
        add_chunk(header_of(ChunkKind::process), payload);
    }
    void add_module(std::uint32_t index, const std::string& path) {
        const TraceModule module{index, static_cast<std::uint32_t>(path.size()), {}};
        add_chunk(header_of(ChunkKind::modules),
                  std::string(reinterpret_cast<const char*>(&module), sizeof module) + path);
    }
    void add_paths(const std::vector<TracedPath>& paths) {
        std::string payload;
        for (TracedPath described : paths) {
            described.path.text_bytes = static_cast<std::uint32_t>(described.text.size());
            payload.append(reinterpret_cast<const char*>(&described.path), sizeof(TracePath));
            payload += described.text;
            payload.resize((payload.size() + 7) / 8 * 8);
        }
        add_chunk(header_of(ChunkKind::paths), payload);
    }
    void add_events(std::uint32_t thread, const EventWords& events) {
        ChunkHeader header = header_of(ChunkKind::events);
        header.thread = thread;
        header.base_ticks = events.base;
        header.messages = events.messages;
        header.first_message_ticks = events.messages ? events.first_message : 0;
        std::vector<unsigned char> packed(events.words.size() * 9 + 64);
        const PackedWords done =
            pack_words(events.words.data(), events.words.size(), packed.data(), packed.size());
        const std::uint64_t kept = done.kept;
        add_chunk(header,
                  std::string(reinterpret_cast<const char*>(&kept), sizeof kept) +
                      std::string(packed.begin(),
                                  packed.begin() + static_cast<std::ptrdiff_t>(done.bytes)));
    }
    void add_clocks(const TraceClocks& clocks) {
        add_chunk(header_of(ChunkKind::clocks),
                  std::string(reinterpret_cast<const char*>(&clocks), sizeof clocks));
    }
    void add_end() { add_chunk(header_of(ChunkKind::end), ""); }

    void write(const std::string& path) const { std::ofstream(path, std::ios::binary) << bytes; }

    static TracedPath root(std::uint32_t thread, std::uint32_t made_by = no_target,
                           std::uint32_t made_below = no_target, const std::string& name = "",
                           std::uint8_t flags = 0) {
        TracePath path{};
        path.thread = thread;
        path.kind = static_cast<std::uint8_t>(NodeKind::root);
        path.flags = flags;
        path.module = no_module;
        path.target_thread = made_by;
        path.target_number = made_below;
        path.body_offset = static_cast<std::int32_t>(100 + thread);
        return {path, name};
    }
    static TracedPath node(std::uint32_t thread, std::uint32_t number, std::uint32_t parent,
                           NodeKind kind, const std::string& text = "", std::uint64_t key = 0) {
        TracePath path{};
        path.thread = thread;
        path.number = number;
        path.parent = parent;
        path.kind = static_cast<std::uint8_t>(kind);
        path.module = no_module;
        path.key = key;
        path.target_thread = path.target_number = no_target;
        return {path, text};
    }
    static TracedPath region(std::uint32_t thread, std::uint32_t number, std::uint32_t parent,
                             const std::string& name) {
        return node(thread, number, parent, NodeKind::region, name);
    }
    static TracedPath graft(std::uint32_t thread, std::uint32_t number, std::uint32_t parent,
                            std::uint32_t target_thread, std::uint32_t target_number) {
        TracedPath described = node(thread, number, parent, NodeKind::graft);
        described.path.target_thread = target_thread;
        described.path.target_number = target_number;
        return described;
    }

    TraceProcess process{};
    std::vector<std::string> texts;                      // in the order of TraceText
    std::uint64_t now_ticks = 1000, now_ns = 5'000'000;  // for the headers of further chunks
    std::string bytes;
    std::vector<std::size_t> chunk_starts;

  private:
    static constexpr std::uint16_t no_module = 0xffff;

    ChunkHeader header_of(ChunkKind kind) const {
        ChunkHeader header{};
        header.kind = kind;
        header.ticks = now_ticks;
        header.ns = now_ns;
        return header;
    }
    template <class Object>
    void append(const Object& object) {
        bytes.append(reinterpret_cast<const char*>(&object), sizeof object);
    }
};

}  // namespace vftrace::test
