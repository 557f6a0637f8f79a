// Which files this process's descriptors are.
//
// A descriptor is looked at when it is used for the first time, so that those are known too that
// the program was started with, or got in any other way. When it is closed, it is forgotten.
#pragma once

#include <cstdint>

#include "record/file_rows.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// A descriptor that has been looked at. Written by any thread, by relaxed atomics; all zero: it has
// not been.
struct OpenFile {
    const FileRecord* file;
    std::uint64_t position;  // where the next call without an offset begins
    std::uint64_t end;       // of the last call that read or wrote
};

// To be called before descriptors are used. Returns false without memory.
bool prepare_open_files();
// In a child of fork: its files have records of their own.
void forget_files();

// nullptr: it has not been looked at.
OpenFile* known_open_file(int descriptor);
// The same, and looks at it. nullptr: there is none, or no memory. The thread is in its slow path.
OpenFile* open_file(ThreadState& state, int descriptor);
// The folder of a path, for calls that do not have a descriptor; nullptr without memory. The thread
// is in its slow path.
const FileRecord* folder_of(ThreadState& state, const char* path);

// These descriptors may be other files from now on. Async-signal-safe.
void forget_descriptors(unsigned first, unsigned last);
// How often that was called.
extern std::uint32_t forgotten_descriptors;

}  // namespace vftrace
