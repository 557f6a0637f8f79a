// Functions that compilers make of coroutines.
#include "collate/coroutine_clones.hpp"

#include <algorithm>
#include <string_view>

#include "record/function_place.hpp"
#include "symbol/elf_symbols.hpp"

namespace vftrace {
namespace {

constexpr std::string_view endings[] = {".actor", ".resume", ".destroy", ".cleanup"};

bool is_clone(std::string_view symbol) {
    return std::any_of(std::begin(endings), std::end(endings),
                       [&](std::string_view ending) { return symbol.ends_with(ending); });
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

CoroutineClones::CoroutineClones(const ProcessRecord& process) : modules_(process.modules) {
    std::vector<Place> found;
    for_each_node(process, [&](const Node& node) {
        if (runs_task(node) && is_function(node.parent))
            found.push_back(place_of(*node.parent));
    });
    if (found.empty())
        return;
    sort_and_unite(found);
    add_callers(found, process);  // what destroys a coroutine calls what runs it
    for (std::size_t begin = 0; begin < found.size();) {
        const std::uint16_t module = found[begin].first;
        std::vector<std::uint64_t> offsets;
        std::size_t end = begin;
        for (; end < found.size() && found[end].first == module; end++)
            offsets.push_back(found[end].second);
        if (module != no_module) {
            const ModuleSymbols symbols = lookup_symbols(modules_.modules[module].path, offsets);
            for (std::size_t i = 0; i < offsets.size(); i++)
                if (is_clone(symbols.names[i]))
                    clones_.push_back(found[begin + i]);
        }
        begin = end;
    }
}

void CoroutineClones::add_callers(std::vector<Place>& found, const ProcessRecord& process) const {
    std::vector<Place> callers;
    for_each_node(process, [&](const Node& node) {
        if (is_function(&node) && is_function(node.parent) &&
            std::binary_search(found.begin(), found.end(), place_of(node)))
            callers.push_back(place_of(*node.parent));
    });
    found.insert(found.end(), callers.begin(), callers.end());
    sort_and_unite(found);
}

bool CoroutineClones::has(const Node& node) const {
    return !clones_.empty() && is_function(&node) &&
           std::binary_search(clones_.begin(), clones_.end(), place_of(node));
}

}  // namespace vftrace
