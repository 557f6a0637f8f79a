#include "symbol/program_image.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.hpp"

namespace vftrace {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t our_processor = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t our_processor = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr std::uint16_t our_processor = EM_PPC64;
#elif defined(__riscv)
constexpr std::uint16_t our_processor = EM_RISCV;
#else
constexpr std::uint16_t our_processor = EM_NONE;  // not compared
#endif
constexpr unsigned char our_byte_order =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

// A regular file that is open for reading.
class ImageFile {
  public:
    explicit ImageFile(const char* path) {
        // O_NONBLOCK: opening a pipe must not wait.
        descriptor_ = static_cast<int>(
            syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        struct stat status;
        is_regular_ =
            descriptor_ >= 0 && fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    }
    ~ImageFile() {
        if (descriptor_ >= 0)
            syscall(SYS_close, descriptor_);
    }
    ImageFile(const ImageFile&) = delete;
    ImageFile& operator=(const ImageFile&) = delete;

    // Returns the number of bytes that were read, at most `bytes`.
    std::size_t read(void* target, std::size_t bytes, std::uint64_t offset) const {
        const long length =
            is_regular_ ? syscall(SYS_pread64, descriptor_, target, bytes, offset) : 0;
        return length > 0 ? static_cast<std::size_t>(length) : 0;
    }
    // Reads as much as fits of a text that ends with NUL.
    template <std::size_t size>
    void read_text(char (&text)[size], std::uint64_t offset) const {
        text[read(text, size - 1, offset)] = '\0';
    }

  private:
    int descriptor_;
    bool is_regular_;
};

// The program headers, read one at a time, because the stack may be small.
class ProgramHeaders {
  public:
    ProgramHeaders(const ImageFile& file, const Elf64_Ehdr& header)
        : file_(file), offset_(header.e_phoff),
          count_(header.e_phentsize == sizeof(Elf64_Phdr) ? header.e_phnum : 0) {}

    // Finds the first one for which is_wanted(header) returns true. Returns false if there is none.
    template <class IsWanted>
    bool find(Elf64_Phdr& header, IsWanted is_wanted) const {
        for (std::uint64_t i = 0; i < count_; i++)
            if (file_.read(&header, sizeof header, offset_ + i * sizeof header) == sizeof header &&
                is_wanted(header))
                return true;
        return false;
    }
    bool find_type(Elf64_Phdr& header, std::uint32_t type) const {
        return find(header, [type](const Elf64_Phdr& one) { return one.p_type == type; });
    }
    // Where in the file the contents of this address are; 0 if nowhere.
    std::uint64_t offset_of(std::uint64_t address) const {
        Elf64_Phdr part;
        const bool found = find(part, [address](const Elf64_Phdr& one) {
            return one.p_type == PT_LOAD && address >= one.p_vaddr &&
                   address - one.p_vaddr < one.p_filesz;
        });
        return found ? address - part.p_vaddr + part.p_offset : 0;
    }

