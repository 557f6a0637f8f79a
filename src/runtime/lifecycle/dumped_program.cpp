#include "lifecycle/dumped_program.hpp"

#include <cstdint>
#include <cstdlib>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/personality.h>

namespace vftrace {
namespace {

bool has_random_addresses() {
    constexpr unsigned long ask = 0xffffffff;
    const int now = personality(ask);
    return now >= 0 && !(now & ADDR_NO_RANDOMIZE);
}

}  // namespace

bool is_dump_before_its_start() {
    const auto* header = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    const unsigned long headers = getauxval(AT_PHNUM);
    if (!header)
        return false;
    const auto allocator = reinterpret_cast<std::uintptr_t>(&std::malloc);
    bool has_malloc = false, has_data = false, has_zeros = false;
    for (unsigned long i = 0; i < headers; i++, header++) {
        // Addresses equal those in the file, because dumps are linked to a fixed address.
        if (header->p_type != PT_LOAD)
            continue;
        has_malloc |= (header->p_flags & PF_X) && allocator >= header->p_vaddr &&
                      allocator < header->p_vaddr + header->p_memsz;
        has_data |= header->p_flags & PF_W;
        has_zeros |= (header->p_flags & PF_W) && header->p_memsz > header->p_filesz;
    }
    // The file of a dumped program also contains the memory that is normally zeroed at the start.
    return has_malloc && has_data && !has_zeros && has_random_addresses();
}

}  // namespace vftrace
