// A file that is written front to back in bounded memory, with one error check at the end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vftrace {

// Uses open/write/close directly: the program may have closed stdio or every descriptor, and the
// file is opened when there is something to say and closed again at once.
class OutputFile {
  public:
    // Creates or truncates `path`. On failure error() is set and everything written is dropped.
    explicit OutputFile(std::string path);
    // Writes to a descriptor that stays open (stdout of a tool).
    explicit OutputFile(int descriptor);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view text);
    [[gnu::format(printf, 2, 3)]] void print(const char* pattern, ...);

    // Writes what is buffered and closes. Returns 0 or the errno of the first failure.
    int close();
    // errno of the first failure so far, 0 if none.
    int error() const { return error_; }
    const std::string& path() const { return path_; }

  private:
    void flush();

    static constexpr std::size_t buffer_size = 64 * 1024;
    std::string path_;
    std::string buffer_;
    int descriptor_ = -1;
    int error_ = 0;
    bool owns_descriptor_ = true;
};

}  // namespace vftrace
