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
    double allowed;  // number of processors that a rank may use: the largest of all ranks
    // Of all hosts together.
    double host_processors, host_s, host_idle_s, host_stolen_s;

    double processor_s() const { return user_s + system_s; }
    // The part of the threads' runnable time in which they had to wait for a processor, 0 to 1.
    double waiting_share() const { return waiting_s / (waiting_s + processor_s()); }
    // The part of the busy time of the hosts' processors that other virtual machines took.
    double stolen_share() const { return host_stolen_s / (host_s - host_idle_s); }

    // Whether the calls of one direction are many and small: few_bytes or less on average.
    static constexpr double few_bytes = 512, many_calls = 10'000;
    static bool are_small(double calls, double bytes) {
        return calls >= many_calls && bytes <= few_bytes * calls;
    }
    // System time of small read and write calls, assuming 2 us each: an upper limit.
    double small_calls_s() const;
    // System time of page faults without storage at 1 us each, the cost on bare metal, and at 4 us,
    // as virtual machines take; each at most the whole system time.
    double minor_faults_s() const;
    double slow_minor_faults_s() const;
    // Whether page faults are by far the most frequent of the events that have figures.
    bool faults_prevail() const;
};

}  // namespace vftrace
