// Looking addresses up in the symbol tables of ELF files.
#include "symbol/elf_symbols.hpp"

#include "symbol/code_file.hpp"
#include "symbol/debug_file.hpp"
#include "symbol/elf_file.hpp"

#include <algorithm>
#include <cstring>
#include <gelf.h>
#include <string_view>

namespace vftrace {

namespace {

// The addresses that were requested, sorted and without duplicates, and their names so far.
class Wanted {
  public:
    // anywhere: the addresses may be anywhere in what has symbols, not only where that begins.
    Wanted(std::vector<std::uint64_t> addresses, bool anywhere, SymbolType type)
        : addresses_(std::move(addresses)), anywhere_(anywhere), type_(type) {
        std::sort(addresses_.begin(), addresses_.end());
        addresses_.erase(std::unique(addresses_.begin(), addresses_.end()), addresses_.end());
        names_.resize(addresses_.size());
        starts_.resize(addresses_.size());
    }

    // Index of `address`, or size() if it was not requested.
    std::size_t find(std::uint64_t address) const {
        auto at = std::lower_bound(addresses_.begin(), addresses_.end(), address);
        return at == addresses_.end() || *at != address
                   ? size()
                   : static_cast<std::size_t>(at - addresses_.begin());
    }
    SymbolType type() const { return type_; }
    // Calls visit(index) for each requested address that matches a symbol with this start and size.
    template <class Visit>
    void for_each_in(std::uint64_t start, std::uint64_t size, Visit visit) const {
        const std::uint64_t last = anywhere_ && size > 0 ? start + (size - 1) : start;
        auto at = std::lower_bound(addresses_.begin(), addresses_.end(), start);
        for (; at != addresses_.end() && *at <= last; ++at)
            visit(static_cast<std::size_t>(at - addresses_.begin()));
    }
    std::size_t size() const { return addresses_.size(); }
    const std::string& name(std::size_t index) const { return names_[index]; }
    std::uint64_t distance(std::size_t index) const { return addresses_[index] - starts_[index]; }
    void set_name(std::size_t index, std::string_view name, std::uint64_t start) {
        names_[index] = name;
        starts_[index] = start;
    }
    bool all_named() const {
        return std::none_of(names_.begin(), names_.end(),
                            [](const std::string& name) { return name.empty(); });
    }

  private:
    std::vector<std::uint64_t> addresses_;
    bool anywhere_;
    SymbolType type_;
    std::vector<std::string> names_;
    std::vector<std::uint64_t> starts_;  // of the symbols
};

struct Candidate {
    std::string_view name;
    int rank = 0;  // of the binding, the smaller the better
    std::uint64_t start = 0;

