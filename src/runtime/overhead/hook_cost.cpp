#include "overhead/hook_cost.hpp"

#include <algorithm>
#include <iterator>

#include "guest/frame_address.hpp"
#include "hooks/prologue_hooks.hpp"
#include "mpi/call.hpp"
#include "tree/call_tree.hpp"
#include "tree/region_names.hpp"
#include "tree/registry.hpp"

extern "C" void __cyg_profile_func_enter(void*, void*);
extern "C" void __cyg_profile_func_exit(void*, void*);

namespace vftrace {
namespace {

constexpr int repetitions = 5, calls_a_loop = 400;

// Any addresses can be used as functions; there is no code there.
struct alignas(16) AnyCode {
    char bytes[16];
};
AnyCode functions[64];

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

#ifdef VFTRACE_HAS_PROLOGUE_HOOKS
[[maybe_unused]] auto* volatile prologue_hook_address = vftrace_function_entry;
[[maybe_unused]] auto* volatile epilogue_hook_address = __return__;
[[gnu::naked, gnu::noinline]] void empty_function() { asm("ret"); }
[[gnu::naked, gnu::noinline]] void call_epilogue_hook() {
    asm("jmp *%0" : : "m"(epilogue_hook_address));
}
[[gnu::naked, gnu::noinline]] void function_with_prologue_hooks() {
    asm("call *%0\n\tcall %P1\n\tret" : : "m"(prologue_hook_address), "i"(call_epilogue_hook));
}
[[gnu::naked, gnu::noinline]] void another_with_prologue_hooks() {
    asm("call *%0\n\tcall %P1\n\tret" : : "m"(prologue_hook_address), "i"(call_epilogue_hook));
}
#endif

// Runs loops of call(i) and returns the smallest number of ticks for one call.
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

Node& path_of_functions(const ThreadState& state) {
    enter(functions, nullptr);
    leave(functions, nullptr);
    return *state.top->node->last_callee;
}

// The same, with the time that is added to `node`, in its member `time`, for one call.
template <class Call>
CallCost least_cost(const Node& node, std::uint64_t Node::*time, int calls, Call call) {
    CallCost best{1e9, 1e9, 0};
    for (int repetition = 0; repetition < repetitions; repetition++) {
        const std::uint64_t before = node.*time, start = tree_ticks();
        for (int i = 0; i < calls; i++)
            call();
        const auto all = static_cast<double>(tree_ticks() - start) / calls;
        best.all = std::min(best.all, all);
        best.inside = std::min(best.inside, static_cast<double>(node.*time - before) / calls);
    }
    return best;
}

// About 80 ns of steps that each need the result of the one before.
std::uint64_t work(std::uint64_t number) {
    for (int step = 0; step < 80; step++) {
        number = number * 6364136223846793005u + 1442695040888963407u;  // D. E. Knuth, MMIX
        asm volatile("" : "+r"(number));
    }
    return number;
}

// The cost of calls of functions[0], with prepare() called before each.
template <class Prepare>
CallCost cost_of_calls(const Node& node, std::uint64_t Node::*time, Prepare prepare) {
    CallCost cost = least_cost(node, time, calls_a_loop, [&] {
        prepare();
        enter(functions, nullptr);
        leave(functions, nullptr);
    });
    constexpr int calls_with_work = calls_a_loop / 8;
    std::uint64_t number = 1;
    const double alone = least_ticks(calls_with_work, [&](int) { number = work(number); });
    const CallCost with_work = least_cost(node, time, calls_with_work, [&] {
        prepare();
        enter(functions, nullptr);
        number = work(number);
        leave(functions, nullptr);
    });
    cost.overlap = std::max(alone - (with_work.inside - cost.inside), 0.0);
    return cost;
}

CallCost timed_calls(const Node& node) {
    return cost_of_calls(node, &Node::inclusive_ticks, [] {});
}

double two_callees() {
    return least_ticks(calls_a_loop, [](int i) {
        enter(functions + i % 2, nullptr);
        leave(functions + i % 2, nullptr);
    });
}

// Makes the node's next call be timed as one of many.
void prepare_thinned_call(Node& node) {
    node.mean_stride_log2 = 1;
    node.timing = timed_call_due - 1;
    node.stride = 1;
}

CallCost thinned_calls(Node& node) {
    return cost_of_calls(node, &Node::weighted_ticks, [&] { prepare_thinned_call(node); });
}

#ifdef VFTRACE_HAS_PROLOGUE_HOOKS
CallCost difference(const CallCost& one, double all_of_other, const CallCost& other) {
    return {std::max(one.all - all_of_other, 0.0), std::max(one.inside - other.inside, 0.0), 0};
}
#endif

// These costs are to be added to `timed`, `thinned` and `table_entry`.
void measure_prologue_calls([[maybe_unused]] const ThreadState& state,
                            [[maybe_unused]] HookCosts& costs) {
#ifdef VFTRACE_HAS_PROLOGUE_HOOKS
    for (auto function : {another_with_prologue_hooks, function_with_prologue_hooks}) {
        function();
        state.top->node->last_callee->timing = every_call_timed;
    }
    Node& node = *state.top->node->last_callee;
    const CallCost cost = least_cost(node, &Node::inclusive_ticks, calls_a_loop,
                                     [] { function_with_prologue_hooks(); });
    const double empty = least_ticks(calls_a_loop, [](int) { empty_function(); });
    const double two = least_ticks(calls_a_loop, [](int i) {
        i % 2 ? another_with_prologue_hooks() : function_with_prologue_hooks();
    });
    costs.prologue = difference(cost, empty + costs.timed.all, costs.timed);
    const CallCost thinned = least_cost(node, &Node::weighted_ticks, calls_a_loop, [&] {
        prepare_thinned_call(node);
        function_with_prologue_hooks();
    });
    costs.prologue_thinned = difference(thinned, empty + costs.thinned.all, costs.thinned);
    costs.prologue_table_entry = std::max(two - empty - costs.prologue.all - two_callees(), 0.0);
#endif
}

// Calls of several functions below one.
constexpr std::uint32_t callees = 16;

// In an order that the branch predictor does not know: alternating calls cost next to nothing.
double calls_of_several() {
    for (std::uint32_t i = 0; i < callees; i++) {
        enter(functions + i, nullptr);
        leave(functions + i, nullptr);
        thread_state->top->node->last_callee->timing = every_call_timed;
    }
    std::uint32_t number = 1;
    return least_ticks(calls_a_loop, [&](int) {
        number = number * 1664525 + 1013904223;  // D. E. Knuth, TAOCP 3.3.4
        enter(functions + (number >> 16) % callees, nullptr);
        leave(functions + (number >> 16) % callees, nullptr);
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

// Two functions that call each other. If they are not folded up to a depth that is worth trying, a
// folded call is assumed to cost what any call does.
CallCost folded_calls(ThreadState& state, const CallCost& timed) {
    constexpr int deepest = 64;
    Frame* const top = state.top;
    const Node* alias;
    do {
        enter(functions + (state.top - top) % 2, nullptr);
        if (state.top == top)  // functions are sampled: their hooks do nothing
            return timed;
        alias = state.top[-1].node->last_callee;
    } while (alias->kind != NodeKind::alias && state.top - top < deepest);
    const auto depth = state.top - top;
    leave(functions + (depth - 1) % 2, nullptr);
    CallCost cost = timed;
    if (alias->kind == NodeKind::alias)
        cost = least_cost(*alias, &Node::inclusive_ticks, calls_a_loop, [&] {
            enter(functions + (depth - 1) % 2, nullptr);
            leave(functions + (depth - 1) % 2, nullptr);
        });
    while (state.top > top)
        leave(functions + (state.top - top - 1) % 2, nullptr);
    return cost;
}

double untimed_calls(Node& node) {
    node.timing = 1;
    return least_ticks(calls_a_loop, [](int) {
        enter(functions, nullptr);
        leave(functions, nullptr);
    });
}

// First calls of paths, each of a different function.
double first_calls() {
    constexpr int calls = 10;
    int next = callees;
    return least_ticks(calls, [&](int) {
        enter(functions + next, functions + next);
        leave(functions + next, functions + next);
        next++;
    });
}

CallCost mpi_calls(const ThreadState& state) {
    const Site site{called_as_mpi, __builtin_return_address(0), frame_address()};
    auto call_wrapper = [&] {
        Call call(FunctionId::MPI_Comm_rank, site);
        call.stop();
        call.leave();
    };
    call_wrapper();
    return least_cost(*state.top->node->last_callee, &Node::inclusive_ticks, calls_a_loop,
                      [&] { call_wrapper(); });
}

CallCost cost_of_region_calls(ThreadState& state) {
    // Region names are kept as addresses; this one is not the address of a name.
    const auto key = reinterpret_cast<std::uintptr_t>(functions + std::size(functions) - 1);
    auto call_region = [&] {
        enter_slowly(&state, {key, NodeKind::region, 0, 0, frame_address()});
        end_region(&state, key);
    };
    call_region();
    return least_cost(*state.top->node->last_callee, &Node::inclusive_ticks, calls_a_loop / 4,
                      call_region);
}

}  // namespace

HookCosts measure_hook_costs() {
    HookCosts costs{};
    ThreadState* scratch = make_scratch_state();
    if (!scratch)
        return costs;
    ThreadState* previous = thread_state;
    thread_state = scratch;
    Node& node = path_of_functions(*scratch);
    node.timing = every_call_timed;
    const double loop = ticks_of_empty_loop();
    auto without_loop = [loop](double ticks) { return std::max(ticks - loop, 0.0); };
    costs.timed = timed_calls(node);
    costs.timed.all = without_loop(costs.timed.all);
    costs.table_entry = std::max(without_loop(calls_of_several()) - costs.timed.all, 0.0);
    costs.nested = without_loop(recursion());
    costs.fold = folded_calls(*scratch, costs.timed);
    costs.mpi = mpi_calls(*scratch);
    costs.region = cost_of_region_calls(*scratch);
    costs.new_path = std::max(first_calls() - costs.timed.all, 0.0);
    costs.thinned = thinned_calls(node);
    node.timing = every_call_timed;
    measure_prologue_calls(*scratch, costs);
    costs.untimed = without_loop(untimed_calls(node));
    thread_state = previous;
    return costs;
}

}  // namespace vftrace
