// What the calls of each path did with each file: as stored in memory with a thread's tree, and in
// the tree file.
//
//   ProcessRecord::files -> FileRecord -> FileRecord ...                   the newest first
//                              ^
//   ThreadRecord::files.first -> FileRow -> FileRow ...                    in the order of creation
#pragma once

#include <cstdint>
#include <iterator>

#include "base/mapped_table.hpp"
#include "record/file_kinds.hpp"
#include "record/node.hpp"

namespace vftrace {

// Complete before it is listed.
struct FileRecord {
    FileRecord* next;
    const char* name;    // a path, as the kernel has it or as the program wrote it; of a folder and
                         // of what stands for all files in one, it ends with '/'
    std::uint64_t hash;  // of name and kind
    std::uint64_t file_system;  // statfs::f_type; 0: not known
    std::uint32_t block;        // stat::st_blksize; 0: not known
    FileKind kind;
};

// Ranges of sizes, in bytes: below the first, from there to below the second, ... (those of
// Darshan's POSIX_SIZE_READ_0_100 and so on, documentation of darshan-util).
inline constexpr std::uint64_t size_limits[] = {100,     1 << 10,  10 << 10,  100 << 10, 1 << 20,
                                                4 << 20, 10 << 20, 100 << 20, 1 << 30};
inline constexpr std::size_t size_ranges = std::size(size_limits) + 1;

// Written only by its thread, by relaxed atomics, so that another thread can read it at any time.
struct FileRow {
    const Node* node;  // of the call (NodeKind::io), in the thread's tree
    const FileRecord* file;
    FileRow* next_created;
    std::uint64_t calls;     // that were timed
    std::uint64_t buffered;  // others, whose bytes were in the stream's buffer or fitted there
    std::uint64_t failed;    // of `calls`
    std::uint64_t bytes_read, bytes_written;
    std::uint64_t ticks, longest;
    std::uint64_t first, last;  // ticks: begin of the first timed call, end of the last
    // Calls with an offset, and of them those that began at or after the end of the previous call
    // with this descriptor, exactly there, and not at the beginning of a block.
    std::uint64_t placed, sequential, consecutive, unaligned;
    std::uint64_t sizes[size_ranges];  // of the timed calls that moved bytes
};

// An entry of the table in which FileRow objects are found.
struct FileRowIndex {
    FileRow* row;

    struct Key {
        const Node* node;
        const FileRecord* file;

        bool operator==(const Key&) const = default;
    };
    Key key() const { return {row->node, row->file}; }
    FileRow*& mark() { return row; }
    bool is(const Key& wanted) const { return key() == wanted; }
    static std::uint64_t hash(const Key& wanted) {
        constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
        const auto node = reinterpret_cast<std::uintptr_t>(wanted.node),
                   file = reinterpret_cast<std::uintptr_t>(wanted.file);
        return (node * factor + file) * factor >> 32;
    }
};

struct ThreadFiles {
    // Used only by its thread; lock-free because a signal handler may add a row while it is read.
    MappedTable<FileRowIndex, Readers::lock_free> index;
    FileRow* first;
    FileRow* newest;
    std::uint32_t rows;
};

// Of one thread. Further ones are combined to one for each call path.
inline constexpr std::uint32_t most_file_rows = 32768;
// Of one process. Further files are combined by folder, and further folders to one.
inline constexpr std::uint32_t most_files = 1024, most_file_folders = 2048;

}  // namespace vftrace
