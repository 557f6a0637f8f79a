#include "mpi/call.hpp"

#include <dlfcn.h>
#include <string_view>

#include "base/relaxed.hpp"
#include "base/text.hpp"
#include "guest/modules.hpp"
#include "tree/call_tree.hpp"
#include "tree/callees.hpp"
#include "tree/event_buffer.hpp"
#include "tree/frames.hpp"
#include "tree/latencies.hpp"
#include "tree/push_frame.hpp"
#include "tree/region_notes.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {
namespace {

// Libraries that translate Fortran calls into C calls.
bool is_fortran_binding(const char* path) {
    constexpr std::string_view names[] = {"libmpi_mpifh",      "libmpi_usempi", "libmpichfort",
                                          "libmpifort",        "libmpichf90",   "libfmpich",
                                          "libmpi_abi_fortran"};
    std::string_view file = base_name(path);
    for (std::string_view name : names)
        if (file.starts_with(name))
            return true;
    return false;
}

// What is known about call sites, by page: the page's number with the answer in the lowest bit.
constexpr std::size_t remembered_pages = 256;
std::uintptr_t pages[remembered_pages];

[[gnu::noinline, gnu::cold]] bool look_up_caller(const void* caller, std::uintptr_t* slot) {
    std::uint16_t at = module_at(reinterpret_cast<std::uintptr_t>(caller));
    if (at == no_module)
        return false;  // at the very first call the modules are not known yet
    bool fortran = is_fortran_binding(module(at).path);
    std::uintptr_t page = reinterpret_cast<std::uintptr_t>(caller) >> 12;
    __atomic_store_n(slot, page << 1 | fortran, __ATOMIC_RELAXED);
    return fortran;
}

bool called_from_fortran(const void* caller) {
    std::uintptr_t page = reinterpret_cast<std::uintptr_t>(caller) >> 12;
    std::uintptr_t* slot = &pages[page % remembered_pages];
    std::uintptr_t known = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (known >> 1 != page) [[unlikely]]
        return look_up_caller(caller, slot);
    return known & 1;
}

// Whether an MPI call is open. One with the same place as this call was left unseen: it is closed.
bool is_in_mpi(ThreadState& state, std::uintptr_t stack) {
    SlowPath guard(state, stack);
    if (!settle(state, stack))
        return false;
    while (state.top->node->kind == NodeKind::mpi && state.top->stack == stack)
        pop_frame(state, tree_ticks(), true);
    return state.top->node->kind == NodeKind::mpi;
}

// The kernel's work so far was done in the call, whose time is measured by the clock.
[[gnu::noinline, gnu::cold]] void book_kernel_work(ThreadState& state, std::uintptr_t stack) {
    SlowPath guard(state, stack);
}

}  // namespace

Call::Call(FunctionId function, const Site& site)
    : stack_(site.stack), function_(function), from_fortran_(called_from_fortran(site.caller)) {
    std::uintptr_t key = mpi_key(function, from_fortran_ ? CallName::fortran : CallName::c);
    ThreadState* state = thread_state;
    Frame* top = state->top;
    if (is_below_hot_stack(*state, stack_) || stack_ > top->stack || top >= state->frames_end)
        [[unlikely]] {
        enter_unusual(state, key, site);
        return;
    }
    Node* parent = top->node;
    if (parent->kind == NodeKind::mpi) [[unlikely]] {
        nested_ = stack_ < top->stack;
        if (!nested_)
            enter_unusual(state, key, site);
        return;
    }
    Node* node = parent->last_callee;
    if (node->key != key) {
        node = find_callee(*state, parent, key);
        if (!node || node->kind == NodeKind::alias || (node->flags & node_reads_counters)) {
            enter_unusual(state, key, site);
            return;
        }
        parent->last_callee = node;
    }
    push<Timing::clock>(state, top + 1, node, stack_);
    note_region_begin(*state, node);
    state_ = state;
    node_ = node;
}

void Call::enter_unusual(ThreadState* state, std::uintptr_t key, const Site& site) {
    // MPI calls that our own work on the tree makes are not the program's.
    if (state == &busy_thread_state) {
        nested_ = ours_ = true;
        return;
    }
    if (!state->segment || state->ignore_events)
        state = recording_state_slowly();
    if (!state)
        return;
    if (!from_fortran_ && called_from_fortran(site.caller)) {
        from_fortran_ = true;
        key = mpi_key(function_, CallName::fortran);
    }
    if (is_in_mpi(*state, stack_)) {
        nested_ = true;
        return;
    }
    std::uint64_t dropped = state->record->dropped_calls;
    enter_slowly(state,
                 {key, NodeKind::mpi, reinterpret_cast<std::uintptr_t>(site.caller), 0, stack_});
    if (state->record->dropped_calls == dropped)
        node_ = state->top->node;
    else if (state->top->start != frame_overflow)
        return;
    state_ = state;
}

void Call::stop() {
    end_ = tree_settings.processor_ticks ? processor_ticks() : tree_ticks();
    if (!node_)
        return;
    Frame* top = state_->top;
    bool usual = top->node == node_ && top->start > frame_last_kind;
    start_ = usual ? top->start : top->node == node_ ? top->slow_start : end_;
}

void Call::leave() {
    if (!state_)
        return;
    if (sampling_calls) [[unlikely]]
        book_kernel_work(*state_, stack_);
    Frame* top = state_->top;
    if (top->node == node_ && top->start > frame_last_kind) [[likely]] {  // there is a node
        const std::uint64_t ticks = end_ - top->start;
        add_relaxed(node_->inclusive_ticks, ticks);
        drop(state_, top);
        leave_callers(*state_);
        note_exit(*state_, node_, end_);
        note_call(*state_, *node_, ticks, end_);
        return;
    }
    exit_slowly(state_, node_ ? node_->key : 0, NodeKind::mpi, stack_);  // 0: deeper than recorded
}

void Call::found_nothing() {
    // 8 to 16 us: work between two polls that does not take much longer than the polls.
    constexpr std::uint64_t soon = 1 << 15;
    if (!node_)
        return;
    if (start_ - state_->last_poll < soon)
        add_relaxed(node_->weight_squares, 1);
    state_->last_poll = end_;
}

void Call::synchronise(Word communicator) {
    if (!real_function(FunctionId::MPI_Barrier))
        return;
    // The other ranks wait here, whether this call is recorded or not.
    if (!node_) {
        call_real(FunctionId::MPI_Barrier, communicator);
        return;
    }
    std::uintptr_t key =
        mpi_key(function_, from_fortran_ ? CallName::fortran_sync : CallName::sync);
    enter_slowly(state_, {key, NodeKind::mpi, 0, 0, stack_});
    call_real(FunctionId::MPI_Barrier, communicator);
    exit_slowly(state_, key, NodeKind::mpi, stack_);
}

}  // namespace vftrace
