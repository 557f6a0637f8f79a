#include "symbol/function_set.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <link.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/code_file.hpp"
#include "symbol/elf_symbols.hpp"
#include "symbol/hooked_modules.hpp"
#include "symbol/names.hpp"
#include "symbol/source_lines.hpp"
#include "symbol/visit_loaded.hpp"

namespace vftrace {
namespace {

struct Candidate {
    std::uintptr_t address;  // link-time
    std::string symbol;
};

void note_candidate(void* context, std::string_view name, std::uint64_t address, std::uint64_t) {
    static_cast<std::vector<Candidate>*>(context)->push_back({address, std::string(name)});
}

// How often the dynamic loader has loaded something.
std::uint64_t loads_so_far() {
    std::uint64_t loads = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* information, std::size_t, void* result) {
            *static_cast<std::uint64_t*>(result) = information->dlpi_adds;
            return 1;
        },
        &loads);
    return loads;
}

std::uintptr_t page_of(std::uintptr_t address) {
    return address & ~(static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)) - 1);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool names_source_files(const char* pattern) {
    for (const char* c = pattern; *c; c++)
        if (*c == '/' || (*c == '.' && is_letter(c[1])))
            return true;
    return false;
}

FunctionSet::FunctionSet(const char* pattern, Compared compared)
    : valid_(regcomp(&expression_, pattern, REG_EXTENDED | REG_NOSUB) == 0),
      with_source_files_(compared == Compared::everything && names_source_files(pattern)),
      compared_(compared) {}

FunctionSet::~FunctionSet() {
    if (valid_)
        regfree(&expression_);
    delete index_;
}

std::vector<FunctionSet::File> FunctionSet::loaded_files() {
    std::vector<File> files;
    bool executable = true;  // comes first
    visit_loaded([&](const dl_phdr_info& information) {
        File file{information.dlpi_name, information.dlpi_addr, UINTPTR_MAX, 0, {}, false, {}};
        for (int i = 0; i < information.dlpi_phnum; i++) {
            const ElfW(Phdr)& piece = information.dlpi_phdr[i];
            if (piece.p_type != PT_LOAD)
                continue;
            file.start = std::min<std::uintptr_t>(file.start, file.bias + piece.p_vaddr);
            file.end =
                std::max<std::uintptr_t>(file.end, file.bias + piece.p_vaddr + piece.p_memsz);
        }
        file.id = file_id_of_image(reinterpret_cast<const void*>(page_of(file.start)), file.bias,
                                   file.end);
        if (executable) {
            struct stat status;
            if (file.id.build_id_bytes == 0 && stat("/proc/self/exe", &status) == 0)
                set_file_status(file.id, status);
            char path[PATH_MAX];
            const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
            file.path.assign(path, length > 0 ? static_cast<std::size_t>(length) : 0);
        }
        const auto own = reinterpret_cast<std::uintptr_t>(&note_candidate);
        const bool is_ours = own >= file.start && own < file.end;
        const bool kernels = file.path.find('/') == std::string::npos;
        if (executable || (!kernels && !is_ours && may_call_hooks(information)))
            files.push_back(std::move(file));
        executable = false;
        return false;
    });
    return files;
}

bool FunctionSet::matches(const std::string& text) const {
    return !text.empty() && regexec(&expression_, text.c_str(), 0, nullptr, 0) == 0;
}

// Where the code of a file that is loaded can be read.
std::string FunctionSet::code_of(const File& file) {
    LoadedModule module{file.start, file.end, file.bias, file.path.c_str(), true, file.id};
    const ModuleTable table{&module, 1};
    CodeFiles files(table, own_process_folder);
    return files.path(0);
}

void FunctionSet::choose_functions(File& file) const {
    const bool everything = compared_ == Compared::everything;
    file.whole = everything && matches(file.path);
    if (file.whole)
        return;
    std::vector<Candidate> candidates;
    const std::string code = code_of(file);
    visit_functions(code, note_candidate, &candidates);
    std::vector<std::uint64_t> others;
    for (const Candidate& candidate : candidates) {
        if (matches(clean_name(candidate.symbol)) ||
            (everything && (matches(candidate.symbol) || matches(demangle(candidate.symbol)))))
            file.functions.push_back(file.bias + candidate.address);
        else if (with_source_files_)
            others.push_back(candidate.address);
    }
    if (others.empty())
        return;
    const std::vector<SourceLine> lines = lookup_source_lines(code, others);
    for (std::size_t i = 0; i < others.size(); i++)
        if (matches(lines[i].file))
            file.functions.push_back(file.bias + others[i]);
}

void FunctionSet::add_loaded_files() {
    const std::uint64_t loads = loads_so_far();
    if (!valid_ || loads == loads_)
        return;
    loads_ = loads;
    std::vector<File> files = loaded_files();
    auto* index = new Index;
    for (File& file : files) {
        auto known = std::find_if(files_.begin(), files_.end(), [&](const File& old) {
            return old.bias == file.bias && old.end == file.end && old.path == file.path &&
                   std::memcmp(&old.id, &file.id, sizeof file.id) == 0;
        });
        if (known != files_.end())
            file = std::move(*known);
        else
            choose_functions(file);
        index->files.push_back({file.start, file.end, file.whole});
        index->functions.insert(index->functions.end(), file.functions.begin(),
                                file.functions.end());
    }
    files_ = std::move(files);
    std::sort(index->files.begin(), index->files.end(),
              [](const Range& a, const Range& b) { return a.start < b.start; });
    std::sort(index->functions.begin(), index->functions.end());
    __atomic_store_n(&index_, index, __ATOMIC_RELEASE);
}

const FunctionSet::Range* FunctionSet::range_at(const Index* index, std::uintptr_t address) {
    auto after = std::upper_bound(
        index->files.begin(), index->files.end(), address,
        [](std::uintptr_t value, const Range& range) { return value < range.start; });
    return after != index->files.begin() && address < std::prev(after)->end ? &*std::prev(after)
                                                                            : nullptr;
}

bool FunctionSet::contains(std::uintptr_t address) const {
    const Index* index = __atomic_load_n(&index_, __ATOMIC_ACQUIRE);
    if (!index)
        return false;
    if (std::binary_search(index->functions.begin(), index->functions.end(), address))
        return true;
    const Range* range = range_at(index, address);
    return range && range->whole;
}

bool FunctionSet::empty() const {
    const Index* index = __atomic_load_n(&index_, __ATOMIC_ACQUIRE);
    return index && index->functions.empty() &&
           std::none_of(index->files.begin(), index->files.end(),
                        [](const Range& range) { return range.whole; });
}

std::vector<std::uintptr_t> FunctionSet::file_addresses() const {
    std::vector<std::uintptr_t> addresses;
    for (const File& file : files_)
        addresses.push_back(file.start);
    return addresses;
}

bool FunctionSet::knows(std::uintptr_t address) const {
    const Index* index = __atomic_load_n(&index_, __ATOMIC_ACQUIRE);
    return index && range_at(index, address);
}

}  // namespace vftrace
