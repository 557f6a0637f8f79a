#include "commands/elf_program.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include <gelf.h>

#include "base/text.hpp"
#include "record/annotation_words.hpp"
#include "symbol/elf_file.hpp"

namespace vftrace::tools {
namespace {

// Calls visit(section, header, data) for each section of the type.
template <class Visit>
void for_each_section(const ElfFile& file, GElf_Word type, Visit visit) {
    GElf_Shdr header;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(file.get(), section));)
        if (gelf_getshdr(section, &header) && header.sh_type == type && header.sh_entsize > 0)
            if (Elf_Data* data = elf_getdata(section, nullptr))
                visit(header, data);
}

std::string_view string_in(const ElfFile& file, const GElf_Shdr& header, std::size_t offset) {
    const char* text = elf_strptr(file.get(), header.sh_link, offset);
    return text ? text : "";
}

bool starts_events(std::string_view symbol) {
    return symbol == "__cyg_profile_func_enter" || symbol.starts_with("vftrace_") ||
           symbol.starts_with("__vftrace_MOD_");
}

// The calls that compilers generate for constructs, and for files with kernels.
struct RecordedUse {
    std::string_view prefix, what;
};
constexpr RecordedUse recorded_uses[] = {
    {"GOMP_parallel", "OpenMP constructs"}, {"GOMP_task", "OpenMP constructs"},
    {"__kmpc_fork", "OpenMP constructs"},   {"__kmpc_omp_task", "OpenMP constructs"},
    {"__tgt_target", "OpenMP constructs"},  {"GOACC_", "OpenACC constructs"},
    {"__pgi_uacc_", "OpenACC constructs"},  {"__cudaRegisterFatBinary", "CUDA calls"},
    {"cudaLaunchKernel", "CUDA calls"},     {"cuLaunchKernel", "CUDA calls"}};

// Calls visit(name) for each symbol until it returns true, and returns whether it did. Also visits
// the full symbol table, because a program that is linked statically to the library need not export
// the hooks.
template <class Visit>
bool any_symbol(const ElfFile& file, Visit visit) {
    bool found = false;
    for (GElf_Word type : {SHT_DYNSYM, SHT_SYMTAB})
        for_each_section(file, type, [&](const GElf_Shdr& header, Elf_Data* data) {
            const int count = static_cast<int>(header.sh_size / header.sh_entsize);
            GElf_Sym symbol;
            for (int i = 0; i < count && !found && gelf_getsym(data, i, &symbol); i++)
                found = visit(string_in(file, header, symbol.st_name));
        });
    return found;
}

bool has_hooks(const ElfFile& file) { return any_symbol(file, starts_events); }

std::vector<std::string> seen_without_hooks(const ElfFile& file) {
    std::vector<std::string> seen;
    const auto note = [&](std::string what) {
        if (std::find(seen.begin(), seen.end(), what) == seen.end())
            seen.push_back(std::move(what));
    };
    any_symbol(file, [&](std::string_view symbol) {
        for (const RecordedUse& use : recorded_uses)
            if (symbol.starts_with(use.prefix))
                note(std::string(use.what));
        for (const AnnotationInterfaceWords& interface : annotation_interfaces)
            if (symbol.starts_with(interface.prefix))
                note(std::string("annotations for ") + interface.title);
        return false;
    });
    std::sort(seen.begin(), seen.end());
    return seen;
}

std::string loader_of(const ElfFile& file) {
    std::size_t count = 0;
    elf_getphdrnum(file.get(), &count);
    GElf_Phdr header;
    for (std::size_t i = 0; i < count && gelf_getphdr(file.get(), static_cast<int>(i), &header);
         i++)
        if (header.p_type == PT_INTERP) {
            Elf_Data* const name = elf_getdata_rawchunk(
                file.get(), static_cast<int64_t>(header.p_offset), header.p_filesz, ELF_T_BYTE);
            if (!name || !name->d_buf)
                return {};
            const char* const text = static_cast<const char*>(name->d_buf);
            return {text, strnlen(text, name->d_size)};
        }
    return {};
}

