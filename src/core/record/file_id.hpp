// Distinguishes a program or library from another one that takes its place in the file system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

struct stat;

namespace vftrace {

struct FileId {
    // The linker's number for its contents; most linkers make 20 bytes, of SHA-1.
    std::array<std::uint8_t, 32> build_id;
    std::uint64_t build_id_bytes;  // 0: it does not have one
    // What identifies a file without such a number. All are 0 if it has one, or if it is not known.
    // Its device is not included, because other hosts number devices in other ways.
    std::uint64_t inode, bytes;
    std::int64_t changed_unix_ns;
};

// From an ELF file in memory, as the loader or the kernel has mapped it: `header` is its first
// byte, `bias` what was added to its addresses. Looks only at addresses below `end`. Only build
// IDs: without one the result is all zeros. Async-signal-safe; no system call.
FileId file_id_of_image(const void* header, std::uintptr_t bias, std::uintptr_t end);

// The part that does not need a build ID.
void set_file_status(FileId& id, const struct stat& status);

inline bool is_known(const FileId& id) { return id.build_id_bytes != 0 || id.inode != 0; }

// The build ID in hexadecimal, or "".
std::string build_id_text(const FileId& id);

}  // namespace vftrace
