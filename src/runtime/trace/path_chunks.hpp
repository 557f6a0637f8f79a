// Describes the paths, files and the process that events refer to, as chunks of a trace file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/trace_file.hpp"

namespace vftrace {

struct ThreadRecord;
struct Node;

// Collects the payload of a chunk, and passes it on when it is full.
class ChunkPayload {
  public:
    using Write = bool (*)(ChunkKind kind, const void* payload, std::size_t bytes);
    ChunkPayload(ChunkKind kind, Write write) : kind_(kind), write_(write) {}

    // Appends a record and the text that belongs to it, which is padded to whole words.
    void add(const void* record, std::size_t bytes, const char* text, std::size_t text_bytes);
    // Passes on what is left. Returns false if something could not be written.
    bool finish();

    static constexpr std::size_t longest_text = 4096;

  private:
    bool hand_on();

    ChunkKind kind_;
    Write write_;
    std::size_t used_ = 0;
    bool failed_ = false;
};

// Writes what has not been described yet: the process (again, if rank or size have become known),
// modules, threads and nodes. Returns false if something could not be written. One caller at a
// time.
bool describe_paths(ChunkPayload::Write write);

// To be called for a new file, which does not contain any descriptions.
void forget_described_paths();

}  // namespace vftrace
