// The tree file of a running process, which is read repeatedly, piece by piece.
//
// It is read by pread, not by mmap: if the file were truncated meanwhile, mmap would end this
// process with SIGBUS. Nothing in the file is trusted. The file stays open, so that it can be read
// after its process has removed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "record/process_record.hpp"
#include "recover/recovered_process.hpp"

namespace vftrace {

class LiveFile {
  public:
    // Opens a regular file. Throws TreeFileError.
    explicit LiveFile(const std::string& path);

    // Reads the current head of the file, and where its pieces are. From then on, at() reads again
    // what it has read before. Throws TreeFileError if it is not a tree file of this version, or
    // has become shorter than its head says.
    void refresh();

    // Its pointers are addresses in the process.
    const ProcessRecord& record() const { return record_; }
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t inode() const { return inode_; }
    // Whether the file no longer has a name.
    bool is_removed() const { return removed_; }

    // The offset in the file of the `bytes` bytes that the process has at `address`; nothing if
    // they are not in the file.
    std::optional<std::uint64_t> offset(std::uint64_t address, std::size_t bytes) const;

    // `bytes` bytes (at most `window_bytes`) at `offset` in the file; nullptr if they cannot be
    // read. Valid until the next call of any function. Reads ahead if offsets ascend.
    const char* at(std::uint64_t offset, std::size_t bytes);
    static constexpr std::size_t window_bytes = 128 * 1024;

    // Copies what the process has at `pointer`. Returns false if that is not in the file, or is not
    // aligned for a T.
    template <class T>
    bool read(const T* pointer, T& object) {
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        if (address % alignof(T) != 0)
            return false;
        const std::optional<std::uint64_t> place = offset(address, sizeof(T));
        const char* found = place ? at(*place, sizeof(T)) : nullptr;
        if (found)
            std::memcpy(static_cast<void*>(&object), found, sizeof(T));
        return found != nullptr;
    }

    // The NUL-terminated text at `pointer`; nothing if it is not in the file or is longer than
    // `longest`.
    std::optional<std::string> text(const char* pointer, std::size_t longest = 4096);

  private:
    std::size_t read_at(std::uint64_t offset, char* target, std::size_t bytes) const;
    void read_extents();

    std::string path_;
    Descriptor descriptor_;
    std::uint64_t bytes_ = 0, inode_ = 0;
    bool removed_ = false;
    ProcessRecord record_{};
    ExtentTable extents_;
    std::uint32_t extents_read_ = 0;
    std::uint64_t bytes_mapped_ = 0;  // of the file when the extents were read
    std::vector<char> window_;
    std::uint64_t window_start_ = 0, window_end_ = 0;  // offsets of what is in it
    std::size_t ahead_ = 0;  // bytes to read at once, doubled while offsets follow each other
};

}  // namespace vftrace
