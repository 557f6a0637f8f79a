// A program or library that a process has mapped: the file, its identity and its unwind tables.
//
// The process may belong to another user or a container, and may have ended since: its paths lead
// to a file only if the kernel has said that this file is mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attach/sample_stream.hpp"
#include "base/descriptor.hpp"
#include "record/file_id.hpp"
#include "unwind/unwind_rule.hpp"

namespace vftrace {

class ModuleFile {
  public:
    // `file`: -1 if it cannot be opened. `path`: as the process calls it.
    ModuleFile(int file, std::string path);
    // The code that the kernel maps into each process.
    static std::shared_ptr<ModuleFile> of_kernel_code();

    bool is_open() const { return file_.is_open() || is_kernel_code_; }
    // By which this process can read it; "" if it cannot.
    const std::string& readable_path() const { return readable_path_; }
    const FileId& id() const { return id_; }
    // What is added to its addresses if the code at `file_offset` is mapped at `start`.
    std::uintptr_t bias_of(std::uintptr_t start, std::uint64_t file_offset) const;
    // Where the program begins, without bias.
    std::uintptr_t entry() const { return entry_; }

    // Sets function, owner, and how to get to the caller, without bias; `place` and the rule's
    // function are addresses in the file. Returns false if the code has no tables.
    bool find_rule(std::uintptr_t place, UnwindRule& rule) const;

  private:
    ModuleFile() : file_(-1) {}
    struct Segment {
        std::uintptr_t address;
        std::uint64_t offset, bytes;
        bool is_code;
    };
    bool read(std::uint64_t offset, void* target, std::size_t bytes) const;
    const Segment* segment_at(std::uintptr_t address) const;
    void read_headers();
    void read_tables(std::uintptr_t header, std::uint64_t header_bytes);

    Descriptor file_;
    bool is_kernel_code_ = false;
    std::string readable_path_;
    FileId id_{};
    CodeOwner owner_ = CodeOwner::program;
    std::uintptr_t entry_ = 0;
    std::vector<Segment> segments_;
    // The part of the file with the tables; image_ is where address 0 would be.
    std::unique_ptr<unsigned char[]> bytes_;
    const unsigned char *first_ = nullptr, *end_ = nullptr;
    std::uintptr_t image_ = 0, header_ = 0;
};

// The files of all processes that are sampled. Each is read once.
class ModuleFiles {
  public:
    std::shared_ptr<ModuleFile> find(std::int64_t pid, const CodeMapping& mapping);

  private:
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<ModuleFile>> known_;
    std::shared_ptr<ModuleFile> kernel_code_;
};

}  // namespace vftrace
