// Functions without rows of their own.
#include "collate/filtered_functions.hpp"

#include <algorithm>
#include <tuple>

#include "base/guarded.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "collate/byte_stream.hpp"
#include "collate/combined_times.hpp"
#include "collate/rank_tree.hpp"
#include "record/function_place.hpp"

namespace vftrace {
namespace {

constexpr std::size_t least_place = 2;  // bytes in a message

// What a node of the function would look like.
Node node_of(const UnwantedFunction& function) {
    Node node{};
    node.key = function.key;
    node.module = function.module;
    node.kind = NodeKind::function;
    return node;
}

FilterReason reason_of(const UnwantedFunction& function) {
    return function.why == Unwanted::excluded ? FilterReason::excluded : FilterReason::budget;
}

void sort_once(std::vector<CodePlace>& places) {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
}

std::vector<char> encode(const std::vector<CodePlace>& places) {
    ByteWriter out;
    out.number(places.size());
    for (const CodePlace& place : places) {
        out.text(place.file);
        out.number(place.offset);
    }
    return out.take();
}

void decode(const std::vector<char>& message, std::vector<CodePlace>& places) {
    ByteReader in(message);
    for (std::uint32_t n = in.count(least_place); n > 0 && !in.failed(); n--) {
        CodePlace place;
        place.file = in.text();
        place.offset = in.number();
        if (!in.failed())
            places.push_back(std::move(place));
    }
}

}  // namespace

bool removed_functions_are_sampled(const ProcessRecord& process) {
    std::uint64_t samples = 0;
    for (const ThreadRecord* thread = __atomic_load_n(&process.threads, __ATOMIC_ACQUIRE); thread;
         thread = thread->next)
        add_saturating(samples, __atomic_load_n(&thread->samples, __ATOMIC_RELAXED));
    return process.sampled_beside_hooks && samples >= fewest_samples;
}

std::vector<CodePlace> filtered_places(const ProcessRecord& process) {
    std::vector<CodePlace> places;
    const bool sampled = removed_functions_are_sampled(process);
    for (const UnwantedFunction& unwanted : items_of(process.unwanted)) {
        if (sampled && reason_of(unwanted) == FilterReason::budget)
            continue;
        const FunctionPlace place = function_place(node_of(unwanted), process.modules);
        if (place.module != no_module)
            places.push_back(
                {std::string(base_name(process.modules.modules[place.module].path)), place.offset});
    }
    sort_once(places);
    return places;
}

// A rank that runs out of memory still sends and receives what the others wait for.
void share_filtered_places(Communicator& communicator, std::vector<CodePlace>& places) {
    const int rank = communicator.rank();
    const ChildrenOfRank children(rank, communicator.size());
    std::vector<char> message;
    const auto add = [&] {
        run_guarded([&] {
            decode(message, places);
            sort_once(places);
        });
    };
    for (int child : children)
        if (communicator.receive(child, message))
            add();
    if (!run_guarded([&] { message = encode(places); }))
        message.clear();
    if (rank != 0) {
        const int parent = parent_of_rank(rank);
        communicator.send(parent, message.data(), message.size());
        if (communicator.receive(parent, message))
            add();
        else
            message.clear();
    }
    for (std::size_t i = children.size(); i > 0; i--)
        communicator.send(children[i - 1], message.data(), message.size());
}

bool FilteredFunctions::is_among(const std::vector<CodePlace>& places,
                                 const FunctionPlace& place) const {
    if (place.module == no_module)
        return false;
    const CodePlace wanted{std::string(base_name(modules_.modules[place.module].path)),
                           place.offset};
    return std::binary_search(places.begin(), places.end(), wanted);
}

FilteredFunctions::FilteredFunctions(Profile& profile, FunctionTable& functions,
                                     const ProcessRecord& process,
                                     const std::vector<CodePlace>& others, double ns_per_tick)
    : profile_(profile), functions_(functions), modules_(process.modules) {
    const bool sampled = removed_functions_are_sampled(process);
    for (const UnwantedFunction& unwanted : items_of(process.unwanted)) {
        const Node node = node_of(unwanted);
        const FunctionPlace place = function_place(node, modules_);
        FilteredFunction filtered;
        filtered.function = functions.index_of(node);
        filtered.reason = reason_of(unwanted);
        // Another rank may have no samples.
        if (sampled && filtered.reason == FilterReason::budget && !is_among(others, place))
            filtered.reason = FilterReason::sampled;
        filtered.still_called = unwanted.hooks_left != HooksLeft::none;
        if (unwanted.moment > process.start.ticks)
            filtered.moment_ns = saturated_ns(
                static_cast<double>(unwanted.moment - process.start.ticks), ns_per_tick);
        known_.push_back(
            {place.module, place.offset, static_cast<std::uint32_t>(profile.filtered.size())});
        profile.filtered.push_back(filtered);
    }
    for (const CodePlace& place : others)
        for (std::uint16_t i = 0; i < modules_.count; i++)
            if (same_file_module(modules_, i) == i &&
                base_name(modules_.modules[i].path) == place.file)
                known_.push_back({i, place.offset, no_index});
    // Functions of this process come before those of others at the same place.
    std::sort(known_.begin(), known_.end(), [](const Known& a, const Known& b) {
        return std::tie(a.module, a.offset, a.index) < std::tie(b.module, b.offset, b.index);
    });
    const auto same = [](const Known& a, const Known& b) { return !(a < b) && !(b < a); };
    known_.erase(std::unique(known_.begin(), known_.end(), same), known_.end());
}

std::uint32_t FilteredFunctions::index_of(const Node& node) {
    if (known_.empty() || node.kind != NodeKind::function)
        return no_index;
    const FunctionPlace place = function_place(node, modules_);
    const Known wanted{place.module, place.offset, no_index};
    const auto known = std::lower_bound(known_.begin(), known_.end(), wanted);
    if (known == known_.end() || wanted < *known)
        return no_index;
    if (known->index == no_index) {
        known->index = static_cast<std::uint32_t>(profile_.filtered.size());
        FilteredFunction filtered;
        filtered.function = functions_.index_of(node);
        profile_.filtered.push_back(filtered);
    }
    return known->index;
}

}  // namespace vftrace