    bool better_than(const Candidate& other) const {
        if (start != other.start)
            return start > other.start;
        if (rank != other.rank)
            return rank < other.rank;
        if (name.size() != other.name.size())
            return name.size() < other.name.size();
        return name < other.name;
    }
};

int binding_rank(unsigned binding) {
    switch (binding) {
    case STB_GLOBAL:
    case STB_GNU_UNIQUE:
        return 0;
    case STB_WEAK:
        return 1;
    case STB_LOCAL:
        return 2;
    }
    return 3;
}

// The text at `offset` of a string table; "" if the table is too short or not terminated.
std::string_view string_at(const Elf_Data& strings, std::size_t offset) {
    if (!strings.d_buf || offset >= strings.d_size)
        return {};
    const char* text = static_cast<const char*>(strings.d_buf) + offset;
    const void* end = std::memchr(text, '\0', strings.d_size - offset);
    return end ? std::string_view(text, static_cast<const char*>(end)) : std::string_view();
}

std::string_view without_version(std::string_view name) {
    std::size_t at = name.find('@');
    return at == 0 ? name : name.substr(0, at);
}

bool is_of_type(unsigned type, SymbolType wanted) {
    return wanted == SymbolType::object ? type == STT_OBJECT
                                        : type == STT_FUNC || type == STT_GNU_IFUNC;
}

// Calls visit(symbol, name) for all functions, or objects, of one symbol table.
template <class Visitor>
void for_each_symbol(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, SymbolType type,
                     Visitor&& visit) {
    Elf_Data* symbols = elf_getdata(section, nullptr);
    Elf_Scn* string_section = elf_getscn(elf, header.sh_link);
    Elf_Data* strings = string_section ? elf_getdata(string_section, nullptr) : nullptr;
    std::size_t symbol_size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    if (!symbols || !symbols->d_buf || symbols->d_type != ELF_T_SYM || !strings || symbol_size == 0)
        return;
    std::size_t count = symbols->d_size / symbol_size;
    for (std::size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(symbols, static_cast<int>(i), &symbol))
            break;
        // Undefined symbols of executables may have the address of a PLT entry.
        if (!is_of_type(GELF_ST_TYPE(symbol.st_info), type) || symbol.st_shndx == SHN_UNDEF)
            continue;
        if (std::string_view name = without_version(string_at(*strings, symbol.st_name));
            !name.empty())
            visit(symbol, name);
    }
}

// Names the addresses that do not have a name yet, from one symbol table.
void read_symbol_table(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Wanted& wanted) {
    std::vector<Candidate> best(wanted.size());
    const auto visit = [&](const GElf_Sym& symbol, std::string_view name) {
        wanted.for_each_in(symbol.st_value, symbol.st_size, [&](std::size_t index) {
            if (!wanted.name(index).empty())
                return;
            Candidate candidate{name, binding_rank(GELF_ST_BIND(symbol.st_info)), symbol.st_value};
            if (best[index].name.empty() || candidate.better_than(best[index]))
                best[index] = candidate;
        });
    };
    for_each_symbol(elf, section, header, wanted.type(), visit);
    for (std::size_t i = 0; i < best.size(); i++)
        if (!best[i].name.empty())
            wanted.set_name(i, best[i].name, best[i].start);
}

// Calls visit(section, header) for all symbol tables of one type.
template <class Visitor>
void for_each_table(const ElfFile& file, unsigned type, Visitor&& visit) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(file.get(), section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == type &&
            !(header.sh_flags & SHF_COMPRESSED))
            visit(section, header);
    }
}

void read_symbol_tables(const ElfFile& file, unsigned type, Wanted& wanted) {
    for_each_table(file, type, [&](Elf_Scn* section, const GElf_Shdr& header) {
        read_symbol_table(file.get(), section, header, wanted);
    });
}

void read_names(const ElfFile& file, const std::string& path, Wanted& wanted) {
    read_symbol_tables(file, SHT_SYMTAB, wanted);
    if (!wanted.all_named()) {
        std::string debug_path = find_debug_file(file, path);
        if (!debug_path.empty()) {
            ElfFile debug_file(debug_path);
            if (debug_file.get())
                read_symbol_tables(debug_file, SHT_SYMTAB, wanted);
        }
    }
    if (!wanted.all_named())
        read_symbol_tables(file, SHT_DYNSYM, wanted);
}

}  // namespace

ModuleSymbols lookup_symbols(const std::string& path, const std::vector<std::uint64_t>& offsets) {
    ModuleSymbols result;
    result.names.resize(offsets.size());
    ElfFile file(path);
    result.error = file.error();
    if (!file.get())
        return result;
    result.build_id = file.build_id();

    Wanted wanted(offsets, false, SymbolType::function);
    read_names(file, path, wanted);
    for (std::size_t i = 0; i < offsets.size(); i++)
        result.names[i] = wanted.name(wanted.find(offsets[i]));
    return result;
}

ModuleSymbols lookup_symbols(CodeFiles& files, std::uint16_t module,
                             const std::vector<std::uint64_t>& offsets) {
    const LoadedModule& loaded = files.modules().modules[module];
    if (loaded.id.build_id_bytes != 0 && !files.was_looked_for(module)) {
        ModuleSymbols symbols = lookup_symbols(loaded.path, offsets);
        if (symbols.error.empty() && symbols.build_id == build_id_text(loaded.id)) {
            files.set_path(module, loaded.path);
            return symbols;
        }
    }
    return lookup_symbols(files.path(module), offsets);
}

std::vector<SymbolOffset> lookup_enclosing_symbols(const std::string& path,
                                                   const std::vector<std::uint64_t>& offsets,
                                                   SymbolType type) {
    std::vector<SymbolOffset> result(offsets.size());
    ElfFile file(path);
    if (!file.get())
        return result;
    Wanted wanted(offsets, true, type);
    read_names(file, path, wanted);
    for (std::size_t i = 0; i < offsets.size(); i++) {
        const std::size_t index = wanted.find(offsets[i]);
        if (!wanted.name(index).empty())
            result[i] = {wanted.name(index), wanted.distance(index)};
    }
    return result;
}

