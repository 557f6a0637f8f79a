#include "openmp/teams.hpp"

#include <algorithm>

#include "tree/activation.hpp"
#include "tree/call_tree.hpp"
#include "tree/frames.hpp"
#include "tree/region_notes.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {
namespace {

OpenmpThread* own_memory(ThreadState& state) {
    if (!state.openmp)
        state.openmp = static_cast<OpenmpThread*>(state.arena.allocate(sizeof(OpenmpThread)));
    return state.openmp;
}

bool is_free(const Team& team) {
    return __atomic_load_n(&team.end_ticks, __ATOMIC_RELAXED) != 0 &&
           __atomic_load_n(&team.members, __ATOMIC_ACQUIRE) == 0;
}

// In a program that repeats its regions, two teams are used in turn, because threads notice the end
// of a region when the next one begins.
Team* take_team(ThreadState& state) {
    OpenmpThread* own = own_memory(state);
    if (!own)
        return nullptr;
    for (Team* team = own->teams; team; team = team->next)
        if (is_free(*team)) {
            Team* next = team->next;
            *team = {};
            team->next = next;
            return team;
        }
    auto* team = static_cast<Team*>(state.arena.allocate(sizeof(Team)));
    if (!team)
        return nullptr;
    team->next = own->teams;
    own->teams = team;
    return team;
}

// False in a child that was forked in the region, because the team is the parent's.
bool is_own(const ThreadState* state, const Team* team) {
    if (!state || !state->openmp)
        return false;
    const Team* own = state->openmp->teams;
    while (own && own != team)
        own = own->next;
    return own;
}

}  // namespace

Team* begin_region(ThreadState& state, std::uintptr_t key, std::uintptr_t stack) {
    Node* node = enter_construct(key, stack);
    if (!node)
        return nullptr;
    Team* team;
    {
        SlowPath guard(state, stack);  // for the arena
        team = take_team(state);
    }
    if (!team) {
        leave_activation(node, stack);
        return nullptr;
    }
    team->node = node;
    team->code = openmp_code(key);
    team->encountering_thread = __builtin_thread_pointer();
    return team;
}

void end_region(ThreadState* state, Team* team, std::uintptr_t stack) {
    if (!is_own(own_thread_state, team))
        return;
    __atomic_store_n(&team->end_ticks, tree_ticks(), __ATOMIC_RELEASE);
    if (state)
        leave_activation(team->node, stack);
}

void begin_part(ThreadState& state, Team* team, std::uintptr_t stack) {
    if (part_of(state))
        end_part(state);
    {
        SlowPath guard(state, stack);
        if (!own_memory(state))
            return;
    }
    if (!enter_graft(team->node, stack))
        return;
    state.record->is_worker = 1;
    __atomic_fetch_add(&team->members, 1, __ATOMIC_RELAXED);
    state.openmp->part = team;
    if (state.regions)
        region_calls->works_for(state, *team->node);
    __atomic_store_n(&state.record->open_until, &team->end_ticks, __ATOMIC_RELEASE);
}

void end_part(ThreadState& state) {
    Team* team = state.openmp->part;
    std::uint64_t now = tree_ticks();
    if (std::uint64_t end = __atomic_load_n(&team->end_ticks, __ATOMIC_ACQUIRE))
        now = std::min(now, end);
    auto key = reinterpret_cast<std::uintptr_t>(team->node);
    {
        // Pauses since then do not concern this part: no catch_up_with_pauses().
        SlowPath guard(state, state.top->stack);
        Frame* graft = state.top;
        while (!is_base(*graft) &&
               (graft->node->kind != NodeKind::graft || graft->node->key != key))
            graft--;
        while (!is_base(*graft) && state.top >= graft)
            pop_frame(state, std::max(now, start_of(*state.top)), false);
    }
    __atomic_store_n(&state.record->open_until, nullptr, __ATOMIC_RELEASE);
    state.openmp->part = nullptr;
    __atomic_fetch_sub(&team->members, 1, __ATOMIC_RELEASE);
}

}  // namespace vftrace
