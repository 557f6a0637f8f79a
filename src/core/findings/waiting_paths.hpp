// Where threads of the program waited without using a processor, for rules about that.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "findings/run_facts.hpp"
#include "record/wait_kinds.hpp"

namespace vftrace {

// The thread that the program began with, or the others, which may well have nothing to do.
enum class Whose : std::uint8_t { first_thread, other_threads };

// Waits of some kinds. Without MPI, OpenMP and GPU calls, about which other rules know more.
struct WaitsOfProgram {
    double seconds = 0, waits = 0;     // of all ranks
    std::uint32_t longest = no_index;  // the path with most of it
    double longest_seconds = 0;

    double mean_seconds() const { return seconds / waits; }
};
WaitsOfProgram waits_of_program(const RunFacts& run, std::initializer_list<WaitKind> kinds,
                                Whose whose = Whose::first_thread);

// ", most of it in read_input, called by main".
std::string most_of_it(const RunFacts& run, const WaitsOfProgram& waits);

// The beginning of a finding about these waits, without sentences; nothing if they take less than
// this share of the time.
std::optional<RunFinding> finding_about(const RunFacts& run, std::string_view rule,
                                        const WaitsOfProgram& waits, double least_share);

}  // namespace vftrace
