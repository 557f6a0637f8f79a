#include "openmp/libgomp_regions.hpp"

#include "guest/frame_address.hpp"

namespace vftrace {
namespace {

void do_part(Team* team, std::uintptr_t stack) {
    ThreadState* state = team->has_worksharing ? recording_state() : nullptr;
    if (state)
        enter_construct(openmp_key(team->worksharing, team->code), stack);
    team->function(team->data);
    if (state && (state = known_state()))
        leave_construct(*state, team->worksharing, stack);
}

void wait_for_others(ThreadState* state, const Team* team, std::uintptr_t stack) {
    if (state)
        enter_construct(openmp_key(OpenmpConstruct::implicit_barrier, team->code),
                        place_in_caller(*state, stack));
}

}  // namespace

void run_part(void* argument) {
    auto* team = static_cast<Team*>(argument);
    std::uintptr_t stack = frame_address() - sizeof(void*);
    if (team->encountering_thread == __builtin_thread_pointer()) {
        do_part(team, stack);
        wait_for_others(recording_state(), team, stack);  // until GOMP_parallel returns
        return;
    }
    if (ThreadState* state = recording_state())
        begin_part(*state, team, stack);
    do_part(team, stack);
    ThreadState* state = known_state();
    if (state && part_of(*state) == team)
        wait_for_others(state, team, stack);  // until end_part()
}

Team* begin_gomp_region(const GompSite& site, std::uintptr_t stack, Word function, Word data,
                        OpenmpConstruct worksharing) {
    ThreadState* state = recording_state();
    if (!state)
        return nullptr;
    Team* team = begin_region(*state, key_at(OpenmpConstruct::parallel, site), stack);
    if (!team)
        return nullptr;
    team->function = reinterpret_cast<void (*)(void*)>(function);
    team->data = reinterpret_cast<void*>(data);
    team->has_worksharing = worksharing != no_worksharing;
    team->worksharing = worksharing;
    return team;
}

void end_gomp_region(Team* team, std::uintptr_t stack) {
    ThreadState* state = known_state();
    if (state)
        leave_construct(*state, OpenmpConstruct::implicit_barrier, stack);
    end_region(state, team, stack);
}

Team* start_gomp_region(const GompSite& site, Word function, Word data,
                        OpenmpConstruct worksharing) {
    ThreadState* state = recording_state();
    if (!state)
        return nullptr;
    Team* team =
        begin_gomp_region(site, place_in_caller(*state, site.stack), function, data, worksharing);
    if (team) {
        team->outer = state->openmp->started;
        state->openmp->started = team;
    }
    return team;
}

Team* take_started_region() {
    ThreadState* state = own_thread_state;
    if (!state || !state->openmp || !state->openmp->started)
        return nullptr;
    Team* team = state->openmp->started;
    state->openmp->started = team->outer;
    return team;
}

}  // namespace vftrace
