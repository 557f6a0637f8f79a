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

#include "base/descriptor.hpp"
#include "base/new_file.hpp"

namespace vftrace {

// An error, as one line for the user.
class ExportError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

enum class ExportTarget { file, folder };

class ExportOutput {
  public:
    // `name`: "-" for standard output, which a folder cannot be. An existing file is replaced; an
    // existing folder is an error. Throws ExportError, like all functions when the system reports
    // an error.
    ExportOutput(std::string name, ExportTarget target);
    ~ExportOutput();
    ExportOutput(const ExportOutput&) = delete;
    ExportOutput& operator=(const ExportOutput&) = delete;

    // For a file: appends bytes, which are buffered up to 1 MiB.
    void write(std::string_view text) {
        if (text.size() > buffer_bytes - used_) {
            write_through(text);
            return;
        }
        text.copy(buffer_.get() + used_, text.size());
        used_ += text.size();
    }

    // For a file: room for `bytes` (at most 64 KiB), to be filled from its start; end_of_room() is
    // called with the end of what was filled. Saves a copy of formatted numbers.
    char* room(std::size_t bytes) {
        if (bytes > buffer_bytes - used_)
            flush();
        return buffer_.get() + used_;
    }
    void end_of_room(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.get()); }

    const std::string& name() const { return name_; }
    // For a folder: a path to it until finish(), for files in it.
    const std::string& folder() const { return folder_path_; }

    // Writes the buffered bytes and gives the output its name.
    void finish();

    // Called from time to time with the completed fraction, 0 to 1; exporters call progress().
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

    void make_folder();
    void remove_folder() const;
    void flush();
    void write_through(std::string_view text);
    void write_bytes(const char* bytes, std::size_t count);
    [[noreturn]] void fail(int error) const;

    std::string name_;
    std::string part_;  // name of a folder while it is being written, without its path
    std::unique_ptr<Descriptor> parent_, folder_;  // of a folder, and the folder itself
    std::string folder_path_;
    ExportTarget target_;
    std::unique_ptr<NewFile> file_;  // nullptr: standard output
    bool finished_ = false;
    std::unique_ptr<char[]> buffer_;
    std::size_t used_ = 0;
};

}  // namespace vftrace
