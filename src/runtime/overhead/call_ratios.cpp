#include "overhead/call_ratios.hpp"

#include <algorithm>
#include <cmath>

#include "base/relaxed.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

// Paths with fewer are not among those that lose their hooks.
constexpr std::uint64_t fewest_calls = 500;
// Before the first look and after it: if a caller has fewer, the call that is under way matters.
constexpr std::uint64_t fewest_of_caller = 20;
constexpr double largest_change = 0.05;

double ratio_of(std::uint64_t calls, std::uint64_t of_caller) {
    return static_cast<double>(calls) / static_cast<double>(of_caller);
}

}  // namespace

void CallRatios::look_at(const Node& node) {
    const std::uint64_t calls = relaxed(node.calls);
    if (node.kind != NodeKind::function || !node.parent || calls < fewest_calls ||
        (node.parent->kind != NodeKind::function && !row_of(node.parent->kind).is(kind_is_marked)))
        return;
    if (Reviewed* path = paths_.find_or_add({{reinterpret_cast<std::uintptr_t>(&node)}})) {
        path->before = path->now;
        path->now = {calls, relaxed(node.parent->calls)};
    }
}

void CallRatios::note_removal(ThreadRecord& thread, const Node& node) {
    const Reviewed* path = paths_.find(reinterpret_cast<std::uintptr_t>(&node));
    if (!path)
        return;
    const Calls& before = path->before;
    const Calls since{path->now.own - before.own, path->now.of_caller - before.of_caller};
    if (std::min(before.of_caller, since.of_caller) < fewest_of_caller)
        return;
    const double first = ratio_of(before.own, before.of_caller),
                 later = ratio_of(since.own, since.of_caller);
    if (std::abs(later - first) <= largest_change * std::max(first, later))
        append(thread.call_ratios,
               {node.number, static_cast<float>(ratio_of(path->now.own, path->now.of_caller))});
}

}  // namespace vftrace
