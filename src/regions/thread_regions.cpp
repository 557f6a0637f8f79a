// Where the calling thread is among regions: keeps its slot of the host's page true.
#include "regions/thread_regions.hpp"

#include <cstring>
#include <sched.h>

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

std::uint32_t hint_changes;

std::uint32_t own_processor() {
    if (&__rseq_offset && __rseq_size != 0) {
        // struct rseq: cpu_id_start, cpu_id; negative while it is not registered.
        const auto* fields = reinterpret_cast<const std::int32_t*>(
            static_cast<const char*>(__builtin_thread_pointer()) + __rseq_offset);
        const std::int32_t processor = __atomic_load_n(&fields[1], __ATOMIC_RELAXED);
        if (processor >= 0) [[likely]]
            return static_cast<std::uint32_t>(processor);
    }
    const int processor = sched_getcpu();
    return processor < 0 ? 0 : static_cast<std::uint32_t>(processor);
}

RegionHint hint_of(const Node& node) {
    return node.kind == NodeKind::region ? region_hint(node.key)
           : node.kind == NodeKind::mpi  ? RegionHint::network
                                         : RegionHint::parallel;
}

// The outermost region counts, and the hint of the innermost one; a parallel region has one only
// where it is the outermost.
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

const ThreadRegions::Known& known_place(ThreadRegions& regions, const Node& node) {
    if (regions.hints != shared(hint_changes)) [[unlikely]] {
        regions.hints = shared(hint_changes);
        for (ThreadRegions::Known& known : regions.known)
            known = {};
    }
    ThreadRegions::Known& known = regions.known[reinterpret_cast<std::uintptr_t>(&node) /
                                                sizeof(Node) % ThreadRegions::remembered];
    if (known.node != &node) [[unlikely]]
        known = {&node, place_of(node), is_epoch_region(node)};
    return known;
}

// Threads that have never been in a region have none.
bool has_slot(ThreadState& state, std::uint64_t place) {
    ThreadRegions& regions = *state.regions;
    if (regions.slot) [[likely]]
        return true;
    if (place == place_unmarked)  // a construct that is no region
        return false;
    regions.slot = take_slot(region_settings.page, state.record->number);
    if (regions.slot)
        set_shared(regions.slot->tid, state.record->tid);
    return regions.slot;
}

void publish(const ThreadRegions& regions, std::uint64_t place) {
    set_shared(regions.slot->place, place | (own_processor() & place_processor_mask));
}

void begins(ThreadState& state, const Node& node) {
    const ThreadRegions::Known& known = known_place(*state.regions, node);
    if (!has_slot(state, known.place))
        return;
    publish(*state.regions, known.place);
    if (known.is_epoch_region) [[unlikely]]
        begin_epoch(state);
}

void now_in(ThreadState& state, const Node& node) {
    if (state.regions->slot)
        publish(*state.regions, known_place(*state.regions, node).place);
}

void works_for(ThreadState& state, const Node& node) {
    if (!has_slot(state, place_word(1, RegionHint::parallel)))
        return;
    set_shared(state.regions->slot->master, thread_of(&node) + 1);
    publish(*state.regions, place_unmarked);
}

}  // namespace

constexpr RegionCalls calls_of_regions = {begins, now_in, works_for};

void thread_enters_regions(ThreadState& state) {
    if (!state.regions)
        state.regions = static_cast<ThreadRegions*>(state.arena.allocate(sizeof(ThreadRegions)));
}

void thread_leaves_regions(ThreadState& state) {
    if (!state.regions || !state.regions->slot)
        return;
    PublishedPlace& slot = *state.regions->slot;
    state.regions->slot = nullptr;
    set_shared(slot.place, std::uint64_t{0});
    set_shared(slot.master, 0u);
    set_shared(slot.tid, 0);
    __atomic_store_n(&slot.process, 0u, __ATOMIC_RELEASE);
}

void forget_remembered_regions() { __atomic_fetch_add(&hint_changes, 1, __ATOMIC_RELAXED); }

void begin_epoch(const ThreadState& state) {
    const PublishedPlace* slot = state.regions ? state.regions->slot : nullptr;
    const auto hint = slot
                          ? static_cast<RegionHint>(relaxed(slot->place) >> place_hint_shift & 0xff)
                          : RegionHint::unset;
    if (hint != RegionHint::ignore)
        count_epoch();
}

}  // namespace vftrace
