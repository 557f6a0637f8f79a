// Where an export goes: a file, a folder or standard output. For tools.
//
// A file (base/new_file.hpp) or folder appears under its name only when it is complete: until
// finish() a folder is called "NAME.part". It is removed if the export fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/new_file.hpp"

namespace vftrace {

// One line for the user.
class ExportError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

enum class ExportTarget { file, folder };

class ExportOutput {
  public:
    // `name`: "-" for standard output, which a folder cannot be. A file that is there is replaced;
    // a folder must not be there. Throws ExportError, as all functions do when the system refuses.
    ExportOutput(std::string name, ExportTarget target);
    ~ExportOutput();
    ExportOutput(const ExportOutput&) = delete;
    ExportOutput& operator=(const ExportOutput&) = delete;

    // Of a file: appends bytes. They are kept until there is 1 MiB of them.
    void write(std::string_view text) {
        if (text.size() > buffer_bytes - used_) {
            write_through(text);
            return;
        }
        text.copy(buffer_.get() + used_, text.size());
        used_ += text.size();
    }

    // Of a file: room for `bytes` (at most 64 KiB), to be filled from its start; end_of_room says
    // how far. Saves formatted numbers a copy.
    char* room(std::size_t bytes) {
        if (bytes > buffer_bytes - used_)
            flush();
        return buffer_.get() + used_;
    }
    void end_of_room(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.get()); }

    // Of a folder: the name that it has until finish(), to write files into.
    const std::string& folder() const { return part_; }

    // Writes what is kept and gives the output its name.
    void finish();

    // Called now and then with the part that is done, 0 to 1; exporters call progress().
    std::function<void(double)> on_progress;
    void progress(std::uint64_t done, std::uint64_t total) {
        if (on_progress && total > 0)
            on_progress(static_cast<double>(done) / static_cast<double>(total));
    }

    // Remarks for the user that are not errors, one line each: what was assumed or left out.
    std::function<void(const std::string&)> on_remark;
    void remark(const std::string& text) {
        if (on_remark)
            on_remark(text);
    }

  private:
    static constexpr std::size_t buffer_bytes = 1 << 20;

    void flush();
    void write_through(std::string_view text);
    void write_bytes(const char* bytes, std::size_t count);
    [[noreturn]] void fail(int error) const;

    std::string name_;
    std::string part_;  // of a folder: what it is called while it is written
    ExportTarget target_;
    std::unique_ptr<NewFile> file_;  // nullptr: standard output
    bool finished_ = false;
    std::unique_ptr<char[]> buffer_;
    std::size_t used_ = 0;
};

}  // namespace vftrace