struct Dependencies {
    std::vector<std::string> needed;
    std::vector<std::string> search_path;  // of the file itself, $ORIGIN replaced
};

std::string replace_origin(std::string directory, const std::string& origin) {
    for (std::string_view variable : {"${ORIGIN}", "$ORIGIN"})
        for (std::size_t at; (at = directory.find(variable)) != std::string::npos;)
            directory.replace(at, variable.size(), origin);
    return directory;
}

Dependencies dependencies_of(const ElfFile& file, const std::string& path) {
    Dependencies result;
    std::error_code error;
    const std::string origin = std::filesystem::canonical(path, error).parent_path().string();
    for_each_section(file, SHT_DYNAMIC, [&](const GElf_Shdr& header, Elf_Data* data) {
        const int count = static_cast<int>(header.sh_size / header.sh_entsize);
        GElf_Dyn entry;
        for (int i = 0; i < count && gelf_getdyn(data, i, &entry); i++) {
            const bool is_path = entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH;
            if (entry.d_tag != DT_NEEDED && !is_path)
                continue;
            const std::string_view text = string_in(file, header, entry.d_un.d_val);
            if (!is_path)
                result.needed.emplace_back(text);
            else
                for (std::string_view directory : split(text, ':'))
                    result.search_path.push_back(replace_origin(std::string(directory), origin));
        }
    });
    return result;
}

constexpr auto system_directories =
    std::to_array<std::string_view>({"/lib", "/lib64", "/usr/lib", "/usr/lib64"});

bool is_system_file(std::string_view path) {
    for (std::string_view directory : system_directories)
        if (path.starts_with(directory) && path.substr(directory.size()).starts_with('/'))
            return true;
    return false;
}

bool is_in_system(const std::string& library) {
    std::error_code error;
    for (std::string_view directory : system_directories) {
        const std::filesystem::path top(directory);
        if (std::filesystem::exists(top / library, error))
            return true;
        // Debian and its derivatives: /usr/lib/x86_64-linux-gnu
        for (const char* machine : {"x86_64-linux-gnu", "aarch64-linux-gnu"})
            if (std::filesystem::exists(top / machine / library, error))
                return true;
    }
    return false;
}

ElfProgram::Hooks hooks_of_library(const std::string& library,
                                   const std::vector<std::string>& search_path) {
    using Hooks = ElfProgram::Hooks;
    std::vector<std::string> candidates;
    if (library.find('/') != std::string::npos)
        candidates.push_back(library);
    else
        for (const std::string& directory : search_path)
            candidates.push_back((directory.empty() ? "." : directory) + "/" + library);
    for (const std::string& candidate : candidates) {
        const ElfFile file(candidate);
        if (file.get())
            return !is_system_file(candidate) && has_hooks(file) ? Hooks::present : Hooks::none;
    }
    return is_in_system(library) ? Hooks::none : Hooks::unknown;
}

}  // namespace

ElfProgram examine_elf_program(const std::string& path) {
    ElfProgram program;
    const ElfFile file(path);
    GElf_Ehdr header;
    if (!file.get() || !gelf_getehdr(file.get(), &header))
        return program;
    program.is_elf = true;
    program.loader = loader_of(file);
    if (has_hooks(file)) {
        program.hooks = ElfProgram::Hooks::present;
        return program;
    }
    program.seen_without_hooks = seen_without_hooks(file);
    Dependencies dependencies = dependencies_of(file, path);
    if (const char* extra = std::getenv("LD_LIBRARY_PATH"))
        for (std::string_view directory : split(extra, ':'))
            dependencies.search_path.emplace_back(directory);
    for (const std::string& library : dependencies.needed) {
        const ElfProgram::Hooks hooks = hooks_of_library(library, dependencies.search_path);
        if (hooks == ElfProgram::Hooks::present) {
            program.hooks = hooks;
            break;
        }
        if (hooks == ElfProgram::Hooks::unknown)
            program.hooks = hooks;
    }
    return program;
}

}  // namespace vftrace::tools
