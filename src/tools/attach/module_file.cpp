#include "attach/module_file.hpp"

#include <charconv>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/core.h>

#include "symbol/elf_file.hpp"
#include "symbol/kernel_code.hpp"

namespace vftrace {
namespace {

constexpr int reading = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

bool is_regular(int file, std::uint64_t inode, struct stat& status) {
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == inode;
}

// What `path` leads to in the root directory of the process.
int open_in_root(std::int64_t pid, const std::string& path) {
    const Descriptor root(
        open(fmt::format("/proc/{}/root", pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root.is_open())
        return -1;
    open_how how{};
    how.flags = reading;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    return static_cast<int>(
        syscall(SYS_openat2, static_cast<int>(root), path.c_str(), &how, sizeof how));
}

// The file that is mapped, or -1.
int open_mapped(std::int64_t pid, const CodeMapping& mapping, struct stat& status) {
    const std::string mapped =
        fmt::format("/proc/{}/map_files/{:x}-{:x}", pid, mapping.start, mapping.end);
    const std::string program = fmt::format("/proc/{}/exe", pid);
    for (int way = 0; way < 4; way++) {
        const int file = way == 0   ? open(mapped.c_str(), reading)
                         : way == 1 ? open(program.c_str(), reading)
                         : way == 2 ? open_in_root(pid, mapping.path)
                                    : open(mapping.path.c_str(), reading);
        if (file >= 0 && is_regular(file, mapping.inode, status))
            return file;
        if (file >= 0)
            close(file);
    }
    return -1;
}

// From its text in hexadecimal.
void set_build_id(FileId& id, const std::string& text) {
    id.build_id_bytes = 0;
    for (std::size_t at = 0; at + 1 < text.size() && at / 2 < id.build_id.size(); at += 2) {
        const char* digits = text.data() + at;
        if (std::from_chars(digits, digits + 2, id.build_id[at / 2], 16).ec != std::errc())
            return;
        id.build_id_bytes++;
    }
}

}  // namespace

ModuleFile::ModuleFile(int file, std::string path) : file_(file), owner_(owner_of_file(path)) {
    struct stat status, by_path;
    if (!file_.is_open() || fstat(file_, &status) != 0)
        return;
    // By its own path, as far as that leads there: debug files are found next to it.
    const bool is_here = stat(path.c_str(), &by_path) == 0 && by_path.st_dev == status.st_dev &&
                         by_path.st_ino == status.st_ino;
    readable_path_ =
        is_here ? std::move(path) : fmt::format("/proc/self/fd/{}", static_cast<int>(file_));
    set_build_id(id_, ElfFile(readable_path_).build_id());
    if (id_.build_id_bytes == 0)
        set_file_status(id_, status);
    read_headers();
}

std::shared_ptr<ModuleFile> ModuleFile::of_kernel_code() {
    std::shared_ptr<ModuleFile> code(new ModuleFile);
    code->is_kernel_code_ = true;
    code->readable_path_ = kernel_code_name;
    code->read_headers();
    return code;
}

bool ModuleFile::read(std::uint64_t offset, void* target, std::size_t bytes) const {
    if (is_kernel_code_) {
        const KernelCode code = kernel_code();
        if (!code.image || offset > code.bytes || bytes > code.bytes - offset)
            return false;
        std::memcpy(target, code.image + offset, bytes);
        return true;
    }
    int error;
    return read_at(file_, offset, static_cast<char*>(target), bytes, error) == bytes;
}

const ModuleFile::Segment* ModuleFile::segment_at(std::uintptr_t address) const {
    for (const Segment& segment : segments_)
        if (address >= segment.address && address - segment.address < segment.bytes)
            return &segment;
    return nullptr;
}

void ModuleFile::read_headers() {
    Elf64_Ehdr header;
    if (!read(0, &header, sizeof header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_phentsize != sizeof(Elf64_Phdr))
        return;
    entry_ = header.e_entry;
    std::vector<Elf64_Phdr> parts(header.e_phnum);
    if (!read(header.e_phoff, parts.data(), parts.size() * sizeof(Elf64_Phdr)))
        return;
    for (const Elf64_Phdr& part : parts)
        if (part.p_type == PT_LOAD)
            segments_.push_back(
                {part.p_vaddr, part.p_offset, part.p_filesz, (part.p_flags & PF_X) != 0});
    for (const Elf64_Phdr& part : parts)
        if (part.p_type == PT_GNU_EH_FRAME)
            read_tables(part.p_vaddr, part.p_memsz);
}

void ModuleFile::read_tables(std::uintptr_t header, std::uint64_t header_bytes) {
    constexpr std::uint64_t most_bytes = 512 << 20;
    const Segment* const segment = segment_at(header);
    if (!segment || segment->bytes > most_bytes || header_bytes == 0)
        return;
    // Numbers are as far from multiples of their sizes as in memory.
    const std::size_t shift = segment->address % alignof(std::max_align_t);
    const auto bytes = static_cast<std::size_t>(segment->bytes);
    bytes_.reset(new unsigned char[shift + bytes]);
    if (!read(segment->offset, bytes_.get() + shift, bytes))
        return;
    first_ = bytes_.get() + shift;
    end_ = first_ + bytes;
    image_ = reinterpret_cast<std::uintptr_t>(first_) - segment->address;
    header_ = header;
}

std::uintptr_t ModuleFile::bias_of(std::uintptr_t start, std::uint64_t file_offset) const {
    constexpr std::uint64_t page = 4096;
    for (const Segment& segment : segments_)
        if (segment.is_code && file_offset + page > segment.offset &&
            file_offset < segment.offset + segment.bytes)
            return start - (segment.address + (file_offset - segment.offset));
    return start - file_offset;
}

bool ModuleFile::find_rule(std::uintptr_t place, UnwindRule& rule) const {
    rule.owner = owner_;
    if (!first_)
        return false;
    const CallFrameTables tables(
        first_ + (image_ + header_ - reinterpret_cast<std::uintptr_t>(first_)), first_, end_);
    if (!read_unwind_rule(tables, image_ + place, rule))
        return false;
    rule.function -= image_;
    unsigned char code[stub_bytes] = {};
    const Segment* const segment = segment_at(rule.function);
    const bool jumps =
        rule.owner == CodeOwner::program && segment &&
        read(segment->offset + (rule.function - segment->address), code, sizeof code) &&
        is_stub(code);
    if (jumps || rule.frame == FrameRule::signal_frame || rule.frame == FrameRule::procedure_table)
        rule.owner = CodeOwner::between;
    return true;
}

std::shared_ptr<ModuleFile> ModuleFiles::find(std::int64_t pid, const CodeMapping& mapping) {
    if (mapping.path == "[vdso]") {
        if (!kernel_code_)
            kernel_code_ = ModuleFile::of_kernel_code();
        return kernel_code_;
    }
    struct stat status;
    const int file = open_mapped(pid, mapping, status);
    if (file < 0)
        return std::make_shared<ModuleFile>(-1, mapping.path);
    std::shared_ptr<ModuleFile>& known = known_[{status.st_dev, status.st_ino}];
    if (known)
        close(file);
    else
        known = std::make_shared<ModuleFile>(file, mapping.path);
    return known;
}

}  // namespace vftrace
