#include "queries/live_index.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fnv.hpp"
#include "base/relaxed.hpp"
#include "queries/section_memory.hpp"
#include "record/thinned_time.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/pause.hpp"

namespace vftrace {
namespace {

// Of all calls that have ended, including those that were not timed one by one.
double closed_ticks(const Node& node) {
    return static_cast<double>(relaxed(node.inclusive_ticks)) + thinned_time(node).ticks;
}

}  // namespace

bool begin_live_question(BoundedLock& lock) {
    if (!process_record)
        recording_state_slowly();  // creates one if the process may record
    return process_record && (!plain_read(no_thread_state.ignore_events) || process_is_paused()) &&
           lock.lock();
}

const char* LiveIndex::name_of(const Node& node) { return region_name(called_path(node).key); }

// The entry of the node itself, or the one that contains the node.
std::uint32_t LiveIndex::entry_around(const Node* node) {
    if (!node)
        return none;
    const std::uint32_t thread = thread_of(node);
    if (thread >= threads_.size())
        return none;
    if (node->number >= threads_[thread].entry_of.size())
        add_nodes(thread);
    const std::vector<std::uint32_t>& entry_of = threads_[thread].entry_of;
    return node->number < entry_of.size() ? entry_of[node->number] : none;
}

void LiveIndex::add_entry(std::uint32_t thread, const Node& node, std::uint32_t parent) {
    const char* name = name_of(node);
    const auto has_name = [&](std::uint32_t entry) {
        return std::strcmp(name_of(*entries_[entry].node), name) == 0;
    };
    const auto index = static_cast<std::uint32_t>(entries_.size());
    Entry& entry = entries_.emplace_back(Entry{&node, thread, parent});
    if (parent != none) {
        entry.next_sibling = entries_[parent].first_child;
        entries_[parent].first_child = index;
    }
    for (std::uint32_t at = parent; at != none && !entry.in_itself; at = entries_[at].parent)
        entry.in_itself = has_name(at);
    const auto candidate = static_cast<std::uint32_t>(first_of_name_.size());
    const std::uint32_t named = by_name_.find_or_add(
        fnv1a(name), candidate, [&](std::uint32_t i) { return has_name(first_of_name_[i]); });
    if (named == candidate)
        first_of_name_.push_back(index);
    else
        entry.next_of_name = std::exchange(first_of_name_[named], index);
}

void LiveIndex::add_node(std::uint32_t thread, const Node& node) {
    const Node* const parent = node.parent;
    std::uint32_t around = none, moved = none;
    if (!parent)
        around = entry_around(threads_[thread].record->start);
    else
        around = threads_[thread].entry_of[parent->number];
    const auto add_move = [&](std::uint32_t from, std::uint32_t to, bool is_new) {
        moved = static_cast<std::uint32_t>(moves_.size());
        moves_.push_back({&node, thread, from, to, is_new});
    };
    if (node.kind == NodeKind::graft) {
        const std::uint32_t target = entry_around(reinterpret_cast<const Node*>(node.key));
        add_move(around, target, thread != 0 && parent && !parent->parent);
        around = target;
    } else if (node.kind == NodeKind::alias && node.last_callee) {
        add_move(around, entry_around(node.last_callee), false);
        if (kind_of_calls(node) == kind_)
            aliases_.push_back(moved);
    } else if (thread != 0 && parent && !parent->parent) {
        add_move(none, around, true);
    }
    if (node.kind == kind_) {
        add_entry(thread, node, around);
        around = static_cast<std::uint32_t>(entries_.size() - 1);
    }
    Thread& own = threads_[thread];
    own.entry_of.push_back(around);
    own.move_of.push_back(moved);
}

void LiveIndex::add_nodes(std::uint32_t thread) {
    if (threads_[thread].busy || !threads_[thread].record)
        return;
    threads_[thread].busy = true;
    const Node* node =
        threads_[thread].latest
            ? __atomic_load_n(&threads_[thread].latest->next_created, __ATOMIC_ACQUIRE)
            : threads_[thread].record->root;
    for (; node; node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE)) {
        add_node(thread, *node);
        threads_[thread].latest = node;
    }
    threads_[thread].busy = false;
}

