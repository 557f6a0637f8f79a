// Opening ELF files with libelf, which checks every offset in the file against its size.
#include "symbol/elf_file.hpp"

#include "base/text.hpp"
#include "symbol/kernel_code.hpp"

#include <cstring>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vftrace {

ElfFile::ElfFile(const std::string& path, ElfAccess access) {
    if (elf_version(EV_CURRENT) == EV_NONE) {
        error_ = "libelf is too old for this library";
        return;
    }
    if (path == kernel_code_name) {
        if (const KernelCode code = kernel_code(); code.image)
            elf_ = elf_memory(const_cast<char*>(code.image), code.bytes);  // which only reads it
        check(path);
        return;
    }
    // A record of another user may name a device, which acts as soon as it is opened.
    struct stat status;
    const bool exists = stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        error_ = path + ": not a regular file";
        return;
    }
    // O_NONBLOCK: opening a FIFO must not wait for a writer.
    if (exists)
        descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor_ < 0) {
        error_ = format("%s: %m", path.c_str());
        return;
    }
    const bool is_trusted = status.st_uid == 0 || status.st_uid == geteuid();
    elf_ =
        elf_begin(descriptor_,
                  access == ElfAccess::map && is_trusted ? ELF_C_READ_MMAP : ELF_C_READ, nullptr);
    check(path);
}

void ElfFile::check(const std::string& path) {
    GElf_Ehdr header;
    if (!elf_ || elf_kind(elf_) != ELF_K_ELF || !gelf_getehdr(elf_, &header)) {
        error_ = path + ": not an ELF file";
        elf_end(elf_);
        elf_ = nullptr;
    }
}

ElfFile::~ElfFile() {
    elf_end(elf_);
    if (descriptor_ >= 0)
        close(descriptor_);
}

namespace {

// The build id among the notes in `data`, "" if it is not there.
std::string build_id_in_notes(Elf_Data* data) {
    std::string id;
    if (!data || !data->d_buf)
        return id;
    GElf_Nhdr note;
    std::size_t name = 0;
    std::size_t contents = 0;
    for (std::size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &contents)) != 0;) {
        constexpr std::size_t longest = 64;  // SHA-1 has 20 bytes; users may choose their own
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" || note.n_descsz == 0 ||
            note.n_descsz > longest || contents > data->d_size ||
            data->d_size - contents < note.n_descsz)
            continue;
        const char* bytes = static_cast<const char*>(data->d_buf);
        if (std::memcmp(bytes + name, "GNU", sizeof "GNU") != 0)
            continue;
        for (std::size_t i = 0; i < note.n_descsz; i++)
            append_format(id, "%02x", static_cast<unsigned char>(bytes[contents + i]));
        return id;
    }
    return id;
}

}  // namespace

std::string ElfFile::build_id() const {
    std::string id;
    if (!elf_)
        return id;
    // Sections first: in a file that only has debug information, the segments point nowhere.
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
            if (!(id = build_id_in_notes(elf_getdata(section, nullptr))).empty())
                return id;
    }
    std::size_t segments = 0;
    if (elf_getphdrnum(elf_, &segments) != 0)
        return id;
    for (std::size_t i = 0; i < segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf_, static_cast<int>(i), &segment) || segment.p_type != PT_NOTE)
            continue;
        Elf_Data* data =
            elf_getdata_rawchunk(elf_, static_cast<std::int64_t>(segment.p_offset),
                                 segment.p_filesz, segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
        if (!(id = build_id_in_notes(data)).empty())
            return id;
    }
    return id;
}

Elf_Scn* ElfFile::find_section(std::string_view name) const {
    std::size_t names = 0;
    if (!elf_ || elf_getshdrstrndx(elf_, &names) != 0)
        return nullptr;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        const char* found = elf_strptr(elf_, names, header.sh_name);
        if (found && name == found)
            return section;
    }
    return nullptr;
}

}  // namespace vftrace
