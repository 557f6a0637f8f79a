// Reads the chunks of a .tmpvfd file. Nothing in it is trusted: damaged and truncated parts are
// left out, and reading continues with the next complete chunk.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record/trace_file.hpp"
#include "record/trace_words.hpp"

namespace vftrace {

// The data of each chunk that are kept in memory: 40 bytes.
struct TraceChunk {
    std::uint64_t offset;  // of the payload
    std::uint64_t bytes;
    std::uint64_t base_ticks;
    std::uint32_t thread;
    std::uint32_t messages;  // about this many
    ChunkKind kind;
    bool damaged;  // all or part of its payload could not be used
};

class TraceFileReader {
  public:
    TraceFileReader() = default;
    ~TraceFileReader();
    TraceFileReader(const TraceFileReader&) = delete;
    TraceFileReader& operator=(const TraceFileReader&) = delete;

    // Opens the file and finds its chunks; only reads the headers, unless something is damaged.
    // Returns false and sets error() if the file cannot be read or does not have a chunk. To be
    // called once.
    bool open(const std::string& path);
    // The same for a file that is open, of which the reader makes a descriptor of its own.
    bool open(int descriptor);
    const std::string& error() const { return error_; }

    // In the order of the file, which is the order of time for the chunks of one thread.
    const std::vector<TraceChunk>& chunks() const { return chunks_; }
    std::uint64_t file_bytes() const { return file_bytes_; }
    // The latest reading of both clocks in a chunk's header.
    std::uint64_t latest_ticks() const { return latest_ticks_; }
    std::uint64_t latest_ns() const { return latest_ns_; }

    // Reads the payload of chunks()[chunk]. Returns false and notes the damage if it is damaged.
    // The span is valid until `buffer` is used again.
    bool load(std::size_t chunk, std::vector<std::uint64_t>& buffer,
              std::span<const std::uint64_t>& words);

    // Notes that a part of the chunk was invalid.
    void note_damage(std::size_t chunk) { chunks_[chunk].damaged = true; }
    // Chunks that were left out, wholly or in part, so far.
    std::uint64_t damaged_chunks() const;

  private:
    bool examine();
    bool read_at(std::uint64_t offset, void* data, std::size_t bytes) const;
    bool header_at(std::uint64_t offset, ChunkHeader& header) const;
    bool is_sound(std::uint64_t offset, const ChunkHeader& header);
    bool follows_chunk_or_ends(std::uint64_t offset) const;
    std::uint64_t next_sound_chunk(std::uint64_t offset, ChunkHeader& header);
    void add(std::uint64_t offset, const ChunkHeader& header);
    void find_chunks();
    bool unpack(std::uint64_t bytes, std::vector<std::uint64_t>& buffer, std::size_t& count) const;

    std::vector<std::uint64_t> packed_;  // payload of the chunk that was loaded last
    int descriptor_ = -1;
    std::uint64_t file_bytes_ = 0;
    std::uint64_t latest_ticks_ = 0, latest_ns_ = 0;
    std::uint64_t lost_pieces_ = 0;  // of the file, between chunks
    std::uint64_t search_budget_ = 0;
    std::vector<TraceChunk> chunks_;
    std::vector<std::uint64_t> search_buffer_;
    std::string error_;
};

// Calls visitor.event(kind, node, ticks) and visitor.record(kind, detail, words) for the words of
// an event chunk; `ticks` count from its base. Returns false if the words end within a record.
template <class Visitor>
inline bool visit_words(std::span<const std::uint64_t> words, Visitor& visitor) {
    const std::size_t size = words.size();
    for (std::size_t i = 0; i < size; i++) {
        const std::uint64_t word = words[i];
        const WordKind kind = word_kind(word);
        if (kind == WordKind::enter || kind == WordKind::exit) {
            visitor.event(kind, word_node(word), word_ticks(word));
        } else if (kind == WordKind::record) {
            const std::uint64_t length = record_words(word);
            if (length > size - i - 1)
                return false;
            visitor.record(record_kind(word), record_detail(word), words.subspan(i + 1, length));
            i += length;
        } else if (word != 0) {
            return false;
        }
    }
    return true;
}

// Reads the fixed part of a record. Returns false if the record is shorter.
template <class Record>
inline bool read_record(std::span<const std::uint64_t> words, Record& record) {
    static_assert(sizeof(Record) % sizeof(std::uint64_t) == 0);
    if (words.size_bytes() < sizeof record)
        return false;
    __builtin_memcpy(static_cast<void*>(&record), words.data(), sizeof record);
    return true;
}

}  // namespace vftrace