// Moves ticks from one entry, and those around it, to another entry and those around that.
void LiveIndex::move(std::uint32_t from, std::uint32_t to, bool is_new, double ticks) {
    for (; from != none && !is_new; from = entries_[from].parent)
        touched(from).moved -= ticks;
    if (is_new)
        root_ticks_ += ticks;
    for (; to != none; to = entries_[to].parent)
        touched(to).moved += ticks;
}

// The entry, marked because its figures are about to differ from those of its node.
LiveIndex::Entry& LiveIndex::touched(std::uint32_t entry) {
    Entry& own = entries_[entry];
    if (!std::exchange(own.is_touched, true))
        touched_.push_back(entry);
    return own;
}

void LiveIndex::add_open_call(std::uint32_t thread, const Frame& frame, const Node& node,
                              const Node* below, const OpenCalls& open) {
    const Thread& own = threads_[thread];
    if (node.number >= own.entry_of.size() || (below && below->number >= own.entry_of.size()))
        return;  // created meanwhile
    // A call that ends meanwhile must be counted once: as closed or as open.
    std::uint64_t closed = relaxed(node.inclusive_ticks), start = 0;
    for (int attempt = 0; attempt < 100; attempt++) {
        start = relaxed(frame.start);
        const std::uint64_t slow_start = relaxed(frame.slow_start);
        if (__atomic_load_n(&frame.stack, __ATOMIC_ACQUIRE) == 0 || relaxed(frame.node) != &node)
            return;
        const std::uint64_t again = relaxed(node.inclusive_ticks);
        if (start == frame_fold || start == frame_timed || start == frame_thinned)
            start = slow_start;
        if (again == closed)
            break;
        closed = again;
    }
    const auto ticks = static_cast<double>(open.time_since(start));
    const std::uint32_t entry = own.entry_of[node.number];
    if (relaxed(frame.start) == frame_fold) {
        if (below)
            move(own.entry_of[below->number], entry, false, ticks);
        return;
    }
    if (const std::uint32_t moved = own.move_of[node.number]; moved != none)
        moves_[moved].open += ticks;
    if (node.kind == kind_) {
        touched(entry).closed = static_cast<double>(closed);
        entries_[entry].open += ticks;
    }
}

void LiveIndex::look(const ProcessRecord& process, const ThreadRecord* only, std::uint64_t now) {
    only_ = only;
    for (const ThreadRecord* record = __atomic_load_n(&process.threads, __ATOMIC_ACQUIRE); record;
         record = record->next) {
        if (record->number >= threads_.size())
            threads_.resize(record->number + 1);
        threads_[record->number].record = record;
    }
    for (std::uint32_t i = 0; i < threads_.size(); i++)
        add_nodes(i);
    for (const std::uint32_t entry : touched_) {
        entries_[entry].closed = -1;
        entries_[entry].open = entries_[entry].moved = 0;
        entries_[entry].is_touched = false;
    }
    touched_.clear();
    for (Move& moved : moves_)
        moved.open = 0;
    const std::uint64_t pause = relaxed(process.pause_started);
    const std::uint64_t until = pause && pause < now ? pause : now;
    const std::uint64_t still = process.start.ticks + relaxed(process.paused_ticks);
    const bool with_first = !only || only->number == 0;
    root_ticks_ = with_first && until > still ? static_cast<double>(until - still) : 0;
    for (std::uint32_t i = 0; i < threads_.size(); i++) {
        const ThreadRecord* record = threads_[i].record;
        if (!record || !counts(i))
            continue;
        const OpenCalls open = open_calls(*record, process, now);
        for (const StackSegment* segment = __atomic_load_n(&record->segments, __ATOMIC_ACQUIRE);
             segment; segment = __atomic_load_n(&segment->next, __ATOMIC_ACQUIRE))
            visit_open_calls(
                *segment, open,
                [&](const Frame& frame, const Node& node, const Node* below,
                    const OpenCalls& calls) { add_open_call(i, frame, node, below, calls); });
    }
    for (const Move& moved : moves_)
        if (counts(moved.thread))
            move(moved.from, moved.to, moved.is_new, closed_ticks(*moved.node) + moved.open);
}

