// Source lines from DWARF, read with libdw.
//
// Only the compilation units that contain a requested address are decoded. They are found from the
// units' own address ranges: .debug_aranges is incomplete (clang writes none).
#include "symbol/source_lines.hpp"

#include "symbol/debug_file.hpp"
#include "symbol/elf_file.hpp"
#include "symbol/libdw.hpp"

#include <algorithm>
#include <gelf.h>
#include <string_view>
#include <utility>

namespace vftrace {

namespace {

// The request: the declarations of functions, lines of code, or those where what is inlined there
// is called.
enum class Wanted { declarations, code, code_of_function };

// A function or piece of code that was requested.
struct Place {
    std::uint64_t address;
    std::uint32_t unit;  // index into the units
    SourceLine source;
};

// A part of the address space in which one compilation unit has code.
struct UnitRange {
    std::uint64_t start;
    std::uint64_t end;
    std::uint32_t unit;
};

constexpr std::uint32_t no_unit = 0xffffffff;

class LineReader {
  public:
    // `addresses` are sorted and without duplicates.
    LineReader(const Libdw& libdw, Dwarf* dwarf, const std::vector<std::uint64_t>& addresses,
               Wanted wanted)
        : libdw_(libdw), dwarf_(dwarf), wanted_(wanted) {
        places_.reserve(addresses.size());
        for (std::uint64_t address : addresses)
            places_.push_back({address, no_unit, {}});
    }

