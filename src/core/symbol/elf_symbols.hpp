// Names of functions and objects in an ELF file, by address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

class CodeFiles;  // symbol/code_file.hpp

struct ModuleSymbols {
    // One name per requested offset, "" if no function symbol has exactly that address.
    std::vector<std::string> names;
    std::string build_id;  // hexadecimal, "" if there is none
    std::string error;     // "" or why the file could not be read; then all names are ""
};

// Looks `offsets` up (link-time addresses: run-time address - load bias; any order, duplicates
// allowed) among the STT_FUNC and STT_GNU_IFUNC symbols of the file at `path`. Sources in this
// order: .symtab, the .symtab of a separate debug file found by build-id or .gnu_debuglink,
// .dynsym; a later one is opened only for offsets that the earlier ones do not know. Of several
// symbols at one address the choice is always the same: global before weak before local, then the
// shorter, then the alphabetically first. Symbol versions (`read@@LIB_2`) are cut off, so that a
// file and its stripped copy give the same names.
// Never crashes on a truncated or hostile file. Cost: one pass over the symbols.
ModuleSymbols lookup_symbols(const std::string& path, const std::vector<std::uint64_t>& offsets);
// The same in the file of a module of a process, CodeFiles::path(): which one that is need not be
// found out first if the module's own path still leads to it.
ModuleSymbols lookup_symbols(CodeFiles& files, std::uint16_t module,
                             const std::vector<std::uint64_t>& offsets);

enum class SymbolType : std::uint8_t {
    function,  // STT_FUNC, STT_GNU_IFUNC
    object     // STT_OBJECT: a variable
};

// A place in a function or an object.
struct SymbolOffset {
    std::string name;            // "" if no symbol covers the address
    std::uint64_t distance = 0;  // from where that begins
};

// The same for addresses anywhere in functions, or in objects. Of several symbols that cover an
// address, the one that begins last.
std::vector<SymbolOffset> lookup_enclosing_symbols(const std::string& path,
                                                   const std::vector<std::uint64_t>& offsets,
                                                   SymbolType type = SymbolType::function);

// Calls visit(context, name, link-time address, size in bytes, 0 if unknown) for all functions that
// the file, or its separate debug file, names; for some of them twice. Nothing happens if the file
// cannot be read.
void visit_functions(const std::string& path,
                     void (*visit)(void* context, std::string_view name, std::uint64_t address,
                                   std::uint64_t size),
                     void* context);

// The functions with these names, which are sorted, in the symbol table of the file itself, which
// has to be a program of this machine. Costs below 100 ns for each symbol of the file.
struct FoundFunction {
    std::size_t name;       // its index
    std::uint64_t address;  // at link time
    std::uint64_t size;     // bytes
};
std::vector<FoundFunction> find_functions(const std::string& path,
                                          std::span<const std::string_view> names);

}  // namespace vftrace
