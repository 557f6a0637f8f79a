// What libvftrace_io tells libvftrace about calls that work with files: functions that the latter
// hands over to vftrace_watch_io() of the former, whose wrappers call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "record/io_functions.hpp"

namespace vftrace {

struct FileRecord;
struct Node;

// Of a call that has returned.
struct IoCall {
    static constexpr long long at_position = -1, nowhere = -2;

    IoFunction function;
    std::uintptr_t stack;              // the frame of the wrapper
    int descriptor = -1;               // -1: none, or it is not known any longer
    const FileRecord* file = nullptr;  // what the descriptor was, if it is closed now
    int target = -1;             // of a copy: the descriptor to which the bytes went that were read
    const char* path = nullptr;  // without a descriptor; nullptr: not known
    long long offset = nowhere;  // at_position: where the descriptor is
    long long read = 0, written = 0;  // bytes
    bool failed = false;
    FILE* stream = nullptr;
};

struct IoCalls {
    // The code of libvftrace, whose own calls are not the program's; 0: it is part of the program's
    // file.
    std::uintptr_t own_begin = 0, own_end = 0;
    // A call begins: returns its node, nullptr if it is not recorded. `stack`: the frame of the
    // wrapper.
    const Node* (*begins)(IoFunction function, std::uintptr_t stack) = nullptr;
    void (*ended)(const Node* node, const IoCall& call) = nullptr;
    // A call of a stream that did not need the system. `bytes` were read, or written.
    void (*counted)(IoFunction function, FILE* stream, std::size_t bytes) = nullptr;
    // What the descriptor is, nullptr if it has not been used yet.
    const FileRecord* (*file_of)(int descriptor) = nullptr;
    // From now on these descriptors may be other files.
    void (*closed)(unsigned first, unsigned last) = nullptr;
    // libvftrace itself has read or written this many bytes.
    void (*own)(std::size_t read, std::size_t written) = nullptr;
    // The descriptor is at this offset.
    void (*moved)(int descriptor, long long offset) = nullptr;
};

using WatchIo = void(const IoCalls* wanted);

}  // namespace vftrace
