#include "patch/module_code.hpp"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>

namespace vftrace {
namespace {

constexpr std::uintptr_t smallest_page = 4096;

}  // namespace

ModuleCode ModuleCode::at(std::uintptr_t address) {
    // Not dl_iterate_phdr(), because it takes the loader's lock.
    dl_find_object found;
    if (_dl_find_object(reinterpret_cast<void*>(address), &found) != 0 || !found.dlfo_link_map)
        return {};
    ElfW(Ehdr) header;
    std::memcpy(&header, found.dlfo_map_start, sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof(ElfW(Phdr)) ||
        header.e_phoff > smallest_page - sizeof(ElfW(Phdr)) ||
        header.e_phnum > (smallest_page - header.e_phoff) / sizeof(ElfW(Phdr)))
        return {};
    ModuleCode module;
    module.start_ = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start);
    module.bias_ = found.dlfo_link_map->l_addr;
    module.headers_ = static_cast<const char*>(found.dlfo_map_start) + header.e_phoff;
    module.count_ = header.e_phnum;
    // They must be the headers of what is mapped here.
    return module.protection(module.start_) ? module : ModuleCode{};
}

ModuleCode::Segment ModuleCode::segment(std::uintptr_t address) const {
    const auto* headers = static_cast<const ElfW(Phdr)*>(headers_);
    for (unsigned i = 0; i < count_; i++) {
        const ElfW(Phdr)& header = headers[i];
        CodeRange range{bias_ + header.p_vaddr, bias_ + header.p_vaddr + header.p_memsz};
        if (header.p_type == PT_LOAD && range.contains(address))
            return {range, header.p_flags};
    }
    return {};
}

CodeRange ModuleCode::code_around(std::uintptr_t address) const {
    Segment found = segment(address);
    return (found.flags & (PF_R | PF_X)) == (PF_R | PF_X) ? found.range : CodeRange{};
}

bool ModuleCode::is_readable(std::uintptr_t address, std::uintptr_t bytes) const {
    Segment found = segment(address);
    return found.flags & PF_R && found.range.end - address >= bytes;
}

std::uintptr_t ModuleCode::word_at(std::uintptr_t address) const {
    std::uintptr_t word = 0;
    if (is_readable(address, sizeof word))
        std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
    return word;
}

int ModuleCode::protection(std::uintptr_t address) const {
    std::uint32_t flags = segment(address).flags;
    return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) |
           (flags & PF_X ? PROT_EXEC : 0);
}

}  // namespace vftrace
