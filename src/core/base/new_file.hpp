// A file that gets its name when it is complete. All files for users are written this way.
//
// Until then it is called ".vftrace-<pid>-<number>.part" and is in the same directory; it is
// removed if anything fails. Devices and pipes are written to directly, and so is an existing file
// in a directory where a new file cannot be created; that file is emptied if anything fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/directories.hpp"

namespace vftrace {

// The first failure.
struct FileFailure {
    int error = 0;  // errno; 0: no failure
    std::string path;
};

// Uses only system calls, because the program may have closed stdio or every descriptor. A limit on
// the size of files is an error like a full disk.
class NewFile {
  public:
    // Begins to write a file with the final name `path`, which replaces an existing one. Symbolic
    // links are followed as in behind_links(). After the first error nothing more is written. Never
    // returns nullptr.
    static std::unique_ptr<NewFile> create(const std::string& path);
    // Begins to write a file with this name in an open directory, and nowhere else: a link or
    // anything else with this name is replaced, and a name with a '/' is an error.
    static std::unique_ptr<NewFile> create_in(const OutputFolder& folder, const std::string& name);
    // Without publish() nothing is left behind.
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void write_at(std::uint64_t offset, const char* data, std::size_t bytes);
    // Writes after everything that was appended before.
    void append(std::string_view data);

    // Ends writing. Returns 0 or the errno of the first failure.
    int finish();
    // Gives the file its name, or removes it if anything failed. Returns the same as finish().
    int publish();

    // errno of the first failure so far; 0 if none.
    int error() const { return error_; }
    const std::string& path() const { return path_; }

  private:
    explicit NewFile(const std::string& path);
    void open();
    void open_in_folder();
    bool hold_folder();
    void open_part();
    void open_in_place(int flags);
    void keep_failure(int error);
    void drop();

    std::string path_;    // as requested
    std::string target_;  // after following links; relative to folder_
    int folder_ = AT_FDCWD;
    bool owns_folder_ = false;
    std::string part_;  // its name until it is complete; empty: written in place
    std::uint64_t appended_ = 0;
    int descriptor_ = -1;
    int error_ = 0;
    int process_;  // that creates it: a child of fork leaves the file alone
    bool published_ = false;
    bool is_regular_ = true;
    NewFile* next_ = nullptr;  // in the list of all unpublished files
    friend void drop_unfinished_files();
};

// Removes files that were begun and abandoned because memory ran out (base/guarded.hpp):
// destructors are not called then.
void drop_unfinished_files();

// Files that are published together.
class NewFiles {
  public:
    NewFiles() = default;
    // Names are relative to this directory, which must stay open. `are_confined`: no file may be
    // anywhere else.
    NewFiles(OutputFolder folder, bool are_confined)
        : folder_(std::move(folder)), are_confined_(are_confined) {}

    // Begins to write a file with this name.
    std::unique_ptr<NewFile> create(const std::string& name) const;
    bool are_confined() const { return are_confined_; }
    // Takes a file that has been finished.
    void add(std::unique_ptr<NewFile> file);
    // The first failure so far.
    const FileFailure& failure() const { return failure_; }
    // Gives all complete files their names; returns failure().
    const FileFailure& publish();
    // The names of the files that have been published.
    const std::vector<std::string>& paths() const { return paths_; }

  private:
    void note(const NewFile& file, int error);

    OutputFolder folder_;
    bool are_confined_ = false;
    std::vector<std::unique_ptr<NewFile>> files_;
    std::vector<std::string> paths_;
    FileFailure failure_;
};

// The beginning of the names of a process's unfinished files.
std::string part_prefix(std::int64_t pid);

}  // namespace vftrace
