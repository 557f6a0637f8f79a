#include "collate/node_paths.hpp"

#include <algorithm>
#include <utility>

namespace vftrace {
namespace {

const Node* next_of(const Node& node) {
    return __atomic_load_n(&node.next_created, __ATOMIC_ACQUIRE);
}

using Lists = std::vector<const Node*>;  // by Node::number

const Node* first_of(const Lists& lists, std::uint32_t number) {
    return number < lists.size() ? lists[number] : nullptr;
}

void prepend(Lists& lists, Lists& next, std::uint32_t list, const Node& node) {
    if (lists.size() <= list)
        lists.resize(list + 1, nullptr);
    if (next.size() <= node.number)
        next.resize(node.number + 1, nullptr);
    next[node.number] = std::exchange(lists[list], &node);
}

}  // namespace

NodePaths::NodePaths(const ProcessRecord& process, Profile& profile, FunctionTable& functions,
                     FilteredFunctions& filtered, CodeFiles& files)
    : functions_(functions), filtered_(filtered), clones_(process, files) {
    for (const ThreadRecord* record = __atomic_load_n(&process.threads, __ATOMIC_ACQUIRE); record;
         record = record->next)
        if (record->root)
            threads_.push_back({record, {}, {}, {}, {}, {}});
    // The creator of a thread has a lower number, so most grafts find their target at once.
    std::stable_sort(threads_.begin(), threads_.end(), [](const Thread& a, const Thread& b) {
        return a.record->number < b.record->number;
    });
    for (std::uint32_t i = 0; i < threads_.size(); i++) {
        const Node* root = threads_[i].record->root;
        progress_.push_back({root, {}, {}, {}, {}});
        roots_.push_back({root, i});
        // Up to where the list is damaged, because it might have no end.
        std::uint32_t number = 0;
        for (const Node* node = root; node && node->number == number; node = next_of(*node)) {
            functions.expect(*node);
            number++;
        }
    }
    std::sort(roots_.begin(), roots_.end(),
              [](const Root& a, const Root& b) { return a.node < b.node; });
    resolve(profile);
    progress_.clear();
}

// Follows each thread up to the first graft whose target is not known yet, in turns until all are
// known. Targets were created before their grafts, so there is always a thread that can advance,
// except in a damaged file: then a graft is treated as one of `init`.
void NodePaths::resolve(Profile& profile) {
    for (bool any_left = true, give_up = false; any_left;) {
        bool any_progress = false;
        any_left = false;
        for (std::uint32_t i = 0; i < threads_.size(); i++) {
            const bool got_on = advance(i, give_up, profile);
            give_up = give_up && !got_on;
            any_progress = any_progress || got_on;
            any_left = any_left || progress_[i].next;
        }
        give_up = !any_progress;
    }
}

// Returns whether any node got its path. give_up: the first one gets a path in any case.
bool NodePaths::advance(std::uint32_t thread, bool give_up, Profile& profile) {
    std::vector<std::uint32_t>& path_of = threads_[thread].path_of;
    const Node*& next = progress_[thread].next;
    const std::size_t before = path_of.size();
    for (; next; next = next_of(*next)) {
        const Node& node = *next;
        if (node.number != path_of.size()) {  // a damaged list, which might have no end
            next = nullptr;
            break;
        }
        std::uint32_t path = no_index;
        if (filtered_.any())
            find_caller(thread, node);
        const std::uint32_t parent =
            path_of.empty() ? no_index : path_of[threads_[thread].parent_of(node)];
        if (node.kind == NodeKind::graft) {
            path = (*this)(graft_target(node));
            if (path == no_index && !give_up)
                break;
            if (path == no_index)
                path = 0;
            give_up = false;
        } else {
            const Node* stands_for = node.kind == NodeKind::alias ? node.last_callee : nullptr;
            const bool is_known = stands_for && stands_for->number < node.number;
            const std::uint32_t filtered = filtered_.index_of(is_known ? *stands_for : node);
            if (filtered_.any()) {
                threads_[thread].filtered.resize(path_of.size(), no_index);
                threads_[thread].filtered.push_back(filtered);
                threads_[thread].removed.resize(path_of.size(), false);
                threads_[thread].removed.push_back(filtered != no_index &&
                                                   filtered_.has_paths(filtered));
            }
            const bool is_clone = clones_.has(is_known ? *stands_for : node) ||
                                  (!is_known && is_generated_recursion(parent, node, profile));
            if (is_clone) {
                threads_[thread].clones.resize(path_of.size(), false);
                threads_[thread].clones.push_back(true);
            }
            path = is_known ? path_of[stands_for->number]
                   : is_bookkeeping(node) || is_clone ||
                           (filtered != no_index && !filtered_.has_paths(filtered))
                       ? parent
                       : path_below(parent, node, profile);
        }
        path_of.push_back(path == no_index ? 0 : path);
    }
    return path_of.size() > before;
}

// A function whose direct caller has lost its hooks gets a new node further up, and so would get a
// different path than before. If it was called in only one such function, it keeps its place there.
void NodePaths::find_caller(std::uint32_t thread, const Node& node) {
    if (node.kind != NodeKind::function || !node.parent || node.parent->number >= node.number)
        return;
    Thread& own = threads_[thread];
    Progress& progress = progress_[thread];
    const std::uint32_t parent = node.parent->number;
    const std::uint32_t late = own.record->nodes_at_removal;
    if (late != 0 && node.number >= late) {
        const Node* caller = nullptr;
        for (const Node* between = first_of(progress.removed_callees, parent); between;
             between = first_of(progress.next_removed, between->number))
            for (const Node* callee = first_of(progress.callees_of_removed, between->number);
                 callee; callee = first_of(progress.next_callee, callee->number))
                if (callee->key == node.key) {
                    if (caller)
                        return;
                    caller = between;
                }
        if (caller)
            own.called_in.push_back({node.number, caller->number});
    }
    if (own.is_removed(parent))
        prepend(progress.callees_of_removed, progress.next_callee, parent, node);
    const std::uint32_t index = filtered_.index_of(node);
    if (index != no_index && filtered_.has_paths(index))
        prepend(progress.removed_callees, progress.next_removed, parent, node);
}

// Whether a generated function calls itself: as in other code, samples then count for one path.
bool NodePaths::is_generated_recursion(std::uint32_t parent, const Node& node,
                                       const Profile& profile) {
    if (parent == no_index || node.kind != NodeKind::function || node.module != no_module)
        return false;
    const std::uint32_t caller = profile.paths[parent].function;
    return functions_.is_generated(caller) && functions_.index_of(node) == caller;
}

std::uint32_t NodePaths::path_below(std::uint32_t parent, const Node& node, Profile& profile) {
    const std::uint32_t function = functions_.index_of(node);
    std::vector<Path>& paths = profile.paths;
    const auto next = static_cast<std::uint32_t>(paths.size());
    const std::uint32_t index =
        by_place_.find_or_add(std::uint64_t{parent} << 32 | function, next,
                              [](std::uint32_t) { return true; });  // the hash is the identity
    if (index == next) {
        Path path;
        path.parent = parent;
        path.function = function;
        paths.push_back(path);
    }
    return index;
}

std::uint32_t NodePaths::operator()(const Node* node) const {
    if (!node)
        return no_index;
    const Node* root = node;
    while (root->parent && root->parent->number < root->number)
        root = root->parent;
    const auto found =
        std::lower_bound(roots_.begin(), roots_.end(), root,
                         [](const Root& known, const Node* wanted) { return known.node < wanted; });
    if (found == roots_.end() || found->node != root)
        return no_index;
    const std::vector<std::uint32_t>& path_of = threads_[found->thread].path_of;
    return node->number < path_of.size() ? path_of[node->number] : no_index;
}

}  // namespace vftrace
