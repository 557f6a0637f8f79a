#include "collate/coroutine_clones.hpp"

#include <algorithm>
#include <string_view>

#include "record/function_place.hpp"
#include "symbol/elf_symbols.hpp"

namespace vftrace {
namespace {

constexpr std::string_view endings[] = {".actor", ".resume", ".destroy", ".cleanup"};

// The common part of the names of clones of a coroutine; empty if it is not a clone.
std::string_view coroutine_of(std::string_view symbol) {
    for (const std::string_view ending : endings)
        if (symbol.ends_with(ending))
            return symbol.substr(0, symbol.size() - ending.size());
    return {};
}

// Calls visit(node) for each node of each thread, up to where a list is damaged.
template <class Visit>
void for_each_node(const ProcessRecord& process, Visit visit) {
    for (const ThreadRecord* thread = __atomic_load_n(&process.threads, __ATOMIC_ACQUIRE); thread;
         thread = thread->next) {
        std::uint32_t number = 0;
        for (const Node* node = thread->root; node && node->number == number;
             node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE)) {
            visit(*node);
            number++;
        }
    }
}

bool is_function(const Node* node) { return node && node->kind == NodeKind::function; }

bool runs_task(const Node& node) {
    const auto* target = reinterpret_cast<const Node*>(node.key);
    return node.kind == NodeKind::graft && target && target->kind == NodeKind::task;
}

template <class Element>
void sort_and_unite(std::vector<Element>& elements) {
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
}

}  // namespace

CoroutineClones::Place CoroutineClones::place_of(const Node& node) const {
    const FunctionPlace place = function_place(node, modules_);
    return {place.module, place.offset};
}

CoroutineClones::CoroutineClones(const ProcessRecord& process, CodeFiles& files)
    : modules_(process.modules) {
    std::vector<Place>
        wanted;  // functions among which there may be clones of coroutines that are tasks
    std::vector<const Node*> creators;
    for_each_node(process, [&](const Node& node) {
        if (runs_task(node) && is_function(node.parent))
            wanted.push_back(place_of(*node.parent));
        if (node.kind == NodeKind::task && is_function(node.parent))
            creators.push_back(node.parent);
    });
    if (wanted.empty() && creators.empty())
        return;
    sort_and_unite(creators);
    std::vector<Place> all;
    for_each_node(process, [&](const Node& node) {
        if (!is_function(&node))
            return;
        all.push_back(place_of(node));
        if (std::binary_search(creators.begin(), creators.end(), node.parent))
            wanted.push_back(all.back());  // its task may never have run
    });
    sort_and_unite(wanted);
    sort_and_unite(all);
    for (auto begin = all.begin(); begin != all.end();) {
        const auto end = std::find_if(
            begin, all.end(), [&](const Place& place) { return place.first != begin->first; });
        add_clones({begin, end}, wanted, files);
        begin = end;
    }
}

// `places`: of one module, sorted, as `wanted` is.
void CoroutineClones::add_clones(std::span<const Place> places, const std::vector<Place>& wanted,
                                 CodeFiles& files) {
    if (places.front().first == no_module)
        return;
    std::vector<std::uint64_t> offsets;
    for (const Place& place : places)
        offsets.push_back(place.second);
    const ModuleSymbols symbols = lookup_symbols(files.path(places.front().first), offsets);
    std::vector<std::string_view> coroutines;
    for (std::size_t i = 0; i < places.size(); i++)
        if (const std::string_view name = coroutine_of(symbols.names[i]);
            !name.empty() && std::binary_search(wanted.begin(), wanted.end(), places[i]))
            coroutines.push_back(name);
    sort_and_unite(coroutines);
    for (std::size_t i = 0; i < places.size(); i++)
        if (std::binary_search(coroutines.begin(), coroutines.end(),
                               coroutine_of(symbols.names[i])))
            clones_.push_back(places[i]);
}

bool CoroutineClones::has(const Node& node) const {
    return !clones_.empty() && is_function(&node) &&
           std::binary_search(clones_.begin(), clones_.end(), place_of(node));
}

}  // namespace vftrace
