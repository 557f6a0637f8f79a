// The mark of a running process: a copy of its tree file, from which figures since that moment are
// counted. It is next to the tree file ("FILE.tree.mark") and is removed with it.
//
// The mark of another user's process, which only root can set, is in a directory of root's, $TMPDIR
// or /tmp: in that of the process, its user could redirect what is written. Each user sees only
// marks of their own.
//
// The copy is the tree file as it was read, except for the values in its header about the end:
// end_ticks, end_unix_ns, latest and processor_ns are those of the moment of the mark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recover/file_image.hpp"

namespace vftrace {

// The name of this user's mark that belongs to a tree file.
std::string mark_file_of(const std::string& tree_file);

// Sets the mark of the process `pid` (in the process namespace of the caller), replacing an earlier
// one. The process is neither signalled nor stopped, and its file is only read. The mark has the
// permissions of the tree file, or those of a private file, and appears complete or not at all.
// Throws TreeFileError if the process is about to end, or the mark cannot be written.
void write_mark(const std::string& tree_file, std::int64_t pid);

// The mark of the process of the record in `tree_file`. Throws TreeFileError if there is none, if
// it belongs to another process, user or version of vftrace, or if it is damaged.
FileImage read_mark(const std::string& tree_file, const ProcessRecord& process);

// Whether there is a mark of that process.
bool has_mark(const std::string& tree_file, const ProcessRecord& process);

// Distinguishes marks that are set one after the other; nothing if there is none.
struct MarkStamp {
    std::uint64_t inode = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const MarkStamp&) const = default;
};
std::optional<MarkStamp> mark_stamp(const char* mark_file);

// Removes this user's mark of a tree file if there is one.
void remove_mark(const std::string& tree_file);

// Removes this user's marks in these directories of processes that have ended and left no tree
// file: those of other users' processes.
void remove_stale_marks(const std::vector<std::string>& directories);

}  // namespace vftrace
