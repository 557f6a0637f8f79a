// What one call's hooks or wrapper cost, measured in the process itself.
#include "overhead/hook_cost.hpp"

#include <algorithm>

#include "mpi/call.hpp"
#include "tree/call_tree.hpp"
#include "tree/registry.hpp"

extern "C" void __cyg_profile_func_enter(void*, void*);
extern "C" void __cyg_profile_func_exit(void*, void*);

namespace vftrace {

namespace {

// Calls pair() many times on a tree that is nobody's; returns the least time for one.
template <class Pair>
double measure_ns(double ns_per_tick, Pair pair) {
    ThreadState* scratch = make_scratch_state();
    if (!scratch)
        return 0;
    constexpr int repetitions = 5, calls = 500;
    std::uint64_t best = ~std::uint64_t{0};
    ThreadState* previous = thread_state;
    thread_state = scratch;
    for (int repetition = 0; repetition < repetitions; repetition++) {
        std::uint64_t start = tree_ticks();
        for (int call = 0; call < calls; call++)
            pair();
        best = std::min(best, tree_ticks() - start);
    }
    thread_state = previous;
    return static_cast<double>(best) * ns_per_tick / calls;
}

}  // namespace

double measure_hook_pair_ns(double ns_per_tick) {
    // Through volatile pointers, as a program calls them: not inlined, the target looked up.
    void (*volatile enter)(void*, void*) = __cyg_profile_func_enter;
    void (*volatile leave)(void*, void*) = __cyg_profile_func_exit;
    char function;  // any address serves as a function
    return measure_ns(ns_per_tick, [&] {
        enter(&function, nullptr);
        leave(&function, nullptr);
    });
}

double measure_mpi_wrapper_ns(double ns_per_tick) {
    Site site{called_as_mpi, __builtin_return_address(0), frame_address()};
    return measure_ns(ns_per_tick, [&] {
        Call call(FunctionId::MPI_Comm_rank, site);
        call.stop();
        call.leave();
    });
}

}  // namespace vftrace
