// From the trees of all threads to one Profile.
#include "collate/collect.hpp"

#include <algorithm>
#include <utility>

#include "base/index_table.hpp"
#include "collate/function_names.hpp"
#include "collate/messages.hpp"
#include "collate/path_of_node.hpp"
#include "collate/stids.hpp"
#include "tree/registry.hpp"

namespace vftrace {
namespace {

// Times of one path.
struct Ticks {
    std::uint64_t inclusive = 0;        // outermost activations
    std::uint64_t nested = 0;           // further activations inside those (folded recursion)
    std::uint64_t in_folded_calls = 0;  // calls that were folded into a path further up
};

// Paths of all threads with the same functions on the way become one.
class Merger {
  public:
    Merger(Profile& profile, FunctionTable& functions) : profile_(profile), functions_(functions) {}

    // Returns the path of each node, by Node::number.
    std::vector<std::uint32_t> add_thread(const ThreadState& state, std::uint64_t end_ticks) {
        std::vector<std::uint32_t> path_of;
        path_of.reserve(state.record->node_count);
        for (const Node* node = state.record->root; node;
             node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE)) {
            std::uint32_t parent = node->parent ? path_of[node->parent->number] : no_index;
            if (node->kind == NodeKind::alias || node->kind == NodeKind::nested_time) {
                std::uint64_t booked = __atomic_load_n(&node->inclusive_ticks, __ATOMIC_RELAXED);
                Ticks& above = ticks_[parent];
                (node->kind == NodeKind::alias ? above.in_folded_calls : above.nested) += booked;
                path_of.push_back(0);
                continue;
            }
            path_of.push_back(path_below(parent, *node));
            add_counts(path_of.back(), *node);
        }
        for (const StackSegment* segment = state.record->segments; segment; segment = segment->next) {
            const Frame* top = segment == state.segment ? state.top : segment->top;
            for (const Frame* frame = top; frame > segment->frames; frame--) {
                add_open_frame(*frame, path_of, end_ticks);
                if (frame->start == frame_paused)
                    end_ticks = frame->slow_start;  // for all else, time ended there
            }
        }
        return path_of;
    }

    const std::vector<Ticks>& ticks() const { return ticks_; }

  private:
    std::uint32_t path_below(std::uint32_t parent, const Node& node) {
        std::uint32_t function = functions_.index_of(node);
        std::vector<Path>& paths = profile_.paths;
        std::uint32_t index = by_place_.find_or_add(
            std::uint64_t{parent} << 32 | function, static_cast<std::uint32_t>(paths.size()),
            [](std::uint32_t) { return true; });  // the hash is the whole identity
        if (index == paths.size()) {
            Path path;
            path.parent = parent;
            path.function = function;
            paths.push_back(path);
            ticks_.push_back({});
        }
        return index;
    }

    void add_counts(std::uint32_t index, const Node& node) {
        Path& path = profile_.paths[index];
        path.calls += __atomic_load_n(&node.calls, __ATOMIC_RELAXED);
        ticks_[index].inclusive += __atomic_load_n(&node.inclusive_ticks, __ATOMIC_RELAXED);
        if (node.flags & node_closed_without_exit)
            path.flags |= path_closed_without_exit;
        if (node.flags & node_recursion_folded)
            path.flags |= path_recursion_folded;
        if (node.kind == NodeKind::pause)
            path.flags |= path_paused;
    }

    void add_open_frame(const Frame& frame, const std::vector<std::uint32_t>& path_of,
                        std::uint64_t end_ticks) {
        std::uint64_t start = frame.start;
        if (start == frame_timed || start == frame_paused)
            start = frame.slow_start;
        if (start > frame_last_kind && start < end_ticks && frame.node->number < path_of.size())
            ticks_[path_of[frame.node->number]].inclusive += end_ticks - start;
    }

    Profile& profile_;
    FunctionTable& functions_;
    IndexTable by_place_;
    std::vector<Ticks> ticks_;  // by path
};

// Exclusive time is the time of all activations less that of all calls made in them.
void set_times(Profile& profile, const std::vector<Ticks>& ticks, const CollectSettings& settings) {
    std::vector<Path>& paths = profile.paths;
    auto nanoseconds = [&](std::uint64_t count) {
        return static_cast<std::int64_t>(static_cast<double>(count) * settings.ns_per_tick);
    };
    for (std::size_t i = 1; i < paths.size(); i++) {
        Path& path = paths[i];
        path.inclusive_ns = nanoseconds(ticks[i].inclusive);
        std::int64_t all_activations = nanoseconds(ticks[i].inclusive + ticks[i].nested);
        path.exclusive_ns += all_activations - nanoseconds(ticks[i].in_folded_calls);
        bool mpi = profile.functions[path.function].kind == FunctionKind::mpi;
        path.overhead_ns =
            static_cast<std::int64_t>(static_cast<double>(path.calls) *
                                      (mpi ? settings.mpi_wrapper_ns : settings.hook_pair_ns));
        if (path.flags & path_paused)
            profile.run.paused_ns += path.inclusive_ns;
        else if (path.parent != 0)  // the time of `init` is not shown
            paths[path.parent].exclusive_ns -= all_activations;
    }
    for (Path& path : paths)
        path.exclusive_ns = std::max(path.exclusive_ns, std::int64_t{0});
}

// One line of the summary for each kind of calls that cost something.
void add_overhead(Profile& profile) {
    std::int64_t hooks_ns = 0, wrappers_ns = 0;
    for (const Path& path : profile.paths)
        (profile.functions[path.function].kind == FunctionKind::mpi ? wrappers_ns : hooks_ns) +=
            path.overhead_ns;
    profile.run.overhead.push_back({"Function hooks", hooks_ns});
    if (profile.run.uses_mpi)
        profile.run.overhead.push_back({"MPI wrappers", wrappers_ns});
}

}  // namespace

void add_root(Profile& profile) {
    Function root;
    root.kind = FunctionKind::root;
    root.name = root.display = "init";
    profile.functions.push_back(root);
    profile.paths.push_back({});
}

void collect_profile(Profile& profile, const CollectSettings& settings) {
    FunctionTable functions(profile.modules, profile.functions);
    Merger merger(profile, functions);
    PathOfNode path_of;
    std::uint64_t dropped = 0;
    for (const ThreadState* state = first_thread_state(); state; state = state->next) {
        path_of.add_thread(*state, merger.add_thread(*state, settings.end_ticks));
        dropped += state->record->dropped_calls;
    }
    if (profile.paths.empty())
        add_root(profile);  // a rank of a job that has recorded nothing
    set_times(profile, merger.ticks(), settings);
    collect_messages(profile, settings.ns_per_tick, path_of);
    functions.look_up_names();
    set_stids(profile);

    add_overhead(profile);
    profile.run.threads = std::max(thread_count(), 1u);
    profile.run.memory_bytes = tree_memory_bytes();
    if (dropped)
        profile.run.incidents.push_back(
            {dropped, "calls could not be recorded: they were made inside the profiler, deeper "
                      "than it follows, or without memory for them."});
}

}  // namespace vftrace
