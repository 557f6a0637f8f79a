#include "live/live_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <numeric>

#include <fmt/core.h>

#include "record/node_cost.hpp"
#include "record/openmp_constructs.hpp"
#include "record/thinned_time.hpp"
#include "recover/mark_file.hpp"
#include "recover/process_clock.hpp"
#include "recover/running_process.hpp"

namespace vftrace {
namespace {

constexpr std::size_t node_alignment = alignof(Node);
constexpr std::size_t longest_name = 64 * 1024;
constexpr std::uint32_t most_threads = 1 << 20;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

bool is_bookkeeping(NodeKind kind) {
    return kind != NodeKind::graft && !row_of(kind).is(kind_has_path);
}

}  // namespace

LiveTree::LiveTree(const FoundProcess& found, LiveNames& names, Of of)
    : names_(names), file_(of == Of::mark ? mark_file_of(found.tree_file) : found.tree_file),
      root_(found.root), of_(of), code_files_(module_table_, fmt::format("/proc/{}", found.pid)),
      openmp_(code_files_, true) {}

void LiveTree::refresh() {
    file_.refresh();
    const ProcessRecord& record = file_.record();
    const ProcessClock clock =
        of_ == Of::now
            ? ProcessClock(record, record.start.ticks, true)
            : ProcessClock(record, std::max(record.end_ticks, record.start.ticks), false);
    // The times of calls that have ended must not change because the estimated rate improves.
    if (!rate_is_final_)
        ns_per_tick_ = clock.ns_per_tick();
    constexpr std::int64_t long_enough_ns = 1'000'000'000;
    rate_is_final_ = clock.run_time_ns() >= long_enough_ns;
    now_ = clock.end_ticks();
    elapsed_ = static_cast<double>(clock.run_time_ns()) * 1e-9;
    read_modules();
    read_threads();
    read_counters();
    read_new_nodes();
    read_open_calls();
    compute();
    read_messages();
    read_devices();
    read_tasks();
    read_memory();
}

void LiveTree::read_modules() {
    const ModuleTable& table = file_.record().modules;
    for (std::size_t i = modules_.size(); i < table.count; i++) {
        LoadedModule module;
        if (!file_.read(table.modules + i, module))
            break;
        const std::string path = file_.text(module.path, longest_name).value_or("");
        module_paths_.push_back(path.starts_with('/') ? root_ + path : path);
        module.path = module_paths_.back().c_str();
        module.loaded = true;
        modules_.push_back(module);
        module_table_ = {modules_.data(), static_cast<std::uint16_t>(modules_.size())};
        module_ids_.push_back(names_.functions.module_of(
            module_paths_.back(), code_files_.path(static_cast<std::uint16_t>(i))));
    }
}

void LiveTree::read_threads() {
    std::vector<std::pair<const ThreadRecord*, ThreadRecord>> fresh;
    const ThreadRecord* next = file_.record().threads;
    for (std::uint32_t count = 0; next && count < most_threads; count++) {
        ThreadRecord record;
        if (!file_.read(next, record))
            break;
        const auto known = thread_index_.find(next);
        if (known != thread_index_.end()) {
            if (known->second == no_path || count > states_.size() + fresh.size())
                break;  // a circular list
            states_[known->second].record = record;
        } else {
            thread_index_.emplace(next, no_path);  // so that it is not added twice
            fresh.emplace_back(next, record);
        }
        next = record.next;
    }
    // The list begins with the newest thread.
    for (auto each = fresh.rbegin(); each != fresh.rend(); ++each) {
        thread_index_[each->first] = static_cast<std::uint32_t>(states_.size());
        ThreadState& state = states_.emplace_back();
        state.record = each->second;
        state.next = state.record.root;
    }
    threads_.resize(states_.size());
    const std::int64_t pid = file_.record().pid;
    for (std::size_t i = 0; i < states_.size(); i++) {
        ThreadState& state = states_[i];
        ThreadRecord& record = state.record;
        if (record.open_until && !file_.read(record.open_until, state.open_until))
            state.open_until = 0;
        record.open_until = &state.open_until;
        record.name[sizeof record.name - 1] = '\0';
        if (record.name[0])
            state.name = record.name;
        else if (state.name.empty() && root_.empty() && record.in_use && record.tid != pid)
            state.name = thread_kernel_name(pid, record.tid);
        LiveThread& thread = threads_[i];
        thread.number = record.number;
        thread.tid = record.tid;
        thread.name = state.name;
        thread.in_use = record.in_use != 0;
        thread.is_worker = record.is_worker != 0;
    }
}

std::uint32_t LiveTree::node_at(const void* pointer) const {
    const std::optional<std::uint64_t> place = file_.offset(address_of(pointer), sizeof(Node));
    if (!place || *place % node_alignment != 0 || *place / node_alignment >= slots_.size())
        return no_path;
    return slots_[*place / node_alignment] - 1;  // 0 - 1: none
}

void LiveTree::order_nodes() {
    if (order_.size() == nodes_.size())
        return;
    const std::size_t known = order_.size();
    std::vector<Seen> seen_by_node(nodes_.size());
    for (std::size_t i = 0; i < known; i++)
        seen_by_node[order_[i]] = seen_[i];
    order_.resize(nodes_.size());
    std::iota(order_.begin() + static_cast<std::ptrdiff_t>(known), order_.end(),
              static_cast<std::uint32_t>(known));
    const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
        return nodes_[a].offset < nodes_[b].offset;
    };
    const auto fresh = order_.begin() + static_cast<std::ptrdiff_t>(known);
    std::sort(fresh, order_.end(), is_before);
    std::inplace_merge(order_.begin(), fresh, order_.end(), is_before);
    seen_.resize(order_.size());
    runs_.clear();
    for (std::uint32_t i = 0; i < order_.size(); i++) {
        seen_[i] = seen_by_node[order_[i]];
        const std::uint64_t offset = nodes_[order_[i]].offset;
        constexpr std::uint32_t longest = LiveFile::window_bytes / sizeof(Node);
        if (runs_.empty() || runs_.back().count == longest ||
            runs_.back().offset + runs_.back().count * sizeof(Node) != offset)
            runs_.push_back({offset, i, 0});
        runs_.back().count++;
    }
}

