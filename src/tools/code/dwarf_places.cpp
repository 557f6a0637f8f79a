// Lines and inlined functions from DWARF, read with libdw.
//
// Only what contains a requested address is decoded: of the file its units, of a unit its functions
// and its line table, of a function its inlined calls and blocks. Each is then kept, sorted by
// address. The file may be damaged: entries are visited in ascending order only, to a limited depth
// and up to a limited number.
#include "code/source_places.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "symbol/libdw.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

constexpr std::uint32_t none = 0xffffffff;
constexpr unsigned gnu_discriminator = 0x2136;  // DW_AT_GNU_discriminator of later headers

// LLVM packs three numbers into a discriminator: the block of code, how many copies of it there
// are, and which copy it is (LLVM 14 to 19, DILocation::getBaseDiscriminatorFromDiscriminator and
// getDuplicationFactorFromDiscriminator in DebugInfoMetadata.h). Each takes 1, 7 or 14 bits.
std::uint32_t first_component(std::uint32_t value) {
    if (value & 1)
        return 0;
    value >>= 1;
    return value & 0x20 ? (value >> 1 & 0xfe0) | (value & 0x1f) : value & 0x1f;
}
std::uint32_t after_component(std::uint32_t value) {
    if (value & 1)
        return value >> 1;
    return value >> (value & 0x40 ? 14 : 7);
}

struct Range {
    std::uint64_t start, end;
    std::uint32_t item;   // of which it is
    std::uint32_t depth;  // how many others it is nested in
};

// Ranges that are nested in each other, as they were added, and then as a list of pieces without
// overlaps, each of the innermost one there.
class NestedRanges {
  public:
    void add(std::uint64_t start, std::uint64_t end, std::uint32_t item, std::uint32_t depth) {
        if (start < end)
            ranges_.push_back({start, end, item, depth});
    }

    void finish() {
        std::sort(ranges_.begin(), ranges_.end(),
                  [](const Range& a, const Range& b) { return a.start < b.start; });
        std::set<Innermost> open;
        std::uint64_t at = 0;
        const auto close_until = [&](std::uint64_t end) {
            while (!open.empty() && at < end) {
                const Innermost inner = *open.begin();
                if (inner.end <= at) {
                    open.erase(open.begin());
                    continue;
                }
                const std::uint64_t stop = std::min(inner.end, end);
                append(at, stop, inner.item);
                at = stop;
            }
        };
        for (const Range& range : ranges_) {
            close_until(range.start);
            at = range.start;
            open.insert({range.depth, range.item, range.end});
        }
        close_until(~std::uint64_t{0});
        ranges_ = {};
    }

    std::uint32_t find(std::uint64_t address) const {
        auto after = std::upper_bound(
            pieces_.begin(), pieces_.end(), address,
            [](std::uint64_t wanted, const Piece& piece) { return wanted < piece.start; });
        if (after == pieces_.begin() || address >= std::prev(after)->end)
            return none;
        return std::prev(after)->item;
    }

  private:
    struct Innermost {  // the innermost comes first
        std::uint32_t depth, item;
        std::uint64_t end;
        bool operator<(const Innermost& other) const {
            if (depth != other.depth)
                return depth > other.depth;
            return item != other.item ? item > other.item : end < other.end;
        }
    };
    struct Piece {
        std::uint64_t start, end;
        std::uint32_t item;
    };
    void append(std::uint64_t start, std::uint64_t end, std::uint32_t item) {
        if (!pieces_.empty() && pieces_.back().end == start && pieces_.back().item == item)
            pieces_.back().end = end;
        else
            pieces_.push_back({start, end, item});
    }

    std::vector<Range> ranges_;
    std::vector<Piece> pieces_;
};

// A function, or one that is inlined.
struct Scope {
    Dwarf_Die die;
    std::uint32_t caller = none;  // the scope that it is inlined in
    bool is_named = false;        // `function` and `call` are filled
    SourcePlace function;         // without file and line
    SourcePlace call;             // where it is inlined: file, line, column and discriminator
};

