// The memory that trees live in: a file that outlives the process, or plain memory.
//
// Pieces of the file are written when they are taken, so that a full disk is told here and not by a
// SIGBUS later; where the file cannot grow, anonymous memory serves and the record says
// `incomplete`. No descriptor is kept: programs close those that they do not know. All functions
// are made of system calls only and may be called in signal handlers.
#pragma once

#include <cstddef>

#include "record/process_record.hpp"

namespace vftrace {

struct TreeFileSettings {
    bool active = true;
    const char* directory = nullptr;  // nullptr: the first local one of $TMPDIR, /tmp, /dev/shm
};

// Makes process_record, in a file if that is wanted and possible. Returns false without memory.
// Called again in a child of fork, it makes a new one and leaves the old one alone.
bool start_tree_memory(const TreeFileSettings& settings);

// The name of the file, nullptr if there is none.
const char* tree_file_path();

// Removes the file; what is mapped stays usable.
void remove_tree_file();

// Zeroed memory of whole pages, or nullptr. A MemorySource.
void* map_tree_memory(std::size_t bytes);

// Lets the file lie behind anonymous memory that has not been used yet. Whole pages.
void put_into_tree_file(void* address, std::size_t bytes);

// A copy of the text that readers of the file find; "" without memory.
const char* keep_text(const char* text);

}  // namespace vftrace
