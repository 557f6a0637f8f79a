#include "taint/pass/containers.hpp"

#include <cstdlib>
#include <string>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Demangle/Demangle.h>

#include "taint/pass/callees.hpp"

namespace vftrace::taint {
namespace {

constexpr ContainerSize sizes[] = {
    {"std::vector<", 8, 8, false},        {"std::__cxx11::basic_string<", 8, 8, false},
    {"std::deque<", 48, 32, false},       {"std::queue<", 48, 32, false},
    {"std::stack<", 48, 32, false},       {"std::__cxx11::list<", 16, 8, true},
    {"std::map<", 40, 8, true},           {"std::multimap<", 40, 8, true},
    {"std::set<", 40, 8, true},           {"std::multiset<", 40, 8, true},
    {"std::unordered_map<", 24, 8, true}, {"std::unordered_multimap<", 24, 8, true},
    {"std::unordered_set<", 24, 8, true}, {"std::unordered_multiset<", 24, 8, true}};

constexpr const char* adding[] = {
    "push_back", "emplace_back", "push_front", "emplace_front", "pop_back",        "pop_front",
    "push",      "pop",          "emplace",    "emplace_hint",  "insert",          "erase",
    "append",    "operator+=",   "operator[]", "try_emplace",   "insert_or_assign"};
constexpr const char* ends[] = {"end", "cend"};

// The text that a function of LLVM's demangler returns, which may be null.
template <typename Get>
std::string text_of(Get get) {
    std::size_t size = 0;
    char* text = get(&size);
    const std::string copy = text ? text : "";
    std::free(text);
    return copy;
}

}  // namespace

ContainerCall container_call(const llvm::CallBase& call) {
    const llvm::Function* callee = callee_of(call);
    if (!callee || !callee->getName().starts_with("_ZN") || call.arg_size() == 0)
        return {};
    const std::string mangled = callee->getName().str();  // the demangler refers to it
    llvm::ItaniumPartialDemangler demangler;
    if (demangler.partialDemangle(mangled.c_str()) || !demangler.isFunction())
        return {};
    const std::string type = text_of(
        [&](std::size_t* size) { return demangler.getFunctionDeclContextName(nullptr, size); });
    const auto* found = llvm::find_if(sizes, [&](const ContainerSize& size) {
        // Not a class inside the container.
        return llvm::StringRef(type).starts_with(size.type) && type.back() == '>';
    });
    if (found == std::end(sizes))
        return {};
    const std::string name =
        text_of([&](std::size_t* size) { return demangler.getFunctionBaseName(nullptr, size); });
    ContainerCall result;
    result.adds = llvm::is_contained(adding, name);
    result.is_end = found->has_nodes && llvm::is_contained(ends, name);
    if (!result.adds && !result.is_end)
        return {};
    const unsigned self = call.hasStructRetAttr() ? 1 : 0;
    if (self >= call.arg_size() || !call.getArgOperand(self)->getType()->isPointerTy())
        return {};
    result.size = found;
    result.container = call.getArgOperand(self);
    return result;
}

}  // namespace vftrace::taint