struct Unit {
    Dwarf_Die skeleton;  // has the line table
    Dwarf_Die die;       // has the functions: of a .dwo file, or the same
    bool is_read = false, nested_are_read = false;
    bool is_llvm = false;                                // which compiler wrote it
    std::unordered_map<const char*, std::string> files;  // made absolute, by names of its lines
    std::vector<Scope> scopes;
    NestedRanges functions;                          // items: scopes
    std::map<std::uint32_t, NestedRanges> contents;  // by scope of a function; items: scopes
};

class DwarfPlaces : public DebugPlaces {
  public:
    DwarfPlaces(const Libdw& libdw, Dwarf* dwarf) : libdw_(libdw), dwarf_(dwarf) { find_units(); }
    ~DwarfPlaces() override { libdw_.end(dwarf_); }
    DwarfPlaces(const DwarfPlaces&) = delete;
    DwarfPlaces& operator=(const DwarfPlaces&) = delete;

    std::vector<SourcePlace> at(std::uint64_t address) override {
        const std::uint32_t number = ranges_.find(address);
        if (number == none)
            return {};
        Unit& unit = units_[number];
        std::vector<SourcePlace> places;
        SourcePlace place = line_at(unit, address);
        std::uint32_t scope = innermost_scope(unit, address);
        if (scope == none) {
            if (!place.file.empty())
                places.push_back(std::move(place));
            return places;
        }
        constexpr std::size_t most_frames = 256;
        for (; scope != none && places.size() < most_frames; scope = unit.scopes[scope].caller) {
            const Scope& named = name(unit, scope);
            place.function = named.function.function;
            place.function_display = named.function.function_display;
            place.function_line = named.function.function_line;
            place.is_llvm = unit.is_llvm;
            places.push_back(std::move(place));
            place = named.call;
        }
        return places;
    }

  private:
    static constexpr int deepest = 128;
    static constexpr std::size_t most_entries = 50'000'000;  // visited in one file

    void find_units() {
        Dwarf_CU* unit = nullptr;
        Dwarf_Die die, split;
        std::uint8_t type = 0;
        while (libdw_.get_units(dwarf_, unit, &unit, nullptr, &type, &die, &split) == 0) {
            const auto number = static_cast<std::uint32_t>(units_.size());
            // Code that the linker dropped is put at address 0 or 1.
            if (!add_ranges(die, ranges_, number, 0))
                continue;
            Unit& added = units_.emplace_back();
            const char* const producer = text(die, DW_AT_producer);
            added.is_llvm =
                producer && (std::strstr(producer, "clang") || std::strstr(producer, "flang") ||
                             std::strstr(producer, "LLVM"));
            added.skeleton = die;
            added.die = type == DW_UT_skeleton && split.addr ? split : die;
        }
        ranges_.finish();
    }

    bool add_ranges(Dwarf_Die& die, NestedRanges& ranges, std::uint32_t item, std::uint32_t depth) {
        constexpr int most_ranges = 1 << 20;
        Dwarf_Addr base = 0, start = 0, end = 0;
        bool any = false;
        int count = 0;
        for (std::ptrdiff_t at = 0;
             count < most_ranges && (at = libdw_.ranges(&die, at, &base, &start, &end)) > 0;
             count++) {
            if (start <= 1 || start >= end)
                continue;
            ranges.add(start, end, item, depth);
            any = true;
        }
        return any;
    }

    // Calls visit(entry) for the entries in `parent`, in ascending order.
    template <class Visit>
    void visit_children(Dwarf_Die& parent, Visit visit) {
        Dwarf_Die die;
        if (libdw_.child(&parent, &die) != 0)
            return;
        for (const void* previous = nullptr; die.addr > previous;) {
            previous = die.addr;
            if (++visited_ > most_entries)
                return;
            visit(die);
            if (libdw_.siblingof(&die, &die) != 0)
                return;
        }
    }

