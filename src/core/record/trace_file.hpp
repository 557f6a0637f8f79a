// The file that contains a trace while the program runs, "<base><pid>.tmpvfd": a sequence of
// self-contained chunks. If the process dies, what it has written can be read; the last chunk may
// be cut off.
//
//   file:   ChunkHeader, payload, ChunkHeader, payload, ...
//
// Everything needed to name the paths is in the file: a node's path is written before its first
// event. Integers have the machine's byte order. Readers trust nothing in the file
// (vfd/trace_file_reader.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fnv.hpp"
#include "record/file_id.hpp"

namespace vftrace {

inline constexpr char chunk_magic[4] = {'V', 'F', 'T', 'C'};
inline constexpr std::uint16_t trace_file_version = 3;

enum class ChunkKind : std::uint16_t {
    process,     // TraceProcess and texts; the first chunk, and again when more is known: the last
                 // counts
    modules,     // TraceModule and its path, repeated
    paths,       // TracePath and its text, repeated
    events,      // how many words, and the words of one thread, packed (record/packed_words.hpp)
    clocks,      // TraceClocks; the last one counts
    end,         // empty: the trace is complete
    device_work  // what devices did: the records of record/device_records.hpp
};

struct ChunkHeader {
    char magic[4];
    std::uint16_t version;
    ChunkKind kind;
    std::uint64_t bytes;                // of the payload, a multiple of 8
    std::uint64_t checksum;             // chunk_checksum(); set last
    std::uint32_t thread;               // for events: ThreadRecord::number
    std::uint32_t messages;             // for events: number of records that are messages or fans
    std::uint64_t base_ticks;           // for events
    std::uint64_t first_message_ticks;  // earliest start of a message; only if there are messages
    std::uint64_t ticks, ns;            // on both clocks, when the chunk was written
};
static_assert(sizeof(ChunkHeader) == 64);

// Fixed part of a process chunk. Texts follow it, each with its NUL: application, command line,
// host, output base (with suffixes, but without the one for the file's kind), job, source of the
// configuration, the whole configuration as JSON.
struct TraceProcess {
    std::int64_t pid;
    std::int64_t start_unix_ns;           // of recording
    std::uint64_t start_ticks, start_ns;  // of recording, on both clocks
    std::int64_t sample_interval_ns;
    std::uint32_t rank, ranks;
    std::uint32_t uses_mpi;
    std::uint32_t counters;        // number of values in a RecordKind::readings
    std::uint8_t processor_ticks;  // false: all ticks are nanoseconds
    std::uint8_t forked;
    std::uint8_t unused[6];
};
static_assert(sizeof(TraceProcess) == 64);

// Texts in modules and paths are padded with zeros to a multiple of 8 bytes; `text_bytes` is their
// length before that.
struct TraceModule {
    std::uint32_t index;  // Node::module
    std::uint32_t text_bytes;
    FileId id;
};

// The position of a path in a thread's tree.
struct TracePath {
    std::uint32_t thread, number;  // Node::number
    std::uint32_t parent;          // number; for a root its own
    std::uint8_t kind;             // NodeKind
    std::uint8_t flags;            // for a root: 1 if the thread is an OpenMP worker
    std::uint16_t module;          // index of the module, or no_module
    std::uint64_t key;     // MPI: mpi_key. OpenMP: the construct. CUDA: gpu_call_id. Others: 0
    std::uint64_t offset;  // functions and OpenMP: address of the code - load bias. Others: 0
    // Grafts: the node that it represents; aliases: the path into which it is folded; roots: the
    // node below which the thread was created (target_thread no_target: none).
    std::uint32_t target_thread, target_number;
    std::int32_t body_offset;  // functions: as in Node. Roots: the kernel's number of the thread
    std::uint32_t text_bytes;  // regions: the name. CUDA: the symbol. Roots: the name of the thread
};
static_assert(sizeof(TracePath) == 48);
inline constexpr std::uint32_t no_target = 0xffffffff;

// How the clock of this rank differs from that of rank 0, measured through MPI twice.
struct TraceClocks {
    struct Reading {
        std::uint64_t ns;        // own CLOCK_MONOTONIC
        std::int64_t offset_ns;  // to be added to `ns` to get the time of rank 0
        std::int64_t error_ns;   // half the fastest round trip
        std::uint64_t measured;  // 0: not measured
    } begin, end;
};

// Checksum of whole words: FNV-1a over 64-bit words (http://www.isthe.com/chongo/tech/comp/fnv/) in
// four lanes, so that it costs less than writing them.
inline std::uint64_t word_checksum(const void* memory, std::size_t bytes) {
    const auto* words = static_cast<const std::uint64_t*>(memory);
    std::uint64_t lanes[4] = {fnv_basis, fnv_basis + 1, fnv_basis + 2, fnv_basis + 3};
    std::size_t count = bytes / sizeof *words;
    for (std::size_t i = 0; i < count; i++)
        lanes[i & 3] = fnv1a(lanes[i & 3], words[i]);
    std::uint64_t hash = lanes[0] * fnv_prime;
    for (int i = 1; i < 4; i++)
        hash = fnv1a(hash, lanes[i]);
    return hash;
}

// Checksum of a chunk with this payload and this header, except for the checksum in the header.
inline std::uint64_t chunk_checksum(ChunkHeader header, const void* payload) {
    header.checksum = word_checksum(payload, header.bytes);
    return word_checksum(&header, sizeof header);
}

}  // namespace vftrace
