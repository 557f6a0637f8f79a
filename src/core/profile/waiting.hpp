// What threads did while they were not on a processor: the metrics of the source `waiting` as rows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "profile/profile.hpp"
#include "record/wait_kinds.hpp"

namespace vftrace {

struct PathWaits {
    std::uint32_t path;                            // index into Profile::paths
    std::array<double, wait_kinds> ns{}, waits{};  // by WaitKind - 1
    double longest_ns = 0;                         // of one thread
    double displaced_ns = 0, displacements = 0;    // work to do, but no processor

    double waited_ns() const;
    double number_of_waits() const;
};

// Exclusive figures of all paths that have some, in the order of paths.
std::vector<PathWaits> path_waits(const Profile& profile);

// How a thread, or several, spent the time in which the kernel reported their switches.
struct ThreadStates {
    double watched_ns = 0, running_ns = 0, waited_ns = 0, displaced_ns = 0;
    double reports_lost = 0;

    // What the others leave over, as lost reports do; 0 if they add up to a little more.
    double unknown_ns() const {
        const double rest = watched_ns - running_ns - waited_ns - displaced_ns;
        return rest > 0 ? rest : 0;
    }
    bool was_watched() const { return watched_ns > 0; }
};

ThreadStates states_of(const Profile& profile, const ThreadFigures& thread);
// The sum over all threads.
ThreadStates states_of_threads(const Profile& profile);

// Whether any thread was watched.
bool has_waiting(const Profile& profile);

}  // namespace vftrace
