// Functions that a regular expression chooses, by address.
#include "symbol/function_set.hpp"

#include <algorithm>
#include <cstring>
#include <link.h>
#include <new>
#include <string>
#include <string_view>

#include "symbol/elf_symbols.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

struct LoadedFile {
    std::string path;
    std::uintptr_t bias;
};

struct Loaded {
    std::vector<LoadedFile> files;
    std::uint64_t loads = 0;
};

int note_file(dl_phdr_info* information, std::size_t, void* context) {
    auto& loaded = *static_cast<Loaded*>(context);
    loaded.loads = information->dlpi_adds;
    std::string path = loaded.files.empty() ? "/proc/self/exe" : information->dlpi_name;
    loaded.files.push_back({std::move(path), information->dlpi_addr});
    return 0;
}

struct Search {
    const regex_t& expression;
    std::uintptr_t bias;
    std::vector<std::uintptr_t>& found;
};

void test_function(void* context, std::string_view name, std::uint64_t address) {
    auto& search = *static_cast<Search*>(context);
    const std::string clean = clean_name(name);
    if (regexec(&search.expression, clean.c_str(), 0, nullptr, 0) == 0)
        search.found.push_back(search.bias + address);
}

}  // namespace

FunctionSet::FunctionSet(const char* pattern)
    : valid_(regcomp(&expression_, pattern, REG_EXTENDED | REG_NOSUB) == 0) {}

void FunctionSet::add_loaded_files() {
    if (!valid_)
        return;
    Loaded loaded;
    dl_iterate_phdr(note_file, &loaded);
    if (loaded.loads == loads_)
        return;
    loads_ = loaded.loads;
    std::vector<std::uintptr_t> found;
    for (const LoadedFile& file : loaded.files) {
        if (std::find(known_files_.begin(), known_files_.end(), file.bias) != known_files_.end())
            continue;
        known_files_.push_back(file.bias);
        Search search{expression_, file.bias, found};
        if (file.path.find('/') != std::string::npos)  // not the kernel's
            visit_functions(file.path, test_function, &search);
    }
    if (const Addresses* old = addresses_)
        found.insert(found.end(), old->sorted, old->sorted + old->count);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    auto* addresses = new Addresses{found.size(), new std::uintptr_t[found.size() + 1]};
    std::copy(found.begin(), found.end(), addresses->sorted);
    __atomic_store_n(&addresses_, addresses, __ATOMIC_RELEASE);
}

bool FunctionSet::contains(std::uintptr_t address) const {
    const Addresses* addresses = __atomic_load_n(&addresses_, __ATOMIC_ACQUIRE);
    return addresses &&
           std::binary_search(addresses->sorted, addresses->sorted + addresses->count, address);
}

}  // namespace vftrace