    // One answer per address.
    std::vector<SourceLine> read() {
        find_units();
        std::vector<std::uint32_t> order;  // by unit, then by address
        for (std::uint32_t i = 0; i < places_.size(); i++)
            if (places_[i].unit != no_unit)
                order.push_back(i);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return places_[a].unit != places_[b].unit ? places_[a].unit < places_[b].unit : a < b;
        });
        for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
            std::uint32_t unit = places_[order[begin]].unit;
            for (end = begin + 1; end < order.size() && places_[order[end]].unit == unit;)
                end++;
            asked_.clear();
            for (std::size_t i = begin; i < end; i++)
                asked_.push_back(&places_[order[i]]);
            read_unit(units_[unit]);
        }
        std::vector<SourceLine> lines;
        for (Place& place : places_)
            lines.push_back(std::move(place.source));
        return lines;
    }

  private:
    // Records for every place which unit contains it.
    void find_units() {
        std::vector<UnitRange> ranges;
        Dwarf_CU* unit = nullptr;
        Dwarf_Die die;
        while (libdw_.get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
            Dwarf_Addr base = 0, start = 0, end = 0;
            bool any = false;
            for (std::ptrdiff_t at = 0; (at = libdw_.ranges(&die, at, &base, &start, &end)) > 0;) {
                // Code that the linker dropped is put at address 0 or 1.
                if (start <= 1)
                    continue;
                ranges.push_back({start, end, static_cast<std::uint32_t>(units_.size())});
                any = true;
            }
            if (any)
                units_.push_back(die);
        }
        std::sort(ranges.begin(), ranges.end(), [](const UnitRange& a, const UnitRange& b) {
            return a.start != b.start ? a.start < b.start : a.unit < b.unit;
        });
        for (Place& place : places_) {
            auto after = std::upper_bound(ranges.begin(), ranges.end(), place.address,
                                          [](std::uint64_t address, const UnitRange& range) {
                                              return address < range.start;
                                          });
            if (after != ranges.begin() && place.address < std::prev(after)->end)
                place.unit = std::prev(after)->unit;
        }
    }

    void read_unit(Dwarf_Die& unit) {
        missing_ = wanted_ == Wanted::declarations ? asked_.size() : 0;
        visit_functions(unit, 0, false);
        // Functions inside functions (Fortran's `contains`): only if needed, because everything in
        // every function must be visited.
        if (missing_ > 0)
            visit_functions(unit, 0, true);
        if (wanted_ == Wanted::code_of_function)
            visit_scopes(unit, 0);
        for (Place* place : asked_) {
            if (place->source.file.empty() || place->source.line == 0)
                read_line_table(unit, *place);
            make_absolute(unit, place->source.file);
        }
    }

    void visit_functions(Dwarf_Die& parent, int depth, bool inside_functions) {
        constexpr int deepest = 64;
        Dwarf_Die die;
        if (depth > deepest || libdw_.child(&parent, &die) != 0)
            return;
        for (const void* previous = nullptr; missing_ > 0 && die.addr > previous;) {
            previous = die.addr;  // entries are in ascending order, unless the file is damaged
            switch (libdw_.tag(&die)) {
            case DW_TAG_subprogram:
                read_function(die);
                if (inside_functions)
                    visit_functions(die, depth + 1, true);
                break;
            case DW_TAG_namespace:
            case DW_TAG_module:
                visit_functions(die, depth + 1, inside_functions);
                break;
            }
            if (libdw_.siblingof(&die, &die) != 0)
                return;
        }
    }

    // The requested places in the code of a function, an inlined one or a block: [first, second).
    std::pair<std::size_t, std::size_t> places_in(Dwarf_Die& scope) {
        Dwarf_Addr base = 0, start = 0, end = 0;
        std::size_t first = asked_.size(), last = 0;
        for (std::ptrdiff_t at = 0; (at = libdw_.ranges(&scope, at, &base, &start, &end)) > 0;)
            for (std::size_t i = 0; i < asked_.size(); i++)
                if (start <= asked_[i]->address && asked_[i]->address < end) {
                    first = std::min(first, i);
                    last = i + 1;
                }
        return {first, std::max(first, last)};
    }

    // Finds what is inlined into the functions of a unit where places were requested, but not what
    // is inlined there.
    void visit_scopes(Dwarf_Die& parent, int depth) {
        constexpr int deepest = 64;
        Dwarf_Die die;
        if (depth > deepest || libdw_.child(&parent, &die) != 0)
            return;
        for (const void* previous = nullptr; die.addr > previous;) {
            previous = die.addr;
            switch (libdw_.tag(&die)) {
            case DW_TAG_inlined_subroutine:
                read_call(die);
                break;
            case DW_TAG_subprogram:
            case DW_TAG_lexical_block:
                if (const auto [first, last] = places_in(die); first < last)
                    visit_scopes(die, depth + 1);
                break;
            case DW_TAG_namespace:
            case DW_TAG_module:
                visit_scopes(die, depth + 1);
                break;
            }
            if (libdw_.siblingof(&die, &die) != 0)
                return;
        }
    }

    // The line where an inlined function is called is that of the places in it.
    void read_call(Dwarf_Die& inlined) {
        const auto [first, last] = places_in(inlined);
        Dwarf_Attribute attribute;
        Dwarf_Word line = 0;
        if (first >= last ||
            libdw_.formudata(libdw_.attr(&inlined, DW_AT_call_line, &attribute), &line) != 0)
            return;
        const char* const file = file_of(inlined, DW_AT_call_file);
        Dwarf_Addr base = 0, start = 0, end = 0;
        for (std::ptrdiff_t at = 0;
             file && (at = libdw_.ranges(&inlined, at, &base, &start, &end)) > 0;)
            for (std::size_t i = first; i < last; i++)
                if (start <= asked_[i]->address && asked_[i]->address < end)
                    asked_[i]->source = {file, static_cast<std::uint32_t>(line)};
    }

    // If the function was requested, takes its line from its declaration.
    void read_function(Dwarf_Die& function) {
        Dwarf_Addr entry = 0, base = 0, end = 0;
        // A function in several pieces may only have ranges; it begins with the first.
        if (libdw_.entrypc(&function, &entry) != 0 &&
            libdw_.ranges(&function, 0, &base, &entry, &end) <= 0)
            return;
        auto at = std::lower_bound(
            asked_.begin(), asked_.end(), entry,
            [](const Place* place, std::uint64_t address) { return place->address < address; });
        if (at == asked_.end() || (*at)->address != entry || (*at)->source.line != 0)
            return;
        int line = 0;
        if (libdw_.decl_line(&function, &line) != 0 || line <= 0)
            return;
        if (const char* file = file_of(function, DW_AT_decl_file)) {
            (*at)->source.file = file;
            (*at)->source.line = static_cast<std::uint32_t>(line);
            missing_--;
        }
    }

    // Not dwarf_decl_file(): it interprets file 0, the source file itself in DWARF 5, as "no file".
    const char* file_of(Dwarf_Die& die, unsigned attribute_name) {
        Dwarf_Attribute attribute;
        Dwarf_Word index = 0;
        if (libdw_.formudata(libdw_.attr_integrate(&die, attribute_name, &attribute), &index) != 0)
            return nullptr;
        // The attribute may be in another unit (link-time optimization), with its own files.
        Dwarf_Die unit;
        Dwarf_Half version = 0;
        Dwarf_Files* files = nullptr;
        std::size_t count = 0;
        if (!libdw_.cu_die(attribute.cu, &unit, &version, nullptr, nullptr, nullptr, nullptr,
                           nullptr) ||
            (index == 0 && version < 5) || libdw_.getsrcfiles(&unit, &files, &count) != 0 ||
            index >= count)
            return nullptr;
        return libdw_.filesrc(files, index, nullptr, nullptr);
    }

    void read_line_table(Dwarf_Die& unit, Place& place) {
        Dwarf_Line* entry = libdw_.getsrc_die(&unit, place.address);
        int line = 0;
        if (!entry || libdw_.lineno(entry, &line) != 0 || line <= 0)
            return;
        if (const char* file = libdw_.linesrc(entry, nullptr, nullptr)) {
            place.source.file = file;
            place.source.line = static_cast<std::uint32_t>(line);
        }
    }

    void make_absolute(Dwarf_Die& unit, std::string& file) {
        if (file.empty() || file.front() == '/')
            return;
        Dwarf_Attribute attribute;
        const char* directory = libdw_.attr(&unit, DW_AT_comp_dir, &attribute)
                                    ? libdw_.formstring(&attribute)
                                    : nullptr;
        if (directory && *directory)
            file = std::string(directory) + "/" + file;
    }

    const Libdw& libdw_;
    Dwarf* dwarf_;
    Wanted wanted_;
    std::vector<Place> places_;
    std::vector<Dwarf_Die> units_;
    std::vector<Place*> asked_;  // the places in the unit that is being read, by address
    std::size_t missing_ = 0;    // how many of them do not have a line yet
};

