// The slots through which a module reaches functions and data of other modules, and their names,
// from its relocations in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <link.h>

namespace vftrace {

struct LinkageTables {
    // `dynamic` is the dynamic section of a module that is loaded `bias` above its addresses.
    LinkageTables(std::uintptr_t bias, const ElfW(Dyn) * dynamic) : bias_(bias) {
        for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++)
            switch (dynamic->d_tag) {
            case DT_JMPREL:
                calls_ = address(*dynamic);
                break;
            case DT_PLTRELSZ:
                bytes_of_calls_ = dynamic->d_un.d_val;
                break;
            case DT_PLTREL:
                has_addends_ = dynamic->d_un.d_val == DT_RELA;
                break;
            case DT_RELA:
                others_ = address(*dynamic);
                break;
            case DT_RELASZ:
                bytes_of_others_ = dynamic->d_un.d_val;
                break;
            case DT_SYMTAB:
                symbols_ = address(*dynamic);
                break;
            case DT_STRTAB:
                names_ = address(*dynamic);
                break;
            default:
                break;
            }
    }

    // Calls visit(name, slot) for each slot with a name. About 3 ns per slot.
    template <class Visit>
    void visit(Visit visit) const {
        if (!symbols_ || !names_)
            return;
        if (has_addends_)
            visit_table(calls_, bytes_of_calls_, visit);
        visit_table(others_, bytes_of_others_, visit);
    }

  private:
    // The loader has replaced the addresses of most modules by those in memory, but not of all.
    std::uintptr_t address(const ElfW(Dyn) & entry) const {
        const std::uintptr_t value = entry.d_un.d_ptr;
        return value < bias_ ? bias_ + value : value;
    }

    template <class Visit>
    void visit_table(std::uintptr_t table, std::size_t bytes, Visit& visit) const {
        const auto* relocations = reinterpret_cast<const ElfW(Rela)*>(table);
        const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(symbols_);
        constexpr unsigned symbol_shift = sizeof(std::uintptr_t) == 8 ? 32 : 8;
        for (std::size_t i = 0; table && i < bytes / sizeof *relocations; i++)
            if (const std::size_t symbol = relocations[i].r_info >> symbol_shift)
                visit(reinterpret_cast<const char*>(names_ + symbols[symbol].st_name),
                      bias_ + relocations[i].r_offset);
    }

    std::uintptr_t bias_, calls_ = 0, others_ = 0, symbols_ = 0, names_ = 0;
    std::size_t bytes_of_calls_ = 0, bytes_of_others_ = 0;
    bool has_addends_ = false;
};

}  // namespace vftrace
