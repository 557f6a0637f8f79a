// A file that appears under its name when it is complete. All files for users are written this way.
//
// Until then it is called ".vftrace-<pid>-<number>.part" and lies in the same directory; it is
// removed if anything goes wrong. Devices and pipes are written to directly, and so is an existing
// file in a directory where no new file can be made; it is emptied if anything goes wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

// The first thing that went wrong.
struct FileFailure {
    int error = 0;  // errno; 0: nothing went wrong
    std::string path;
};

// Made of system calls: the program may have closed stdio or every descriptor. A limit on the size
// of files is an error like a full disk.
class NewFile {
  public:
    // Begins to write a file that is to be called `path`, in place of one that may lie there.
    // Symbolic links are followed as behind_links() says. After the first error nothing more is
    // written. Never nullptr.
    static std::unique_ptr<NewFile> create(const std::string& path);
    // Without publish() nothing is left.
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    void write_at(std::uint64_t offset, const char* data, std::size_t bytes);
    // At the end of all that was appended before.
    void append(std::string_view data);

    // Writes no more. Returns 0 or the errno of the first failure.
    int finish();
    // Gives the file its name, or removes it if anything went wrong. Returns as above.
    int publish();

    // errno of the first failure so far, 0 if none.
    int error() const { return error_; }
    const std::string& path() const { return path_; }

  private:
    explicit NewFile(const std::string& path);
    void open();
    void open_part();
    void open_in_place(int flags);
    void keep_failure(int error);
    void drop();

    std::string path_;    // as it was requested
    std::string target_;  // behind links
    std::string part_;    // its name until it is whole; empty: written in place
    std::uint64_t appended_ = 0;
    int descriptor_ = -1;
    int error_ = 0;
    int process_;  // that makes it: a child of fork leaves it alone
    bool published_ = false;
    bool is_regular_ = true;
    NewFile* next_ = nullptr;  // of all that are not published
    friend void drop_unfinished_files();
};

// Removes what was begun and left, where memory has run out (base/guarded.hpp): no destructor is
// called then.
void drop_unfinished_files();

// Files that are to appear together.
class NewFiles {
  public:
    // Takes a file that has been finished.
    void add(std::unique_ptr<NewFile> file);
    // The first failure so far.
    const FileFailure& failure() const { return failure_; }
    // Gives all that are whole their names; returns failure().
    const FileFailure& publish();
    // The names of those that have been published.
    const std::vector<std::string>& paths() const { return paths_; }

  private:
    void note(const NewFile& file, int error);

    std::vector<std::unique_ptr<NewFile>> files_;
    std::vector<std::string> paths_;
    FileFailure failure_;
};

// Where the names of a process's unfinished files in that directory begin.
std::string part_prefix(std::int64_t pid);

}  // namespace vftrace