bool has_debug_information(const ElfFile& file) {
    return file.find_section(".debug_info") || file.find_section(".zdebug_info");
}

// The processor time that it takes to read the debug information, from its size: libdw decompresses
// all sections at once.
std::uint64_t estimated_reading_ns(Elf* elf) {
    constexpr std::uint64_t ns_per_compressed_byte = 5, ns_per_byte_of_entries = 4;
    std::uint64_t ns = 0;
    std::size_t names = 0;
    elf_getshdrstrndx(elf, &names);
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        GElf_Chdr compression;
        if (!gelf_getshdr(section, &header))
            continue;
        const char* const text = elf_strptr(elf, names, header.sh_name);
        const std::string_view name = text ? text : "";
        if (!name.starts_with(".debug_") && !name.starts_with(".zdebug_"))
            continue;
        std::uint64_t bytes = header.sh_size;
        if ((header.sh_flags & SHF_COMPRESSED) && gelf_getchdr(section, &compression)) {
            bytes = compression.ch_size;
            ns += ns_per_compressed_byte * bytes;
        }
        if (name.ends_with("debug_info"))
            ns += ns_per_byte_of_entries * bytes;
    }
    return ns;
}

std::vector<SourceLine> lookup_lines(const std::string& path,
                                     const std::vector<std::uint64_t>& offsets, Wanted wanted,
                                     std::uint64_t* limit_ns = nullptr) {
    std::vector<SourceLine> result(offsets.size());
    ElfFile file(path, ElfAccess::map);
    if (!file.get() || offsets.empty())
        return result;
    std::string debug_path;
    if (!has_debug_information(file) && (debug_path = find_debug_file(file, path)).empty())
        return result;
    // A name that cannot be opened stands for "no separate file".
    ElfFile debug_file(debug_path, ElfAccess::map);
    Elf* elf = debug_path.empty() ? file.get() : debug_file.get();
    if (!elf)
        return result;
    if (limit_ns) {
        const std::uint64_t needed_ns = estimated_reading_ns(elf);
        if (needed_ns > *limit_ns)
            return result;
        *limit_ns -= needed_ns;
    }
    const Libdw* const functions = libdw();
    Dwarf* dwarf = functions ? functions->begin_elf(elf, DWARF_C_READ, nullptr) : nullptr;
    if (!dwarf)
        return result;

    std::vector<std::uint64_t> addresses = offsets;
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    std::vector<SourceLine> lines = LineReader(*functions, dwarf, addresses, wanted).read();
    for (std::size_t i = 0; i < offsets.size(); i++) {
        auto at = std::lower_bound(addresses.begin(), addresses.end(), offsets[i]);
        result[i] = lines[static_cast<std::size_t>(at - addresses.begin())];
    }
    functions->end(dwarf);
    return result;
}

}  // namespace

std::vector<SourceLine> lookup_source_lines(const std::string& path,
                                            const std::vector<std::uint64_t>& offsets) {
    return lookup_lines(path, offsets, Wanted::declarations);
}

std::vector<SourceLine> lookup_source_lines(const std::string& path,
                                            const std::vector<std::uint64_t>& offsets,
                                            std::uint64_t& limit_ns) {
    return lookup_lines(path, offsets, Wanted::declarations, &limit_ns);
}

std::vector<SourceLine> lookup_code_lines(const std::string& path,
                                          const std::vector<std::uint64_t>& offsets) {
    return lookup_lines(path, offsets, Wanted::code);
}

std::vector<SourceLine> lookup_function_lines(const std::string& path,
                                              const std::vector<std::uint64_t>& offsets) {
    return lookup_lines(path, offsets, Wanted::code_of_function);
}

}  // namespace vftrace
