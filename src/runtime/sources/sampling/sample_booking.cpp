#include "sampling/sample_booking.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/relaxed.hpp"
#include "record/openmp_constructs.hpp"
#include "sampling/sampled_paths.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/sampled_addresses.hpp"

namespace vftrace {
namespace {

void add_samples(Node& node, std::uint64_t samples, std::uint64_t ticks) {
    __atomic_store_n(&node.timed_calls, node.timed_calls + static_cast<std::uint32_t>(samples),
                     __ATOMIC_RELAXED);
    add_relaxed(node.weighted_ticks, ticks);
}

// Books samples of the kernel as they come out of the ring.
class KernelBooking {
  public:
    KernelBooking(ThreadState& state, PathFinder& finder, const Registers* interrupted)
        : state_(state), finder_(finder), interrupted_(interrupted) {}

    void book(const KernelSample& sample, std::uint64_t ns) {
        if (!begun_)
            begin();
        if (code_has_changed_ || is_our_doing(sample.registers))
            return;
        const OpenAround around = open_around(state_, sample.registers.stack());
        if (was_paused_ || around.node->kind == NodeKind::pause ||
            is_timed_as_a_whole(*around.node))
            return add_relaxed(state_.record->kernel_ns, ns);
        Unwinder& unwinder = finder_.unwinder;
        unwinder.walk(sample.registers, finder_.stack, sample.stack);
        if (unwinder.is_cut() && !leads_to(around, unwinder) && !add_unchanged_callers())
            return;
        Node* node = node_of_path(state_, around, unwinder, unwinder.count());
        add_relaxed(state_.record->kernel_ns, ns);
        if (node->kind != NodeKind::function)
            return;
        const std::uint64_t ticks = ticks_of(ns);
        add_samples(*node, 1, ticks);
        add_relaxed(node->ticks_squares, ticks);
        note_address(state_, *node, sample.registers.pc(), 1, ticks);
    }

  private:
    // Calls that were open before the samples and are still open now were open in between too:
    // these are the outermost calls that both walks find in the same place.
    void begin() {
        begun_ = true;
        was_paused_ = __atomic_load_n(&process_record->paused_ticks, __ATOMIC_ACQUIRE) !=
                      state_.record->paused_ticks;
        const std::uint32_t generation = __atomic_load_n(&unwind_generation, __ATOMIC_RELAXED);
        code_has_changed_ = generation != finder_.generation;
        finder_.generation = generation;
        Unwinder& unwinder = finder_.unwinder;
        auto& open = finder_.open;
        if (unwinder.is_live() && unwinder.count() > 0)
            keep_open_calls();
        const std::size_t before = open.count;
        unwinder.walk(interrupted_ ? *interrupted_ : current_registers(), finder_.stack);
        const std::size_t now = unwinder.count();
        const std::size_t most = std::min(before, now);
        while (unchanged_ < most) {
            const OpenFunction& was = open.functions[before - 1 - unchanged_];
            const OpenFunction& is = unwinder[now - 1 - unchanged_];
            if (was.function != is.function || was.stack != is.stack)
                break;
            unchanged_++;
        }
        keep_open_calls();
    }

    void keep_open_calls() {
        auto& open = finder_.open;
        open.count = finder_.unwinder.count();
        for (std::size_t i = 0; i < open.count; i++)
            open.functions[i] = finder_.unwinder[i];
    }

    // Adds the callers for which the copy of the stack was too short. Returns false if they are not
    // known.
    bool add_unchanged_callers() {
        Unwinder& unwinder = finder_.unwinder;
        if (unwinder.count() == 0)
            return false;
        const OpenFunction last = unwinder[unwinder.count() - 1];
        const auto& open = finder_.open;
        for (std::size_t i = open.count - unchanged_; i < open.count; i++) {
            if (open.functions[i].stack != last.stack ||
                open.functions[i].function != last.function)
                continue;
            while (++i < open.count)
                unwinder.add_caller(open.functions[i]);
            return true;
        }
        return false;
    }

    // Whether the kernel does work that the program has not asked for: it sends our signal, returns
    // from a handler, or works for our own code.
    bool is_our_doing(const Registers& registers) {
        Unwinder& unwinder = finder_.unwinder;
        return (interrupted_ && registers.value == interrupted_->value) ||
               unwinder.is_ours(registers.pc()) || unwinder.is_signal_return(registers.pc());
    }

    ThreadState& state_;
    PathFinder& finder_;
    const Registers* interrupted_;
    bool begun_ = false, was_paused_ = false, code_has_changed_ = false;
    std::size_t unchanged_ = 0;  // number of the outermost calls in finder_.open
};

}  // namespace

// The rate of the processor's counter is only known by comparing it
// with the other clock since the run began, with increasing accuracy.
std::uint64_t ticks_of(std::uint64_t ns) {
    if (!tree_settings.processor_ticks)
        return ns;
    const ClockReading& start = process_record->start;
    const std::uint64_t passed_ns = monotonic_ns() - start.ns;
    if (passed_ns == 0)
        return 0;
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(ns) *
                                      (processor_ticks() - start.ticks) / passed_ns);
}

bool is_timed_as_a_whole(const Node& node) {
    if (row_of(node.kind).is(kind_is_whole))
        return true;
    return node.kind == NodeKind::openmp && openmp_constructs[openmp_construct(node.key)].waits;
}

void book_sample(ThreadState& state, PathFinder& finder, const Registers& registers,
                 SampleWeight weight, std::uint64_t period_ns) {
    const OpenAround around = open_around(state, registers.stack());
    if (is_timed_as_a_whole(*around.node))
        return add_relaxed(state.record->other_samples, weight.periods);
    const std::size_t count = finder.unwinder.walk(registers, finder.stack);
    Node* node = node_of_path(state, around, finder.unwinder, count);
    add_relaxed(state.record->samples, weight.periods);
    if (switch_calls)
        switch_calls->seen_in(state, *node);
    // A region's or construct's own time is what remains of the time by the clock; samples show
    // which of the code in a region it is spent in.
    const bool is_function = node->kind == NodeKind::function;
    if (!is_function && !row_of(node->kind).is(kind_is_marked))
        return;
    if (weight.page_faults) {
        if (is_function)
            add_relaxed(node->weight_squares, weight.page_faults);
        return;
    }
    const std::uint64_t ticks = ticks_of(weight.periods * period_ns);
    if (is_function)
        add_samples(*node, weight.periods, ticks);
    note_address(state, *node, registers.pc(), weight.periods, ticks);
}

void book_kernel_samples(ThreadState& state, PathFinder& finder, KernelSamples& samples,
                         const Registers* interrupted) {
    KernelBooking booking(state, finder, interrupted);
    samples.take([&](const KernelSample& sample, std::uint64_t ns) { booking.book(sample, ns); });
}

}  // namespace vftrace