    void read_functions(Unit& unit, Dwarf_Die& parent, int depth, bool inside_functions) {
        if (depth > deepest)
            return;
        visit_children(parent, [&](Dwarf_Die& die) {
            switch (libdw_.tag(&die)) {
            case DW_TAG_subprogram: {
                const auto scope = static_cast<std::uint32_t>(unit.scopes.size());
                if (add_ranges(die, unit.functions, scope, 0))
                    unit.scopes.push_back({die, none, false, {}, {}});
                if (inside_functions)
                    read_functions(unit, die, depth + 1, true);
                break;
            }
            case DW_TAG_lexical_block:
                if (inside_functions)
                    read_functions(unit, die, depth + 1, true);
                break;
            case DW_TAG_namespace:
            case DW_TAG_module:
            case DW_TAG_class_type:
            case DW_TAG_structure_type:
                read_functions(unit, die, depth + 1, inside_functions);
                break;
            }
        });
    }

    // Records what is inlined in a function, and in that.
    void read_contents(Unit& unit, NestedRanges& ranges, Dwarf_Die& parent, std::uint32_t scope,
                       std::uint32_t depth) {
        if (depth > deepest)
            return;
        visit_children(parent, [&](Dwarf_Die& die) {
            const int tag = libdw_.tag(&die);
            if (tag == DW_TAG_inlined_subroutine) {
                const auto inner = static_cast<std::uint32_t>(unit.scopes.size());
                unit.scopes.push_back({die, scope, false, {}, {}});
                add_ranges(die, ranges, inner, depth);
                read_contents(unit, ranges, die, inner, depth + 1);
            } else if (tag == DW_TAG_lexical_block) {
                read_contents(unit, ranges, die, scope, depth);
            }
        });
    }

    std::uint32_t innermost_scope(Unit& unit, std::uint64_t address) {
        if (!unit.is_read) {
            unit.is_read = true;
            read_functions(unit, unit.die, 0, false);
            unit.functions.finish();
        }
        std::uint32_t function = unit.functions.find(address);
        // Functions inside functions (Fortran's `contains`): only if needed, because everything in
        // every function must be visited.
        if (function == none && !unit.nested_are_read) {
            unit.nested_are_read = true;
            unit.scopes.clear();
            unit.contents.clear();
            unit.functions = {};
            read_functions(unit, unit.die, 0, true);
            unit.functions.finish();
            function = unit.functions.find(address);
        }
        if (function == none)
            return none;
        const auto [contents, is_new] = unit.contents.try_emplace(function);
        if (is_new) {
            Dwarf_Die die = unit.scopes[function].die;
            read_contents(unit, contents->second, die, function, 1);
            contents->second.finish();
        }
        const std::uint32_t inner = contents->second.find(address);
        return inner == none ? function : inner;
    }

    const Scope& name(Unit& unit, std::uint32_t number) {
        Scope& scope = unit.scopes[number];
        if (scope.is_named)
            return scope;
        scope.is_named = true;
        const char* const linkage = text(scope.die, DW_AT_linkage_name);
        const char* const mips = linkage ? linkage : text(scope.die, DW_AT_MIPS_linkage_name);
        const char* const plain = text(scope.die, DW_AT_name);
        scope.function.function = mips ? mips : plain ? plain : "";
        scope.function.function_display = mips ? readable(mips) : "";
        if (scope.function.function_display.empty())
            scope.function.function_display = plain ? plain : scope.function.function;
        scope.function.function_line = number_of(scope.die, DW_AT_decl_line);
        if (scope.caller != none) {
            scope.call.file = file_of(unit, scope.die, DW_AT_call_file);
            scope.call.line = number_of(scope.die, DW_AT_call_line);
            scope.call.column = number_of(scope.die, DW_AT_call_column);
            set_discriminator(unit, number_of(scope.die, gnu_discriminator), scope.call);
        }
        return scope;
    }

