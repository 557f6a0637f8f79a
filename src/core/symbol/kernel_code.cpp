#include "symbol/kernel_code.hpp"

#include <algorithm>
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
    KernelCodeId id{};
    const KernelCode code = kernel_code();
    if (!code.image)
        return id;
    const auto start = reinterpret_cast<std::uintptr_t>(code.image);
    const FileId file = file_id_of_image(code.image, start, start + code.bytes);
    std::copy_n(file.build_id.begin(), id.size(), id.begin());
    return id;
}

}  // namespace vftrace
