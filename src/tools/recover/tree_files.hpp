// Existing tree files: their names, and those of this user in the usual directories.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

// The process id in "vftrace-<uid>-<pid>-<time>.tree"; nothing for any other name.
std::optional<std::int64_t> pid_in_tree_file_name(std::string_view name);

// A tree file, or a trace (recover/trace_recovery.hpp).
struct TreeFile {
    std::string path;
    std::string problem;  // why it cannot be read; then the members below are not known
    std::int64_t pid = 0;
    std::string application;
    bool running = false;
    bool empty = false;  // the process was killed while it started: there is nothing in the file
    bool elsewhere = false;   // on another host or in another container; it may still run
    std::uint64_t bytes = 0;  // disk space that it takes up
    std::int64_t changed_unix_ns = 0;
};

// Fills in the file system's data about the file with that path. Returns false if it does not
// belong to the user or is a link, because the targets of links must not be removed.
bool describe_own_file(TreeFile& file);

// The directories in which processes of this user put their tree files: the directory of the
// configuration (if `configured` is not empty), $TMPDIR, /tmp and /dev/shm, each once.
std::vector<std::string> usual_directories(const std::string& configured);

// The tree files in these directories that belong to the user, by path.
std::vector<TreeFile> find_tree_files(const std::vector<std::string>& directories);
// The same for marks (mark_file.hpp).
std::vector<TreeFile> find_marks(const std::vector<std::string>& directories);

// Removes a file that belongs to the user, in a directory that is opened first, so that the path
// cannot be made to lead to a different file. Returns 0, also if it is gone, or an errno.
int remove_own_file(const std::string& path);

}  // namespace vftrace
