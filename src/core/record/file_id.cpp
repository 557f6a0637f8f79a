#include "record/file_id.hpp"

#include <cstring>
#include <link.h>
#include <sys/stat.h>

#include "base/text.hpp"

namespace vftrace {
namespace {

constexpr std::uintptr_t aligned(std::uintptr_t size) { return (size + 3) & ~std::uintptr_t{3}; }

// Takes the build ID from notes in memory. Returns false if there is none.
bool take_build_id(FileId& id, std::uintptr_t at, std::uintptr_t end) {
    constexpr std::uint32_t name_bytes = sizeof "GNU";
    while (at < end && end - at >= sizeof(ElfW(Nhdr))) {
        const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
        const std::uintptr_t name = at + sizeof note, contents = name + aligned(note.n_namesz);
        if (contents < name || contents > end || note.n_descsz > end - contents)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == name_bytes && note.n_descsz != 0 &&
            note.n_descsz <= id.build_id.size() &&
            std::memcmp(reinterpret_cast<const void*>(name), "GNU", name_bytes) == 0) {
            std::memcpy(id.build_id.data(), reinterpret_cast<const void*>(contents), note.n_descsz);
            id.build_id_bytes = note.n_descsz;
            return true;
        }
        at = contents + aligned(note.n_descsz);
    }
    return false;
}

}  // namespace

FileId file_id_of_image(const void* image, std::uintptr_t bias, std::uintptr_t end) {
    FileId id{};
    const auto start = reinterpret_cast<std::uintptr_t>(image);
    const auto& header = *static_cast<const ElfW(Ehdr)*>(image);
    // A library whose first segment is not the beginning of the file does not have a header here.
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof(ElfW(Phdr)) || header.e_phoff > end - start ||
        header.e_phnum > (end - start - header.e_phoff) / sizeof(ElfW(Phdr)))
        return id;
    const auto* segment = reinterpret_cast<const ElfW(Phdr)*>(start + header.e_phoff);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        const std::uintptr_t notes = bias + segment[i].p_vaddr;
        if (segment[i].p_type == PT_NOTE && notes >= start && notes < end &&
            segment[i].p_memsz <= end - notes &&
            take_build_id(id, notes, notes + segment[i].p_memsz))
            break;
    }
    return id;
}

void set_file_status(FileId& id, const struct stat& status) {
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    id.inode = status.st_ino;
    id.bytes = static_cast<std::uint64_t>(status.st_size);
    id.changed_unix_ns = std::int64_t{status.st_mtim.tv_sec} * ns_per_s + status.st_mtim.tv_nsec;
}

std::string build_id_text(const FileId& id) {
    std::string text;
    for (std::size_t i = 0; i < id.build_id_bytes && i < id.build_id.size(); i++)
        append_format(text, "%02x", id.build_id[i]);
    return text;
}

}  // namespace vftrace