    // A function may be inlined in thousands of places.
    const std::string& readable(const char* linkage_name) {
        const auto [known, is_new] = readable_.try_emplace(linkage_name);
        if (is_new)
            if (const std::string demangled = demangle(linkage_name); !demangled.empty())
                known->second = short_cxx_name(demangled);
        return known->second;
    }

    const char* text(Dwarf_Die& die, unsigned attribute) {
        Dwarf_Attribute found;
        return libdw_.attr_integrate(&die, attribute, &found) ? libdw_.formstring(&found) : nullptr;
    }

    std::uint32_t number_of(Dwarf_Die& die, unsigned attribute) {
        Dwarf_Attribute found;
        Dwarf_Word value = 0;
        if (libdw_.formudata(libdw_.attr_integrate(&die, attribute, &found), &value) != 0)
            return 0;
        return static_cast<std::uint32_t>(value);
    }

    std::string file_of(Unit& unit, Dwarf_Die& die, unsigned attribute) {
        Dwarf_Attribute found;
        Dwarf_Word index = 0;
        Dwarf_Files* files = nullptr;
        std::size_t count = 0;
        if (!libdw_.attr(&die, attribute, &found) || libdw_.formudata(&found, &index) != 0 ||
            libdw_.getsrcfiles(&unit.skeleton, &files, &count) != 0 || index >= count)
            return "";
        const char* file = libdw_.filesrc(files, index, nullptr, nullptr);
        return file ? absolute(unit, file) : "";
    }

    SourcePlace line_at(Unit& unit, std::uint64_t address) {
        SourcePlace place;
        int line = 0, column = 0;
        unsigned discriminator = 0;
        Dwarf_Line* const entry = libdw_.getsrc_die(&unit.skeleton, address);
        if (!entry || libdw_.lineno(entry, &line) != 0)
            return place;
        const char* const file = libdw_.linesrc(entry, nullptr, nullptr);
        if (!file)
            return place;
        place.file = absolute(unit, file);
        place.line = static_cast<std::uint32_t>(std::max(line, 0));
        if (libdw_.linecol(entry, &column) == 0)
            place.column = static_cast<std::uint32_t>(std::max(column, 0));
        if (libdw_.linediscriminator(entry, &discriminator) == 0)
            set_discriminator(unit, discriminator, place);
        return place;
    }

    void set_discriminator(const Unit& unit, std::uint32_t value, SourcePlace& place) {
        place.discriminator = unit.is_llvm ? first_component(value) : value;
        place.copies = unit.is_llvm ? std::max(first_component(after_component(value)), 1U) : 1;
    }

    // `file`: a name in the unit's table of lines.
    const std::string& absolute(Unit& unit, const char* file) {
        const auto [known, is_new] = unit.files.try_emplace(file);
        std::string& path = known->second;
        if (!is_new)
            return path;
        if (*file != '/') {
            Dwarf_Attribute found;
            const char* const directory = libdw_.attr(&unit.skeleton, DW_AT_comp_dir, &found)
                                              ? libdw_.formstring(&found)
                                              : nullptr;
            if (directory && *directory)
                path = std::string(directory) + "/";
        }
        path += file;
        for (std::size_t dot; (dot = path.find("/./")) != std::string::npos;)
            path.erase(dot, 2);
        return path;
    }

    const Libdw& libdw_;
    Dwarf* dwarf_;
    std::size_t visited_ = 0;
    std::vector<Unit> units_;
    NestedRanges ranges_;  // items: units
    std::unordered_map<std::string, std::string> readable_;
};

}  // namespace

std::unique_ptr<DebugPlaces> read_debug_places(Elf* elf) {
    const Libdw* const functions = libdw();
    Dwarf* const dwarf = functions ? functions->begin_elf(elf, DWARF_C_READ, nullptr) : nullptr;
    return dwarf ? std::make_unique<DwarfPlaces>(*functions, dwarf) : nullptr;
}

bool can_read_debug_information() { return libdw() != nullptr; }

}  // namespace vftrace
