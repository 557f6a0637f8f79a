#include "heap/heap_profile.hpp"

#include <dlfcn.h>

#include "base/clock.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "guest/floating_point.hpp"
#include "guest/frame_address.hpp"
#include "guest/modules.hpp"
#include "heap/first_touch.hpp"
#include "heap/live_blocks.hpp"
#include "heap/live_series.hpp"
#include "record/heap_sampling.hpp"
#include "tree/append_row.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/pause.hpp"
#include "tree/registry.hpp"
#include "tree/side_tables.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {
namespace {

// Of the process; any thread changes them.
struct ProcessHeapFigures {
    std::uint64_t sample_bytes;  // the mean number of bytes between two samples; 1: all are seen
    std::uint64_t live, peak;    // bytes not freed yet, and their largest number
    std::uint64_t peak_time;     // ticks, since recording began
    std::uint64_t not_recorded;  // bytes allocated where nothing is recorded
    std::uint64_t use_samples;   // samples of threads' time that were examined (first_touch.hpp)
};
constexpr SideFigures<ProcessHeapFigures> process_figures{
    {{{MetricId::heap_sample_bytes},
      {MetricId::heap_process_live},
      {MetricId::heap_peak},
      {MetricId::heap_peak_time, 0, SideValue::ticks},
      {MetricId::heap_not_recorded},
      {MetricId::heap_use_samples}}}};

HeapProfile wanted;
double mean_bytes;
bool watched;
ProcessHeapFigures* of_process;  // nullptr: nothing is recorded now

// Of the calling thread. A signal handler that allocates or frees while its thread is here does so
// unnoticed.
struct HeapThread {
    bool is_here;
    std::uint64_t allocations;  // if all are counted
};
constinit thread_local HeapThread own [[gnu::tls_model("initial-exec")]] = {};

class Here {
  public:
    Here() : may_continue_(!own.is_here) {
        own.is_here = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    ~Here() {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (may_continue_)
            own.is_here = false;
    }
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;
    bool may_continue() const { return may_continue_; }

  private:
    bool may_continue_;
};

// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators",
// 2014), for all threads together.
std::uint64_t random_state;
std::uint64_t random_bits() {
    std::uint64_t z = __atomic_add_fetch(&random_state, 0x9e3779b97f4a7c15u, __ATOMIC_RELAXED);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// A figure that only the calling thread changes.
void add_real(double& figure, double amount) { set_shared(figure, figure + amount); }
void add_shared(std::uint64_t& word, std::uint64_t amount) {
    __atomic_fetch_add(&word, amount, __ATOMIC_RELAXED);
}

// After this many bytes were allocated or freed.
void read_live(const ProcessHeapFigures& process, std::uint64_t changed) {
    constexpr std::uint64_t between_readings = 64, always = 1 << 20;
    if (wanted == HeapProfile::sampled || own.allocations % between_readings == 0 ||
        changed >= always)
        read_live_series(relaxed(process.live), relaxed(process.peak), changed);
}

void add_to_process(ProcessHeapFigures& process, std::uint64_t bytes) {
    const std::uint64_t live = __atomic_add_fetch(&process.live, bytes, __ATOMIC_RELAXED);
    std::uint64_t peak = relaxed(process.peak);
    while (live > peak)
        if (__atomic_compare_exchange_n(&process.peak, &peak, live, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            add_shared(process_record->memory_peaks, 1);
            set_shared(process.peak_time, tree_ticks() - process_record->start.ticks);
            break;
        }
}

// A block does not exist any longer.
void book_freed(const LiveBlock& block) {
    ProcessHeapFigures* const process = relaxed(of_process);
    if (!process)
        return;
    note_peak(*block.figures, relaxed(process_record->memory_peaks));
    add_shared(block.figures->live, -block.bytes);
    add_shared(block.figures->live_variance, -block.bytes_variance);
    add_shared(process->live, -block.bytes);
}

// nullptr without memory.
HeapSite* make_site(ThreadState& state, const Node& node, std::uintptr_t pc) {
    ThreadHeap& heap = state.record->heap;
    auto* const site = static_cast<HeapSite*>(state.arena.allocate_small(sizeof(HeapSite)));
    if (!site)
        return nullptr;
    site->node = &node;
    site->pc = pc;
    site->module = pc != 0 ? module_at(pc) : no_module;
    site->path = hash_of_path(node);
    if (!heap.index.find_or_add({site}))
        return nullptr;
    append_row(heap, site);
    heap.sites++;
    return site;
}

HeapSite* site_of(ThreadState& state, const Node& node, std::uintptr_t pc) {
    ThreadHeap& heap = state.record->heap;
    if (const auto* const known = heap.index.find({&node, pc}))
        return known->row;
    if (heap.sites >= most_heap_sites && pc != 0)
        return site_of(state, node, 0);
    return make_site(state, node, pc);
}

// Where the calling thread is; nullptr if that is not recorded.
HeapSite* site_here(ThreadState& state, std::uintptr_t caller) {
    if (plain_read(state.ignore_events) || state.top->start == frame_paused)
        return nullptr;
    const Node* const node = sampling_calls ? sampling_calls->path_here(state) : state.top->node;
    return site_of(state, *node, caller - 1);
}

// The calling thread's state; nullptr if nothing that it does is recorded, or if it is in the
// library.
ThreadState* state_of_program() {
    ThreadState* const state = thread_state;
    if (state == &busy_thread_state || plain_read(state->ignore_events))
        return nullptr;
    if (state->segment)
        return state;
    // Threads of the library itself have not been reported as started.
    return thread_start.started != 0 ? recording_state_slowly() : nullptr;
}

bool book_allocated(const SampledAllocation& sampled, LiveBlock& block, std::size_t size,
                    std::uintptr_t caller, std::uintptr_t stack) {
    ProcessHeapFigures* const process = relaxed(of_process);
    ThreadState* const state = process ? state_of_program() : nullptr;
    if (!state)
        return false;
    const SlowPath guard(*state, stack);
    catch_up_with_pauses(*state, 0, stack);
    HeapSite* const site = site_here(*state, caller);
    if (!site)
        return false;
    HeapFigures* const figures = &site->figures;
    add_relaxed(figures->allocated, sampled.bytes);
    add_real(figures->calls, sampled.calls);
    add_relaxed(figures->samples, 1);
    if (sampled.bytes_variance > 0) {
        add_real(figures->allocated_variance, static_cast<double>(sampled.bytes_variance));
        add_real(figures->calls_variance, sampled.calls_variance);
    }
    block.figures = figures;
    block.thread = state->record;
    LiveBlock replaced;
    bool is_added;
    const bool replaces = add_live_block(block, replaced, is_added);
    if (is_added) {
        note_peak(*figures, relaxed(process_record->memory_peaks));
        add_shared(figures->live, block.bytes);
        add_shared(figures->live_variance, block.bytes_variance);
    }
    if (replaces)
        book_freed(replaced);
    if (is_added) {
        add_to_process(*process, block.bytes);
        block_begins(block.address, size, *site);
    }
    read_live(*process, block.bytes);
    return true;
}

void note_not_recorded(std::uint64_t bytes) {
    if (ProcessHeapFigures* const process = relaxed(of_process))
        add_shared(process->not_recorded, bytes);
}

std::uint64_t report_sampled(std::uintptr_t address, std::size_t size, std::uint64_t left,
                             std::uintptr_t caller) {
    const Here here;
    if (!here.may_continue())
        return left;
    const HeldFloatingPointTraps held;
    if (left == 0) {  // the thread's first allocation
        left = bytes_to_next_sample(mean_bytes, random_bits());
        if (size < left)
            return left - size;
    }
    left = bytes_to_next_sample(mean_bytes, random_bits());
    const SampledAllocation sampled = sampled_allocation(size, mean_bytes);
    LiveBlock block = {address, sampled.bytes, sampled.bytes_variance, sampled.calls, {}, {}, left};
    if (!book_allocated(sampled, block, size, caller, frame_address()))
        note_not_recorded(sampled.bytes);
    return left;
}

std::uint64_t report_each(std::uintptr_t address, std::size_t size, std::uint64_t left,
                          std::uintptr_t caller) {
    const Here here;
    if (!here.may_continue())
        return left;
    LiveBlock block = {address, size, 0, 1, {}, {}, ++own.allocations};
    if (!book_allocated(counted_allocation(size), block, size, caller, frame_address()))
        note_not_recorded(size);
    return 0;
}

LiveBlock& block_in(WatchedBlock& words) { return reinterpret_cast<LiveBlock&>(words); }
const LiveBlock& block_in(const WatchedBlock& words) {
    return reinterpret_cast<const LiveBlock&>(words);
}

bool take(std::uintptr_t address, WatchedBlock& taken) {
    const Here here;
    if (!here.may_continue() || !take_live_block(address, block_in(taken)))
        return false;
    block_ends(address, block_in(taken).bytes, frame_address());
    return true;
}

void put_back(const WatchedBlock& taken) {
    const Here here;
    LiveBlock replaced;
    bool is_added;
    if (add_live_block(block_in(taken), replaced, is_added))
        book_freed(replaced);
    if (!is_added)
        book_freed(block_in(taken));
}

void report_freed(const WatchedBlock& taken, std::uint64_t left) {
    const Here here;
    const LiveBlock& block = block_in(taken);
    book_freed(block);
    if (const ProcessHeapFigures* const process = relaxed(of_process))
        read_live(*process, block.bytes);
    const bool counts_all = wanted == HeapProfile::all;
    const std::uint64_t moment = counts_all ? own.allocations : left;
    const ThreadState* const state = own_thread_state;
    if (!relaxed(of_process) || !state || state->record != block.thread || moment != block.moment)
        return;
    if (counts_all)  // adding whole numbers does not trap
        return add_real(block.figures->temporary, 1);
    const HeldFloatingPointTraps held;
    add_real(block.figures->temporary, block.calls);
}

void report_moved(const WatchedBlock& taken) {
    const Here here;
    book_freed(block_in(taken));
}

}  // namespace

bool watch_allocations(HeapProfile what, std::uint64_t sample_bytes, bool are_counted) {
    wanted = what;
    if (what == HeapProfile::off)
        return false;
    auto* const watch_them =
        reinterpret_cast<WatchAllocations*>(dlsym(RTLD_DEFAULT, "vftrace_watch_allocations"));
    if (!watch_them) {
        message(
            "memory.profile: allocations are not recorded, because libvftrace_allocations.so is "
            "not preloaded (vftrace run does that)");
        return false;
    }
    mean_bytes = static_cast<double>(sample_bytes);
    random_state = monotonic_ns();
    if (!prepare_live_blocks(what == HeapProfile::all)) {
        message("memory.profile: allocations are not recorded, because there is not enough memory "
                "for it");
        return false;
    }
    const AllocationWatch watch = {.allocated =
                                       what == HeapProfile::all ? report_each : report_sampled,
                                   .take = take,
                                   .freed = report_freed,
                                   .moved = report_moved,
                                   .put_back = put_back,
                                   .are_counted = are_counted,
                                   .places = places_of_live_blocks()};
    watched = watch_them(&watch);
    if (!watched)
        message("memory.profile: allocations are not recorded, because a sanitizer watches them");
    return watched;
}

void begin_heap_profile() {
    if (!watched)
        return;
    auto* const figures =
        reinterpret_cast<ProcessHeapFigures*>(new_process_values(process_figures.columns));
    if (!figures)
        return;
    figures->sample_bytes = wanted == HeapProfile::all ? 1 : static_cast<std::uint64_t>(mean_bytes);
    begin_live_series();
    count_use_samples(&figures->use_samples);
    set_shared(of_process, figures);
}

void forget_heap_profile() {
    of_process = nullptr;
    count_use_samples(nullptr);
    forget_live_series();
}

void finish_heap_profile() {
    ProcessHeapFigures* const process = relaxed(of_process);
    if (!process)
        return;
    set_shared(of_process, static_cast<ProcessHeapFigures*>(nullptr));
    note_peaks(*process_record);
    end_live_series(relaxed(process->live));
}

}  // namespace vftrace