void LiveTree::read_counters() {
    slots_.resize(file_.bytes() / node_alignment, 0);
    order_nodes();
    for (const Run& run : runs_)
        compare(run);
    for (ThreadState& thread : states_) {
        if (thread.newest == no_path)
            continue;
        const char* found = file_.at(nodes_[thread.newest].offset, sizeof(Node));
        if (found)
            std::memcpy(&thread.next, found + offsetof(Node, next_created), sizeof thread.next);
    }
}

void LiveTree::compare(const Run& run) {
    const char* found = file_.at(run.offset, run.count * sizeof(Node));
    if (!found)
        return;
    Seen* seen = seen_.data() + run.first;
    for (std::uint32_t i = 0; i < run.count; i++, found += sizeof(Node)) {
        Seen now;
        std::memcpy(&now.calls, found + offsetof(Node, calls), sizeof now.calls);
        std::memcpy(&now.inclusive_ticks, found + offsetof(Node, inclusive_ticks),
                    sizeof now.inclusive_ticks);
        std::memcpy(&now.weighted_ticks, found + offsetof(Node, weighted_ticks),
                    sizeof now.weighted_ticks);
        if (((now.calls ^ seen[i].calls) | (now.inclusive_ticks ^ seen[i].inclusive_ticks) |
             (now.weighted_ticks ^ seen[i].weighted_ticks)) == 0) [[likely]]
            continue;
        seen[i] = now;
        Node node;
        std::memcpy(static_cast<void*>(&node), found, sizeof node);
        update(order_[run.first + i], node, false);
    }
}

// Reads the new nodes of each thread up to the first graft whose target is not known yet, and
// repeats this until all targets are known.
void LiveTree::read_new_nodes() {
    // Names of functions are looked up afterwards, for all of them at once.
    for (bool any_left = true, give_up = false; any_left;) {
        bool any_progress = false;
        any_left = false;
        for (std::uint32_t thread = 0; thread < states_.size(); thread++) {
            const bool got_on = advance(thread, give_up);
            give_up = give_up && !got_on;
            any_progress = any_progress || got_on;
            any_left = any_left || states_[thread].next;
        }
        if (!any_progress && give_up)
            break;
        give_up = !any_progress;
    }
    names_.functions.look_up_names();
}

// Returns whether anything could be read. give_up: a graft whose target is unknown counts as part
// of its caller.
bool LiveTree::advance(std::uint32_t index, bool give_up) {
    bool got_on = false;
    while (const Node* next = states_[index].next) {
        Node node;
        const std::optional<std::uint64_t> place = file_.offset(address_of(next), sizeof node);
        if (!place || !file_.read(next, node)) {
            states_[index].next = nullptr;  // its piece is newer than the head that was read
            break;
        }
        const bool waits = node.kind == NodeKind::graft && !give_up &&
                           node_at(reinterpret_cast<const void*>(node.key)) == no_path;
        if (waits)
            break;
        if (!add_node(index, node, *place)) {
            states_[index].next = nullptr;
            break;
        }
        give_up = false;
        got_on = true;
        states_[index].next = node.next_created;
    }
    return got_on;
}

bool LiveTree::add_node(std::uint32_t index, const Node& node, std::uint64_t offset) {
    ThreadState& thread = states_[index];
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    const bool is_root = thread.nodes == 0;
    const std::size_t slot = offset / node_alignment;
    if (offset % node_alignment != 0 || slot >= slots_.size() || slots_[slot] != 0 ||
        (node.kind == NodeKind::root) != is_root ||
        !is_node_kind(static_cast<std::size_t>(node.kind)) || number == no_path - 1)
        return false;
    NodeState state{};
    state.offset = offset;
    state.thread = index;
    state.target = no_path;
    state.kind = node.kind;
    state.flags = node.flags;
    state.parent = is_root ? number : node_at(node.parent);
    if (state.parent == no_path || (!is_root && nodes_[state.parent].thread != index))
        return false;
    const std::uint32_t above = is_root ? no_path : nodes_[state.parent].path;
    state.counts = !is_root;
    if (node.kind == NodeKind::graft) {
        const std::uint32_t target = node_at(reinterpret_cast<const void*>(node.key));
        state.path = target == no_path ? above : nodes_[target].path;
        // A parallel region is called by the thread that encounters it, not by its team.
        state.counts = target != no_path &&
                       (nodes_[target].kind == NodeKind::thread || nodes_[target].calls == 0);
    } else if (node.kind == NodeKind::alias) {
        state.target = node_at(node.last_callee);
        if (state.target != no_path && nodes_[state.target].thread != index)
            state.target = no_path;
        state.path = state.target == no_path ? above : nodes_[state.target].path;
    } else if (is_bookkeeping(node.kind)) {
        state.path = above;
        state.counts = false;
    } else {
        state.path = names_.paths.below(above, function_of(node));
    }
    state.time_in = names_.function_of(state.path).time_in;
    slots_[slot] = number + 1;
    nodes_.push_back(state);
    dirty_.resize(nodes_.size() / 64 + 1);
    thread.newest = number;
    thread.nodes++;
    update(number, node, true);
    return true;
}

}  // namespace vftrace
