// A tree file as it was read, and the mapping from the process's addresses to positions in it.
//
// Nothing in the file is trusted: it may be incomplete, damaged or made by another program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "record/process_record.hpp"
#include "recover/extent_table.hpp"

namespace vftrace {

// A process fills its file before it puts the mark of a tree file at its start. Without the mark,
// there is nothing in it.
inline constexpr char nothing_in_tree_file[] = "is empty: the process was killed while it started";
bool is_empty_tree_file(const std::string& path);

// Why a file cannot be used, in one line that begins with its path.
class TreeFileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A TreeFileError caused by missing permission.
class NoPermissionError : public TreeFileError {
  public:
    using TreeFileError::TreeFileError;
};

class FileImage {
  public:
    static constexpr std::size_t whole_file = ~std::size_t{0};

    // Reads the file once, from front to back, at most `most_bytes` bytes. The process may still be
    // writing to it. Throws TreeFileError, also if it is not a tree file of this version.
    static FileImage of_file(const std::string& path, std::size_t most_bytes = whole_file);

    // The same for an open file; `path` is for messages.
    static FileImage of_descriptor(int descriptor, const std::string& path,
                                   std::size_t most_bytes = whole_file);

    // From contents that have already been read.
    FileImage(std::vector<char> contents, const std::string& path);

    // The record as in the file, with the pointers of the process.
    const ProcessRecord& record() const { return record_; }
    std::size_t size() const { return contents_.size(); }

    // Copies what the process had at `address`. Returns false if it is not in the file, or if the
    // address cannot be that of a T.
    template <class T>
    bool read(std::uint64_t address, T& object) const {
        const char* found = address % alignof(T) == 0 ? find(address, sizeof(T)) : nullptr;
        if (found)
            std::memcpy(static_cast<void*>(&object), found, sizeof(T));
        return found != nullptr;
    }
    template <class T>
    bool read(const T* pointer, T& object) const {
        return read(reinterpret_cast<std::uint64_t>(pointer), object);
    }

    // The text at the pointer, up to a NUL; nothing if it is not in the file or longer than
    // `longest`.
    std::optional<std::string_view> text(const char* pointer, std::size_t longest) const;

    // The position in the file of the `bytes` bytes at `address`; nothing if they are not in it.
    std::optional<std::size_t> offset(std::uint64_t address, std::size_t bytes) const {
        const char* found = find(address, bytes);
        return found ? std::optional(static_cast<std::size_t>(found - contents_.data()))
                     : std::nullopt;
    }

  private:
    const char* find(std::uint64_t address, std::size_t bytes) const;

    std::vector<char> contents_;
    ProcessRecord record_{};
    ExtentTable extents_;
};

}  // namespace vftrace
