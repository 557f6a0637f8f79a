#include "commands/openmp_library.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <gelf.h>

#include "commands/commands.hpp"
#include "commands/environment_variable.hpp"
#include "config/options.hpp"
#include "symbol/elf_file.hpp"

namespace vftrace::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view gomp_prefix = "GOMP_";

// The functions of GCC's library that a file defines, or calls without defining them; sorted.
std::vector<std::string> gomp_functions(const std::string& path, bool defined) {
    std::vector<std::string> names;
    const ElfFile file(path);
    Elf_Scn* const section = file.get() ? file.find_section(".dynsym") : nullptr;
    GElf_Shdr header;
    Elf_Data* const data = section ? elf_getdata(section, nullptr) : nullptr;
    if (!data || !gelf_getshdr(section, &header) || header.sh_entsize == 0)
        return names;
    const int count = static_cast<int>(header.sh_size / header.sh_entsize);
    GElf_Sym symbol;
    for (int i = 0; i < count && gelf_getsym(data, i, &symbol); i++) {
        const char* const name = elf_strptr(file.get(), header.sh_link, symbol.st_name);
        if (name && (symbol.st_shndx != SHN_UNDEF) == defined &&
            std::string_view(name).starts_with(gomp_prefix))
            names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

// LLVM's library where the loader finds it, otherwise the one in the folder of the latest LLVM.
std::string find_llvm_library() {
    for (const char* name : {"libomp.so.5", "libomp.so", "libiomp5.so"})
        if (void* const library = dlopen(name, RTLD_LAZY)) {
            const link_map* map = nullptr;
            const bool found = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0;
            std::string path = found ? fs::weakly_canonical(map->l_name).string() : "";
            dlclose(library);
            if (!path.empty())
                return path;
        }
    fs::path best;
    int best_version = -1;
    std::error_code error;
    for (const fs::directory_entry& folder : fs::directory_iterator("/usr/lib", error)) {
        const std::string name = folder.path().filename();
        const fs::path library = folder.path() / "lib" / "libomp.so.5";
        if (!name.starts_with("llvm-") || !fs::is_regular_file(library, error))
            continue;
        const int version = std::atoi(name.c_str() + std::string_view("llvm-").size());
        if (version > best_version) {
            best_version = version;
            best = library;
        }
    }
    if (best.empty())
        throw CommandError("--openmp llvm: LLVM's OpenMP library libomp.so was not found; name it "
                           "with --openmp llvm:FILE (Debian: libomp-dev)");
    return best;
}

void check_that_it_suffices(const std::string& library, const std::string& program) {
    const std::vector<std::string> has = gomp_functions(library, true);
    if (has.empty())
        throw CommandError(fmt::format("--openmp llvm: {} does not have the functions of GCC's "
                                       "OpenMP library",
                                       library));
    std::string missing;
    for (const std::string& name : gomp_functions(program, false))
        if (!std::binary_search(has.begin(), has.end(), name))
            missing += (missing.empty() ? "" : ", ") + name;
    if (!missing.empty())
        throw CommandError(
            fmt::format("--openmp llvm: {} calls functions that {} does not have: {}", program,
                        library, missing));
}

}  // namespace

std::string openmp_library_to_preload(const std::string& request, const std::string& program) {
    constexpr std::string_view with_file = "llvm:";
    if (request == "auto")
        return {};
    if (request == "no") {
        set_environment_variable(environment_name("openmp.active"), "false");
        return {};
    }
    std::string library;
    if (request == "llvm") {
        library = find_llvm_library();
    } else if (request.starts_with(with_file)) {
        std::error_code error;
        library = fs::absolute(request.substr(with_file.size()), error).lexically_normal();
        if (!fs::is_regular_file(library, error))
            throw CommandError(fmt::format("--openmp {}: no such library", request));
    } else {
        throw CommandError(
            fmt::format("--openmp {}: must be auto, llvm, llvm:FILE or no", request));
    }
    check_that_it_suffices(library, program);
    return library;
}

}  // namespace vftrace::tools
