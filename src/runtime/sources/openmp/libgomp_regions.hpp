// Parallel regions of code from GCC: function and argument are replaced by run_part() and the team.
#pragma once

#include "openmp/libgomp_roles.hpp"
#include "openmp/teams.hpp"

namespace vftrace {

inline constexpr OpenmpConstruct no_worksharing = OpenmpConstruct::parallel;

// What a thread of the team executes; `argument` is the Team.
void run_part(void* argument);

// Begins a region of the calling thread; nullptr if it is not recorded.
Team* begin_gomp_region(const GompSite& site, std::uintptr_t stack, Word function, Word data,
                        OpenmpConstruct worksharing);
void end_gomp_region(Team* team, std::uintptr_t stack);

template <class... Words>
Word run_gomp_region(const GompSite& site, void* real, Team* team, Words... words) {
    Word result =
        call_gomp(real, reinterpret_cast<Word>(&run_part), reinterpret_cast<Word>(team), words...);
    end_gomp_region(team, site.stack);
    return result;
}

template <OpenmpConstruct worksharing = no_worksharing>
struct GompRegion {
    template <class... Words>
    static Word run(const GompSite& site, void* real, Word function, Word data, Words... words) {
        Team* team = begin_gomp_region(site, site.stack, function, data, worksharing);
        return team ? run_gomp_region(site, real, team, words...)
                    : call_gomp(real, function, data, words...);
    }
};

// The library reads the first word of the argument.
struct ParallelReductions {
    template <class... Words>
    static Word run(const GompSite& site, void* real, Word function, Word data, Words... words) {
        Team* team = begin_gomp_region(site, site.stack, function, data, no_worksharing);
        if (!team)
            return call_gomp(real, function, data, words...);
        team->reductions = *reinterpret_cast<void**>(data);
        return run_gomp_region(site, real, team, words...);
    }
};

// Begins a region that another call will end, and remembers it.
Team* start_gomp_region(const GompSite& site, Word function, Word data,
                        OpenmpConstruct worksharing);
// The latest region that is remembered, which is then forgotten; nullptr if there is none.
Team* take_started_region();

template <OpenmpConstruct worksharing = no_worksharing>
struct ParallelStart {
    template <class... Words>
    static Word run(const GompSite& site, void* real, Word function, Word data, Words... words) {
        if (Team* team = start_gomp_region(site, function, data, worksharing)) {
            function = reinterpret_cast<Word>(&run_part);
            data = reinterpret_cast<Word>(team);
        }
        Word result = call_gomp(real, function, data, words...);
        // The caller continues with its own part.
        if constexpr (worksharing != no_worksharing)
            if (ThreadState* state = recording_state())
                enter_construct(key_at(worksharing, site), place_in_caller(*state, site.stack));
        return result;
    }
};

struct ParallelEnd {
    static Word run(const GompSite& site, void* real) {
        Team* team = take_started_region();
        if (!team)
            return call_gomp(real);
        GompSite region{reinterpret_cast<const void*>(team->code), site.stack};
        Word result = Inside<OpenmpConstruct::implicit_barrier>::run(region, real);
        end_gomp_region(team, site.stack);
        return result;
    }
};

}  // namespace vftrace
