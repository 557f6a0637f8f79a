#include "regions/thread_regions.hpp"

#include <algorithm>
#include <cstring>
#include <sched.h>

#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "record/mpi_functions.hpp"
#include "regions/epochs.hpp"
#include "tree/own_record.hpp"
#include "tree/region_names.hpp"

// glibc 2.35 and later: where the kernel keeps each thread's processor number up to date.
extern "C" {
[[gnu::weak]] extern const std::ptrdiff_t __rseq_offset;
[[gnu::weak]] extern const unsigned int __rseq_size;
}

namespace vftrace {

RegionSettings region_settings;

namespace {

// Where the kernel writes the calling thread's processor; nullptr: nowhere.
const std::int32_t* processor_of_thread() {
    if (!&__rseq_offset || __rseq_size == 0)
        return nullptr;
    // struct rseq: cpu_id_start, cpu_id.
    return reinterpret_cast<const std::int32_t*>(
               static_cast<const char*>(__builtin_thread_pointer()) + __rseq_offset) +
           1;
}

void look_up_processor(ThreadRegions& regions) {
    if (regions.processor == &regions.own_processor)
        regions.own_processor = std::max(sched_getcpu(), 0);
}

RegionHint hint_of(const Node& node) {
    return node.kind == NodeKind::region ? region_hint(node.key)
           : node.kind == NodeKind::mpi  ? RegionHint::network
                                         : RegionHint::parallel;
}

// The outermost region counts, and the hint of the innermost one; a parallel region has a hint only
// if it is the outermost.
std::uint64_t place_of(const Node& node) {
    const Node* outermost = nullptr;
    RegionHint hint = RegionHint::unset;
    bool is_known = false;
    for (const Node* at = &node; at; at = at->parent) {
        if (!is_region(*at))
            continue;
        outermost = at;
        if (!is_known && at->kind != NodeKind::openmp) {
            hint = hint_of(*at);
            is_known = true;
        }
    }
    if (!outermost)
        return place_unmarked;
    if (!is_known)
        hint = RegionHint::parallel;
    return place_word(region_id(*outermost, process_record->modules), hint);
}

bool is_epoch_region(const Node& node) {
    if (!region_settings.epoch_region)
        return false;
    char buffer[64];
    const char* name = node.kind == NodeKind::region ? region_name(node.key)
                       : node.kind == NodeKind::mpi  ? mpi_name(node.key, buffer)
                                                     : "";
    return std::strcmp(name, region_settings.epoch_region) == 0;
}

// Threads that have never been in a region do not have a slot.
bool has_slot(ThreadState& state, std::uint64_t place) {
    ThreadRegions& regions = *state.regions;
    if (regions.slot)
        return true;
    if (place == place_unmarked ||
        regions.finds_no_slot)  // unmarked: a construct that is not a region
        return false;
    regions.slot = take_slot(region_settings.page, state.record->number);
    if (regions.slot)
        set_shared(regions.slot->tid, state.record->tid);
    else
        VFTRACE_MESSAGE_ONCE("region_report.active: %zu threads of a host have been in regions; "
                             "the sampled figures do not include further threads (reported once)",
                             most_slots);
    regions.finds_no_slot = !regions.slot;
    return regions.slot;
}

void remember(ThreadRegions& regions, const Node& node, std::uint64_t place) {
    if (const std::uint32_t changes = plain_read(region_hint_changes); regions.hints != changes) {
        regions.hints = changes;
        for (ThreadRegions::Known& known : regions.known)
            known = {};
    }
    regions.known_of(node) = {&node, place};
}

void begins(ThreadState& state, const Node& node) {
    ThreadRegions& regions = *state.regions;
    const std::uint64_t place = place_of(node);
    if (!has_slot(state, place))
        return;
    look_up_processor(regions);
    regions.publish(place);
    if (is_epoch_region(node))
        begin_epoch(state);  // each time
    else
        remember(regions, node, place);
}

void now_in(ThreadState& state, const Node& node) {
    ThreadRegions& regions = *state.regions;
    if (!regions.slot)
        return;
    const std::uint64_t place = place_of(node);
    regions.publish(place);
    if (!is_epoch_region(node))
        remember(regions, node, place);
}

void works_for(ThreadState& state, const Node& node) {
    if (!has_slot(state, place_word(1, RegionHint::parallel)))
        return;
    set_shared(state.regions->slot->master, thread_of(&node) + 1);
    look_up_processor(*state.regions);
    state.regions->publish(place_unmarked);
}

}  // namespace

constexpr RegionCalls calls_of_regions = {begins, now_in, works_for};

void thread_enters_regions(ThreadState& state) {
    if (!state.regions)
        state.regions = static_cast<ThreadRegions*>(state.arena.allocate(sizeof(ThreadRegions)));
    if (!state.regions)
        return;
    const std::int32_t* processor = processor_of_thread();
    state.regions->processor = processor ? processor : &state.regions->own_processor;
}

void thread_leaves_regions(ThreadState& state) {
    if (!state.regions || !state.regions->slot)
        return;
    PublishedPlace& slot = *state.regions->slot;
    *state.regions = {};  // what was remembered refers to the slot
    free_slot(slot);
}

void begin_epoch(const ThreadState& state) {
    const PublishedPlace* slot = state.regions ? state.regions->slot : nullptr;
    const auto hint = slot
                          ? static_cast<RegionHint>(relaxed(slot->place) >> place_hint_shift & 0xff)
                          : RegionHint::unset;
    if (hint != RegionHint::ignore)
        count_epoch();
}

}  // namespace vftrace
