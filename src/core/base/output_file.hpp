// Text that is written sequentially in bounded memory, with one error check at the end.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/new_file.hpp"

namespace vftrace {

class OutputFile {
  public:
    // A file that replaces an existing one of this name when it is closed, if nothing has failed.
    // On failure error() is set and everything written is dropped.
    explicit OutputFile(const std::string& path);
    // The same, but `together` creates the file, and close() passes it to `together`; its publish()
    // gives the file its name.
    OutputFile(const std::string& path, NewFiles& together);
    // The same for a file that is somewhere else.
    OutputFile(std::unique_ptr<NewFile> file, NewFiles& together);
    // Writes to a descriptor that stays open (stdout of a tool).
    explicit OutputFile(int descriptor);
    // Appends to a text, which close() completes.
    explicit OutputFile(std::string& text) : text_(&text) {}
    // Leaves nothing behind of a file that has not been closed.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // From now on blanks at the end of a line are left out.
    void leave_out_trailing_blanks() { keeps_trailing_blanks_ = false; }

    void write(std::string_view text);
    [[gnu::format(printf, 2, 3)]] void print(const char* pattern, ...);

    // Writes what is buffered and closes. Returns 0 or the errno of the first failure.
    int close();
    // errno of the first failure so far; 0 if none.
    int error() const { return file_ ? file_->error() : error_; }

  private:
    void append(std::string_view text);
    void flush();
    void write_to_descriptor(std::string_view text);

    static constexpr std::size_t buffer_size = 64 * 1024;
    std::string buffer_;
    std::unique_ptr<NewFile> file_;
    NewFiles* together_ = nullptr;
    std::string* text_ = nullptr;
    int descriptor_ = -1;
    int error_ = 0;  // if there is no file_
    bool keeps_trailing_blanks_ = true;
    std::size_t pending_blanks_ = 0;  // dropped if the line ends here
};

}  // namespace vftrace
