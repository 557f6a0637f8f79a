// What calls cost, measured in the process itself.
#include "overhead/hook_cost.hpp"

#include <algorithm>

#include "hooks/frame_address.hpp"
#include "mpi/call.hpp"
#include "tree/call_tree.hpp"
#include "tree/region_names.hpp"
#include "tree/registry.hpp"
#include "tree/thinned_time.hpp"

extern "C" void __cyg_profile_func_enter(void*, void*);
extern "C" void __cyg_profile_func_exit(void*, void*);

namespace vftrace {
namespace {

constexpr int repetitions = 5, calls_a_loop = 400;

// Any addresses serve as functions; no code lies there.
char functions[64];

// The hooks, reached as from a program: by a jump through a table of addresses (PLT).
using Hook = void (*)(void*, void*);
[[maybe_unused]] Hook volatile enter_address = __cyg_profile_func_enter;
[[maybe_unused]] Hook volatile exit_address = __cyg_profile_func_exit;
#ifdef __x86_64__
[[gnu::naked, gnu::noinline]] void enter(void*, void*) { asm("jmp *%0" : : "m"(enter_address)); }
[[gnu::naked, gnu::noinline]] void leave(void*, void*) { asm("jmp *%0" : : "m"(exit_address)); }
#else
void enter(void* function, void* callsite) { enter_address(function, callsite); }
void leave(void* function, void* callsite) { exit_address(function, callsite); }
#endif

// Runs loops of call(i) and returns the least ticks for one call.
template <class Call>
double least_ticks(int calls, Call call) {
    std::uint64_t best = ~std::uint64_t{0};
    for (int repetition = 0; repetition < repetitions; repetition++) {
        const std::uint64_t start = tree_ticks();
        for (int i = 0; i < calls; i++)
            call(i);
        best = std::min(best, tree_ticks() - start);
    }
    return static_cast<double>(best) / calls;
}

double ticks_of_empty_loop() {
    return least_ticks(calls_a_loop, [](int i) { asm volatile("" : : "r"(i)); });
}

// Ticks that the path of functions[0] has been given by the calls made meanwhile, for one of them.
template <class Measure>
CallCost with_inside(const ThreadState& state, std::uint64_t Node::*time, Measure measure) {
    enter(functions, nullptr);
    leave(functions, nullptr);
    const Node* node = state.top->node->last_callee;
    const std::uint64_t calls_before = node->calls, time_before = node->*time;
    const double all = measure();
    const auto calls = static_cast<double>(node->calls - calls_before);
    return {all, std::min(static_cast<double>(node->*time - time_before) / calls, all)};
}

CallCost timed_calls() {
    return with_inside(*thread_state, &Node::inclusive_ticks, [] {
        return least_ticks(calls_a_loop, [](int) {
            enter(functions, nullptr);
            leave(functions, nullptr);
        });
    });
}

double two_callees() {
    return least_ticks(calls_a_loop, [](int i) {
        enter(functions + i % 2, nullptr);
        leave(functions + i % 2, nullptr);
    });
}

double recursion() {
    enter(functions, nullptr);
    const double ticks = least_ticks(calls_a_loop, [](int) {
        enter(functions, nullptr);
        leave(functions, nullptr);
    });
    leave(functions, nullptr);
    return ticks;
}

// The path of functions[0] as one that is thinned.
Node& thinned_node(const ThreadState& state) {
    enter(functions, nullptr);
    leave(functions, nullptr);
    Node& node = *state.top->node->last_callee;
    node.mean_stride_log2 = 1;
    return node;
}

double untimed_calls(const ThreadState& state) {
    thinned_node(state).untimed_left = muted_calls;
    return least_ticks(calls_a_loop, [](int) {
        enter(functions, nullptr);
        leave(functions, nullptr);
    });
}

CallCost thinned_calls(const ThreadState& state) {
    Node& node = thinned_node(state);
    node.untimed_left = 0;
    return with_inside(state, &Node::weighted_ticks, [&] {
        return least_ticks(calls_a_loop, [&](int) {
            node.untimed_left = 0;
            node.stride = 1;
            enter(functions, nullptr);
            leave(functions, nullptr);
        });
    });
}

// First calls of paths, each of another function.
double first_calls() {
    constexpr int calls = 10;
    int next = 2;
    return least_ticks(calls, [&](int) {
        enter(functions + next, functions + next);
        leave(functions + next, functions + next);
        next++;
    });
}

CallCost mpi_calls(const ThreadState& state) {
    const Site site{called_as_mpi, __builtin_return_address(0), frame_address()};
    auto call_wrapper = [&](int) {
        Call call(FunctionId::MPI_Comm_rank, site);
        call.stop();
        call.leave();
    };
    call_wrapper(0);
    const Node* node = state.top->node->last_callee;
    const std::uint64_t before = node->inclusive_ticks, calls_before = node->calls;
    const double all = least_ticks(calls_a_loop, call_wrapper);
    const auto calls = static_cast<double>(node->calls - calls_before);
    return {all, calls > 0
                     ? std::min(static_cast<double>(node->inclusive_ticks - before) / calls, all)
                     : 0.0};
}

CallCost region_calls(ThreadState& state) {
    // As region names are kept: an address, here of no name.
    const auto key = reinterpret_cast<std::uintptr_t>(functions + sizeof functions - 1);
    std::uint64_t calls = 0;
    const double all = least_ticks(calls_a_loop / 4, [&](int) {
        enter_slowly(&state, {key, NodeKind::region, 0, 0, frame_address()});
        end_region(&state, key);
        calls++;
    });
    const Node* node = state.top->node->last_callee;
    return {all,
            std::min(static_cast<double>(node->inclusive_ticks) / static_cast<double>(calls), all)};
}

}  // namespace

HookCosts measure_hook_costs() {
    HookCosts costs{};
    ThreadState* scratch = make_scratch_state();
    if (!scratch)
        return costs;
    ThreadState* previous = thread_state;
    thread_state = scratch;
    const double loop = ticks_of_empty_loop();
    auto without_loop = [loop](double ticks) { return std::max(ticks - loop, 0.0); };
    costs.timed = timed_calls();
    costs.timed.all = without_loop(costs.timed.all);
    costs.table_entry = std::max(without_loop(two_callees()) - costs.timed.all, 0.0);
    costs.nested = without_loop(recursion());
    costs.mpi = mpi_calls(*scratch);
    costs.region = region_calls(*scratch);
    costs.new_path = std::max(first_calls() - costs.timed.all, 0.0);
    costs.thinned = thinned_calls(*scratch);
    costs.untimed = without_loop(untimed_calls(*scratch));
    thread_state = previous;
    return costs;
}

}  // namespace vftrace
