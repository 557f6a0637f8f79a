#include "symbol/kernel_code.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

namespace vftrace {

KernelCode kernel_code() {
    const auto image = reinterpret_cast<const char*>(getauxval(AT_SYSINFO_EHDR));
    if (!image)
        return {};
    const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(image);
    // The table of sections comes last.
    std::size_t bytes = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
    auto segment = reinterpret_cast<const ElfW(Phdr)*>(image + header.e_phoff);
    for (unsigned i = 0; i < header.e_phnum; i++)
        bytes = std::max<std::size_t>(bytes, segment[i].p_offset + segment[i].p_filesz);
    return {image, bytes};
}

KernelCodeId kernel_code_id() {
    constexpr auto aligned = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
    KernelCodeId id{};
    const char* image = kernel_code().image;
    if (!image)
        return id;
    const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(image);
    auto segment = reinterpret_cast<const ElfW(Phdr)*>(image + header.e_phoff);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (segment[i].p_type != PT_NOTE)
            continue;
        const char* at = image + segment[i].p_offset;
        const char* end = at + segment[i].p_filesz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
            const char* name = at + sizeof note;
            const char* contents = name + aligned(note.n_namesz);
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
                std::memcmp(name, "GNU", sizeof "GNU") == 0) {
                std::memcpy(id.data(), contents, std::min<std::size_t>(note.n_descsz, id.size()));
                return id;
            }
            at = contents + aligned(note.n_descsz);
        }
    }
    return id;
}

}  // namespace vftrace
