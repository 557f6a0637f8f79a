// What one call's hooks cost, measured in the process itself.
#include "overhead/hook_cost.hpp"

#include <algorithm>

#include "tree/call_tree.hpp"
#include "tree/registry.hpp"

extern "C" void __cyg_profile_func_enter(void*, void*);
extern "C" void __cyg_profile_func_exit(void*, void*);

namespace vftrace {

double measure_hook_pair_ns(double ns_per_tick) {
    ThreadState* scratch = make_scratch_state();
    if (!scratch)
        return 0;
    // Through volatile pointers, as a program calls them: not inlined, the target looked up.
    void (*volatile enter)(void*, void*) = __cyg_profile_func_enter;
    void (*volatile leave)(void*, void*) = __cyg_profile_func_exit;
    char function;  // any address serves as a function
    constexpr int repetitions = 5, calls = 500;
    std::uint64_t best = ~std::uint64_t{0};
    ThreadState* previous = thread_state;
    thread_state = scratch;
    for (int repetition = 0; repetition < repetitions; repetition++) {
        std::uint64_t start = tree_ticks();
        for (int call = 0; call < calls; call++) {
            enter(&function, nullptr);
            leave(&function, nullptr);
        }
        best = std::min(best, tree_ticks() - start);
    }
    thread_state = previous;
    return static_cast<double>(best) * ns_per_tick / calls;
}

}  // namespace vftrace