  private:
    const ImageFile& file_;
    std::uint64_t offset_;
    std::uint64_t count_;
};

// Calls visit(entry) for the entries of the dynamic section until it returns true.
template <class Visit>
void for_each_dynamic_entry(const ImageFile& file, const Elf64_Phdr& section, Visit visit) {
    Elf64_Dyn entries[16];
    for (std::uint64_t at = 0; at < section.p_filesz; at += sizeof entries) {
        const std::size_t bytes = file.read(entries, sizeof entries, section.p_offset + at);
        for (std::size_t i = 0; i < bytes / sizeof *entries; i++)
            if (entries[i].d_tag == DT_NULL || visit(entries[i]))
                return;
        if (bytes < sizeof entries)
            return;
    }
}

void find_sanitizer(const ImageFile& file, const ProgramHeaders& headers, ProgramImage& image) {
    Elf64_Phdr section;
    if (!headers.find_type(section, PT_DYNAMIC))
        return;
    std::uint64_t names = 0;
    for_each_dynamic_entry(file, section, [&](const Elf64_Dyn& entry) {
        if (entry.d_tag == DT_STRTAB)
            names = headers.offset_of(entry.d_un.d_ptr);
        return names != 0;
    });
    if (names == 0)
        return;
    for_each_dynamic_entry(file, section, [&](const Elf64_Dyn& entry) {
        if (entry.d_tag == DT_NEEDED) {
            file.read_text(image.sanitizer, names + entry.d_un.d_val);
            if (is_address_sanitizer(image.sanitizer))
                return true;
            image.sanitizer[0] = '\0';
        }
        return false;
    });
}

bool is_of_other_c_library(std::string_view loader) {
    loader = base_name(loader);
    return loader.starts_with("ld-musl") || loader.find("uClibc") != loader.npos ||
           loader.starts_with("linker");  // Android
}

void examine_elf(const ImageFile& file, const unsigned char* identity, ProgramImage& image) {
    if (identity[EI_CLASS] == ELFCLASS32) {
        image.obstacle = Obstacle::is_32_bit;
        return;
    }
    Elf64_Ehdr header;
    if (file.read(&header, sizeof header, 0) != sizeof header)
        return;
    if (identity[EI_DATA] != our_byte_order ||
        (our_processor != EM_NONE && header.e_machine != our_processor)) {
        image.obstacle = Obstacle::other_processor;
        return;
    }
    const ProgramHeaders headers(file, header);
    Elf64_Phdr interpreter;
    if (!headers.find_type(interpreter, PT_INTERP))
        return;  // linked statically: LD_PRELOAD has no effect
    char loader[256];
    file.read_text(loader, interpreter.p_offset);
    if (is_of_other_c_library(loader))
        image.obstacle = Obstacle::other_c_library;
    else
        find_sanitizer(file, headers, image);
}

// "#! /bin/sh -e" -> "/bin/sh". The first line may be cut off.
bool interpreter_of_script(const char* start, std::size_t bytes, ProgramImage& image) {
    std::string_view line(start, bytes);
    if (!line.starts_with("#!"))
        return false;
    line = line.substr(2, line.find('\n') == line.npos ? line.npos : line.find('\n') - 2);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == line.npos)
        return false;
    line = line.substr(first);
    line = line.substr(0, line.find_first_of(" \t"));
    if (line.size() >= sizeof image.interpreter)
        return false;
    std::memcpy(image.interpreter, line.data(), line.size());
    image.interpreter[line.size()] = '\0';
    return true;
}

}  // namespace

bool is_address_sanitizer(std::string_view file_name) {
    return file_name.starts_with("libasan.so") ||
           (file_name.starts_with("libclang_rt.asan") && file_name.find(".so") != file_name.npos);
}

ProgramImage examine_program_image(const char* path) {
    constexpr int most_scripts = 5;  // that are the interpreter of another, as in Linux
    ProgramImage image;
    for (int scripts = 0; scripts <= most_scripts; scripts++) {
        const ImageFile file(scripts == 0 ? path : image.interpreter);
        char start[sizeof image.interpreter];
        const std::size_t bytes = file.read(start, sizeof start, 0);
        if (interpreter_of_script(start, bytes, image))
            continue;
        if (bytes >= EI_NIDENT && std::memcmp(start, ELFMAG, SELFMAG) == 0)
            examine_elf(file, reinterpret_cast<const unsigned char*>(start), image);
        break;
    }
    return image;
}

const char* reason_and_remedy(Obstacle obstacle) {
    switch (obstacle) {
    case Obstacle::is_32_bit:
        return "is a 32-bit program, so the 64-bit library cannot be loaded into it, and it runs "
               "unprofiled: build it for 64 bits";
    case Obstacle::other_processor:
        return "is a program for another kind of processor, so the library cannot be loaded into "
               "it, and it runs unprofiled: build it for this machine";
    case Obstacle::other_c_library:
        return "is not linked to glibc but to another C library such as musl, so the library "
               "cannot be loaded into it, and it runs unprofiled: build it with glibc";
    default:
        return nullptr;
    }
}

}  // namespace vftrace
