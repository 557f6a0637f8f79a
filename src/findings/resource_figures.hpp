// Figures from the operating system over all ranks of a run: those of the sources `process`, `io`
// and `processors`, and figures derived from them.
#pragma once

#include "profile/profile.hpp"

namespace vftrace {

// NaN: not known, and each comparison with it is false.
struct ResourceFigures {
    explicit ResourceFigures(const Profile& profile);

    double user_s, system_s;
    double minor_faults, major_faults;
    double voluntary_switches, involuntary_switches;
    double read_bytes, written_bytes, read_calls, write_calls;  // of system calls
    double from_storage, to_storage;                            // bytes
    double waiting_s;                                           // runnable, but without a processor
    double migrations;
    double allowed;  // processors, of the rank that may use most
    // Of all hosts together.
    double host_processors, host_s, host_idle_s, host_stolen_s;

    double processor_s() const { return user_s + system_s; }
    // Of the time in which threads could run that in which they had to wait, 0 to 1.
    double waiting_share() const { return waiting_s / (waiting_s + processor_s()); }
    // Of the time of busy processors of the hosts that which other virtual machines had.
    double stolen_share() const { return host_stolen_s / (host_s - host_idle_s); }

    // Calls of one direction, if they are many and small: few_bytes or less on average.
    static constexpr double few_bytes = 512, many_calls = 10'000;
    static bool are_small(double calls, double bytes) {
        return calls >= many_calls && bytes <= few_bytes * calls;
    }
    // What small read and write calls take of the system time, at most 2 us each.
    double small_calls_s() const;
    // What page faults without storage take of the system time: about 1 us each.
    double minor_faults_s() const;
};

}  // namespace vftrace