void visit_functions(const std::string& path,
                     void (*visit)(void* context, std::string_view name, std::uint64_t address,
                                   std::uint64_t size),
                     void* context) {
    ElfFile file(path);
    if (!file.get())
        return;
    auto visit_tables = [&](const ElfFile& source, unsigned type) {
        bool any = false;
        for_each_table(source, type, [&](Elf_Scn* section, const GElf_Shdr& header) {
            any = true;
            for_each_symbol(source.get(), section, header, SymbolType::function,
                            [&](const GElf_Sym& symbol, std::string_view name) {
                                visit(context, name, symbol.st_value, symbol.st_size);
                            });
        });
        return any;
    };
    if (!visit_tables(file, SHT_SYMTAB)) {
        if (std::string debug_path = find_debug_file(file, path); !debug_path.empty()) {
            ElfFile debug_file(debug_path);
            if (debug_file.get())
                visit_tables(debug_file, SHT_SYMTAB);
        }
        visit_tables(file, SHT_DYNSYM);
    }
}

namespace {

// Tells most names that are not searched for by a few of their bytes.
class NameFilter {
  public:
    explicit NameFilter(std::span<const std::string_view> names) {
        for (const std::string_view name : names) {
            char padded[bytes] = {};
            name.copy(padded, bytes);
            first_[pair(padded)] = true;
            later_[pair(padded + later_pair)] = true;
        }
    }
    // Reads `bytes` bytes.
    bool may_have(const char* name) const {
        return first_[pair(name)] && (!later_counts(name) || later_[pair(name + later_pair)]);
    }

    static constexpr std::size_t bytes = 6;

  private:
    static constexpr std::size_t later_pair = 4, pairs = std::size_t{1} << 16;
    static std::size_t pair(const char* text) {
        return static_cast<std::size_t>(static_cast<unsigned char>(text[0])) << 8 |
               static_cast<unsigned char>(text[1]);
    }
    // The name does not end before them.
    static bool later_counts(const char* name) {
        return std::memchr(name, '\0', later_pair + 1) == nullptr && name[later_pair + 1] != '\0';
    }

    std::vector<bool> first_ = std::vector<bool>(pairs), later_ = std::vector<bool>(pairs);
};

}  // namespace

std::vector<FoundFunction> find_functions(const std::string& path,
                                          std::span<const std::string_view> names) {
    std::vector<FoundFunction> found;
    ElfFile file(path, ElfAccess::map);
    if (!file.get() || gelf_getclass(file.get()) != ELFCLASS64)
        return found;
    const NameFilter filter(names);
    for_each_table(file, SHT_SYMTAB, [&](Elf_Scn* section, const GElf_Shdr& header) {
        const Elf_Data* const symbols = elf_getdata(section, nullptr);
        Elf_Scn* const string_section = elf_getscn(file.get(), header.sh_link);
        const Elf_Data* const strings =
            string_section ? elf_getdata(string_section, nullptr) : nullptr;
        if (!symbols || !symbols->d_buf || symbols->d_type != ELF_T_SYM || !strings ||
            !strings->d_buf)
            return;
        const auto* const first = static_cast<const Elf64_Sym*>(symbols->d_buf);
        const std::span<const Elf64_Sym> all(first, symbols->d_size / sizeof *first);
        for (const Elf64_Sym& symbol : all) {
            if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
                symbol.st_name >= strings->d_size)
                continue;
            const char* const text = static_cast<const char*>(strings->d_buf) + symbol.st_name;
            if (strings->d_size - symbol.st_name >= NameFilter::bytes && !filter.may_have(text))
                continue;
            const std::string_view name = string_at(*strings, symbol.st_name);
            const auto known = std::lower_bound(names.begin(), names.end(), name);
            if (known != names.end() && *known == name)
                found.push_back({static_cast<std::size_t>(known - names.begin()), symbol.st_value,
                                 symbol.st_size});
        }
    });
    return found;
}

}  // namespace vftrace
