// A file of the kernel with a changing number, which is read repeatedly.
//
// Its descriptor stays open, because opening costs four times as much as reading. Programs close
// descriptors that they do not know, and files disappear with the device, so number() checks the
// identity of the file before it reads, and reopens the file if that fails. The check costs as much
// as reading, so callers that can judge the number may skip it: pread does not move the offset or
// take anything from a pipe, so reading another file does no harm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace vftrace {

class KernelFile {
  public:
    explicit KernelFile(std::string path) : path_(std::move(path)) {}
    ~KernelFile() { forget(); }
    KernelFile(KernelFile&& other) noexcept;
    KernelFile& operator=(KernelFile&&) = delete;

    // The number in the first line; nothing if there is none now.
    // Allocates nothing.
    std::optional<std::int64_t> number();
    // The number that the descriptor yields, which may now belong to another file; nothing if it
    // does not yield one.
    std::optional<std::int64_t> unchecked_number() const;
    // Why the last number() returned nothing, in words.
    std::string why_not() const;
    int error() const { return error_; }  // errno; 0: not a number
    const std::string& path() const { return path_; }

  private:
    bool open_file();
    bool is_open_and_ours() const;
    void forget();

    std::string path_;
    int descriptor_ = -1;
    int error_ = 0;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

// The first line of a file without blanks around it; empty if there is none.
std::string first_line(const std::string& path);
// The same as a number of the C locale; nothing if it is not a number.
std::optional<std::int64_t> number_in_file(const std::string& path);
std::optional<double> real_in_text(std::string_view text);

// The names in a folder that begin with `prefix`, sorted: "x2" before "x10".
std::vector<std::string> names_in_folder(const std::string& folder, std::string_view prefix);
// The number after a prefix, if nothing else follows.
std::optional<std::uint32_t> number_behind(std::string_view text, std::string_view prefix);

}  // namespace vftrace
