#include "heap/first_touch.hpp"

#include <sched.h>

#include "base/clock.hpp"
#include "base/relaxed.hpp"
#include "guest/seccomp.hpp"
#include "heap/memory_nodes.hpp"
#include "heap/next_access.hpp"
#include "heap/placed_blocks.hpp"
#include "record/placement_rows.hpp"
#include "tree/append_row.hpp"
#include "tree/own_record.hpp"
#include "tree/slow_path.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

const TouchCalls* touch_calls;

namespace {

std::uint64_t* use_samples;
bool kernel_knows_pages;  // else a page is assumed to be where it was touched first

// nullptr: there is no row, and no room for one.
PlacementRow* row_of(ThreadState& state, const HeapSite& site, std::uint16_t memory_node) {
    ThreadPlacement& placement = state.record->placement;
    const std::uintptr_t pc = relaxed(site.pc);
    if (const PlacementIndex* const known = placement.index.find({site.node, pc, memory_node}))
        return known->row;
    if (placement.rows >= most_placement_rows)
        return nullptr;
    auto* const row = static_cast<PlacementRow*>(state.arena.allocate_small(sizeof(PlacementRow)));
    if (!row)
        return nullptr;
    row->node = site.node;
    row->pc = pc;
    row->module = site.module;
    row->memory_node = memory_node;
    if (!placement.index.find_or_add({row}))
        return nullptr;
    append_row(placement, row);
    placement.rows++;
    return row;
}

// Threads report what they have touched some time later: what was at this address then may have
// been freed meanwhile. malloc() itself writes in front of the block that it returns.
bool is_of_this_block(const PageTouch& touch, const BlockPart& part, const ThreadState& state) {
    constexpr std::uintptr_t smallest_page = 4096;
    return touch.monotonic_ns >= part.monotonic_ns ||
           (&state == part.thread && touch.address / smallest_page == part.begin / smallest_page);
}

void note_touch(ThreadState& state, const PageTouch& touch) {
    const BlockPart part = part_of_block(touch.address);
    const std::uint16_t node = memory_node_of(touch.processor);
    if (!part.site || node == no_memory_node || !is_of_this_block(touch, part, state))
        return;
    PlacementRow* const row = row_of(state, *part.site, node);
    if (!row)
        return;
    add_relaxed(row->touches, touch.faults);
    add_relaxed(row->touches_seen, 1);
    std::uint16_t unknown = 0;
    if (__atomic_compare_exchange_n(part.touched_on, &unknown, static_cast<std::uint16_t>(node + 1),
                                    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        add_relaxed(row->touched, part.bytes);
}

std::uint16_t node_of_memory(const BlockPart& part, std::uintptr_t address) {
    if (kernel_knows_pages && !seccomp_filter_was_noted())
        if (const std::uint16_t node = memory_node_of_page(address); node != no_memory_node)
            return node;
    const std::uint16_t touched_on = relaxed(*part.touched_on);
    return touched_on == 0 ? no_memory_node : static_cast<std::uint16_t>(touched_on - 1);
}

void note_use(ThreadState& state, const Registers& registers, std::uint64_t samples) {
    if (std::uint64_t* const count = relaxed(use_samples))
        __atomic_fetch_add(count, samples, __ATOMIC_RELAXED);
    const NextAccess next = next_access(registers);
    for (unsigned i = 0; i < next.count; i++) {
        const BlockPart part = part_of_block(next.address[i]);
        if (!part.site)
            continue;
        const int processor = sched_getcpu();
        const std::uint16_t here =
            processor < 0 ? no_memory_node : memory_node_of(static_cast<unsigned>(processor));
        PlacementRow* const row =
            here == no_memory_node ? nullptr : row_of(state, *part.site, here);
        if (!row)
            return;
        const std::uint16_t there = node_of_memory(part, next.address[i]);
        add_relaxed(there == no_memory_node ? row->other_uses
                    : there == here         ? row->near_uses
                                            : row->far_uses,
                    samples);
        return;
    }
}

constexpr TouchCalls calls = {.touched = note_touch, .used = note_use};

}  // namespace

void watch_first_touch(std::string_view memory_nodes) {
    constexpr unsigned fewest_nodes = 2;
    if (read_memory_nodes(memory_nodes) < fewest_nodes || !prepare_placed_blocks())
        return;
    kernel_knows_pages = memory_nodes.empty();
    touch_calls = &calls;
}

void count_use_samples(std::uint64_t* samples) { set_shared(use_samples, samples); }

void block_begins(std::uintptr_t begin, std::size_t bytes, const HeapSite& site) {
    if (!touch_calls || bytes < smallest_placed_block)
        return;
    remove_placed_block(begin);  // one that was freed unnoticed
    const std::uint64_t now = monotonic_ns();
    add_placed_block(begin, bytes, site, now, thread_state);
    // Makes room for what comes: the ring holds a hundredth of a second.
    if (sampled_threads && own_thread_state == thread_state && thread_state->segment)
        sampled_threads->take_touches(*thread_state);
}

void block_ends(std::uintptr_t begin, std::size_t most_bytes, std::uintptr_t place_in_stack) {
    if (!touch_calls || most_bytes < smallest_placed_block)
        return;
    // What this thread has touched shortly before.
    ThreadState* const state = own_thread_state;
    if (sampled_threads && state && thread_state == state && state->segment) {
        const SlowPath guard(*state, place_in_stack);
        sampled_threads->take_touches(*state);
    }
    remove_placed_block(begin);
}

}  // namespace vftrace
