// The program and the libraries that are loaded, one by one.
#pragma once

#include <link.h>

#include "base/guarded.hpp"

namespace vftrace {

// Calls visit(const dl_phdr_info&), which returns whether it has seen enough, for the program and
// then for each library. The dynamic linker's lock is held meanwhile: a visit that gives up must
// not leave it locked, so giving up is postponed.
template <class Visit>
void visit_loaded(Visit visit) {
    struct State {
        Visit& visit;
        bool gave_up = false;
    } state{visit};
    dl_iterate_phdr(
        [](dl_phdr_info* information, std::size_t, void* argument) {
            auto& state = *static_cast<State*>(argument);
            bool enough = true;
            state.gave_up = !run_guarded([&] { enough = state.visit(*information); });
            return static_cast<int>(enough || state.gave_up);
        },
        &state);
    if (state.gave_up)
        give_up("out of memory");
}

}  // namespace vftrace
