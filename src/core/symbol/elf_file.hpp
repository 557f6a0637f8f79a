// An ELF file opened for reading, and the queries that several readers share.
#pragma once

#include <string>
#include <string_view>

struct Elf;
struct Elf_Scn;

namespace vftrace {

enum class ElfAccess {
    // Sections are copied on request: nothing happens to the process if the file is truncated
    // meanwhile. For symbol tables.
    read,
    // The file is mapped, so that a gigabyte of debug information need not be copied, unless
    // another user owns it, who could truncate it and so end this process by SIGBUS.
    map
};

class ElfFile {
  public:
    // Opens only regular files, and code without a file (symbol/kernel_code.hpp); never waits
    // (FIFO, device). On failure error() is not empty.
    explicit ElfFile(const std::string& path, ElfAccess access = ElfAccess::read);
    ~ElfFile();
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    // The libelf handle, null after an error. 32 and 64 bit, either byte order.
    Elf* get() const { return elf_; }
    const std::string& error() const { return error_; }

    // In hexadecimal, "" if the file does not have one.
    std::string build_id() const;
    // The first section of that name that has contents in this file, else null.
    Elf_Scn* find_section(std::string_view name) const;

  private:
    void check(const std::string& path);

    Elf* elf_ = nullptr;
    int descriptor_ = -1;
    std::string error_;
};

}  // namespace vftrace
