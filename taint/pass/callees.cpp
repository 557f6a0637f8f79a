// What is known about a called function: whether the sanitizer follows data through it, whether its
// code is analysed here, and whether it communicates.
#include "taint/pass/callees.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <llvm/IR/GlobalAlias.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace vftrace::taint {
namespace {

// Sorted by name.
constexpr CommunicationFunction communication_functions[] = {
#include "taint/communication_functions.inc"
};

constexpr LibraryWork library_works[] = {
    {"bcmp", {2, -1}, false},    {"bcopy", {2, -1}, false},   {"bsearch", {2, -1}, false},
    {"bzero", {1, -1}, false},   {"calloc", {0, 1}, false},   {"fread", {1, 2}, false},
    {"fwrite", {1, 2}, false},   {"memccpy", {3, -1}, false}, {"memchr", {2, -1}, false},
    {"memcmp", {2, -1}, false},  {"memcpy", {2, -1}, false},  {"memmove", {2, -1}, false},
    {"mempcpy", {2, -1}, false}, {"memset", {2, -1}, false},  {"pread", {2, -1}, false},
    {"pwrite", {2, -1}, false},  {"qsort", {1, -1}, false},   {"read", {2, -1}, false},
    {"recv", {2, -1}, false},    {"send", {2, -1}, false},    {"stpcpy", {1, -1}, true},
    {"strcat", {0, 1}, true},    {"strchr", {0, -1}, true},   {"strcmp", {0, 1}, true},
    {"strcpy", {1, -1}, true},   {"strdup", {0, -1}, true},   {"strlen", {0, -1}, true},
    {"strncat", {2, -1}, false}, {"strncmp", {2, -1}, false}, {"strncpy", {2, -1}, false},
    {"strndup", {1, -1}, false}, {"strnlen", {1, -1}, false}, {"strrchr", {0, -1}, true},
    {"strstr", {0, 1}, true},    {"write", {2, -1}, false},
};

}  // namespace

Callees::Callees() {
    auto& options = llvm::cl::getRegisteredOptions();
    const auto option = options.find("dfsan-abilist");
    if (option == options.end())
        return;
    const auto& files = *static_cast<llvm::cl::list<std::string>*>(option->second);
    lists = llvm::SpecialCaseList::createOrDie({files.begin(), files.end()},
                                               *llvm::vfs::getRealFileSystem());
}

bool Callees::is_listed(llvm::StringRef name, llvm::StringRef category) const {
    return lists && lists->inSection("dataflow", "fun", name, category);
}

bool Callees::is_uninstrumented(const llvm::Function& function) const {
    return is_listed(function.getName(), "uninstrumented");
}

bool Callees::is_opaque(const llvm::Function& function) const {
    return is_listed(function.getName(), "opaque");
}

bool Callees::is_own(const llvm::Function& function) {
    const llvm::StringRef name = function.getName();
    return name.starts_with("vftrace_") || name.starts_with("_ZN7vftrace") ||
           name.starts_with("_ZNK7vftrace") || name.contains("perf_taint") ||
           name.starts_with("__dfs") || name.starts_with("dfsan_");
}

bool Callees::is_analysed(const llvm::Function& function) const {
    return !function.isDeclarationForLinker() && !is_own(function) &&
           !function.isPresplitCoroutine() && !function.hasFnAttribute(llvm::Attribute::Naked) &&
           !function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation) &&
           (function.getName() == "main" || !is_uninstrumented(function));
}

const CommunicationFunction* Callees::communication(const llvm::Function& function) {
    llvm::StringRef name = function.getName();
    if (name.starts_with("PMPI_"))
        name = name.drop_front();
    const auto* found =
        std::lower_bound(std::begin(communication_functions), std::end(communication_functions),
                         name, [](const CommunicationFunction& row, llvm::StringRef wanted) {
                             return llvm::StringRef(row.name) < wanted;
                         });
    return found != std::end(communication_functions) && name == found->name ? found : nullptr;
}

const LibraryWork* Callees::library_work(const llvm::Function& function) {
    const auto* found =
        std::find_if(std::begin(library_works), std::end(library_works),
                     [&](const LibraryWork& row) { return function.getName() == row.name; });
    return found == std::end(library_works) ? nullptr : found;
}

const llvm::Function* callee_of(const llvm::CallBase& call) {
    const llvm::Value* called = call.getCalledOperand()->stripPointerCasts();
    if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(called))
        called = alias->getAliaseeObject();
    return llvm::dyn_cast_or_null<llvm::Function>(called);
}

}  // namespace vftrace::taint