double LiveIndex::total_of(const Entry& entry) const {
    if (!counts(entry.thread))
        return 0;
    const double closed = entry.closed >= 0
                              ? entry.closed
                              : static_cast<double>(relaxed(entry.node->inclusive_ticks));
    return std::max(closed + entry.open + entry.moved, 0.0);
}

std::uint32_t LiveIndex::first_of(const char* name) const {
    const std::uint32_t index = by_name_.find(fnv1a(name), [&](std::uint32_t i) {
        return std::strcmp(name_of(*entries_[first_of_name_[i]].node), name) == 0;
    });
    return index == IndexTable::none ? none : first_of_name_[index];
}

// total_of(entry): the figure to be added up, including the sections in the entry.
template <class Total>
LiveSums LiveIndex::sums_of(const char* name, Total total_of) const {
    LiveSums sums;
    for (std::uint32_t i = first_of(name); i != none; i = entries_[i].next_of_name) {
        const Entry& entry = entries_[i];
        if (!counts(entry.thread))
            continue;
        const double total = total_of(entry);
        sums.self += total;
        for (std::uint32_t child = entry.first_child; child != none;
             child = entries_[child].next_sibling)
            sums.self -= total_of(entries_[child]);
        sums.total += entry.in_itself ? 0 : total;
    }
    return sums;
}

template <class Total>
LiveSums LiveIndex::sums_of_root(double all, Total total_of) const {
    double sections = 0;
    for (const Entry& entry : entries_)
        sections += entry.parent == none ? total_of(entry) : 0;
    return {.self = all - sections, .total = all, .calls = 1};
}

LiveSums LiveIndex::times_of(const char* name) const {
    LiveSums times = sums_of(name, [&](const Entry& entry) { return total_of(entry); });
    for (std::uint32_t i = first_of(name); i != none; i = entries_[i].next_of_name)
        if (counts(entries_[i].thread))
            times.calls += relaxed(entries_[i].node->calls);
    for (const std::uint32_t alias : aliases_)  // their calls count as calls of the section
        if (const Node& node = *moves_[alias].node;
            counts(moves_[alias].thread) && std::strcmp(name_of(node), name) == 0)
            times.calls += relaxed(node.calls);
    // Threads continue meanwhile: the contents of a section may be read later than the section.
    times.self = std::max(times.self, 0.0);
    times.total = std::max(times.total, times.self);
    return times;
}

LiveSums LiveIndex::times_of_root() const {
    LiveSums times = sums_of_root(root_ticks_, [&](const Entry& entry) { return total_of(entry); });
    times.self = std::max(times.self, 0.0);
    return times;
}

double LiveIndex::memory_of(const Entry& entry) const {
    return counts(entry.thread)
               ? memory_grown(*threads_[entry.thread].record, *entry.node).value_or(0)
               : 0;
}

bool LiveIndex::has_memory(const char* name) const {
    for (std::uint32_t i = first_of(name); i != none; i = entries_[i].next_of_name)
        if (const Entry& entry = entries_[i];
            counts(entry.thread) && memory_grown(*threads_[entry.thread].record, *entry.node))
            return true;
    return false;
}

LiveSums LiveIndex::memory_of(const char* name) const {
    return sums_of(name, [&](const Entry& entry) { return memory_of(entry); });
}

LiveSums LiveIndex::memory_of_root(double all) const {
    return sums_of_root(all, [&](const Entry& entry) { return memory_of(entry); });
}

}  // namespace vftrace
