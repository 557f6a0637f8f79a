// Whether one program is slower than another, from runs of both that took turns.
//
// The verdict is about the run as a whole; functions explain it. It has a third state besides
// slower and faster, and a fourth: what the runs do not show is "unknown", and "same" is said only
// if a difference as large as the threshold would have been seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ab/paired_ratio.hpp"
#include "ab/trial.hpp"

namespace vftrace {

enum class Verdict : std::uint8_t { slower, faster, same, unknown };
std::string_view word_of(Verdict verdict);

// Runs of both programs, the same number of each, in the order in which they were made.
struct Trials {
    std::vector<Trial> first, second;
};

// A figure of both programs: medians over their runs.
struct ComparedFigure {
    double first = 0, second = 0;
    PairedRatio ratio;
};

// A function that took at least least_share of the time of one of the programs, or whose number of
// calls has changed.
struct ComparedFunction {
    static constexpr double least_share = 0.01;
    std::string name;
    ComparedFigure own_seconds;
    // The same number in all runs of a program.
    std::optional<std::uint64_t> first_calls, second_calls;
    bool in_first = false, in_second = false;
    bool time_changed = false;  // by the threshold or more, and not by chance

    bool calls_changed() const {
        return first_calls && second_calls && *first_calls != *second_calls;
    }
    double more_seconds() const { return own_seconds.second - own_seconds.first; }
};

struct TrialComparison {
    double threshold = 0;   // 0.02: differences of 2 % count
    double confidence = 0;  // of the intervals
    ComparedFigure wall, processor;
    // Medians over all runs; NaN: not known.
    double waiting_share = PairedRatio::unknown, stolen_share = PairedRatio::unknown;
    bool busy = false;  // the machine did other work: processor time is judged instead of wall time
    bool from_profiles = false;  // the times; else they are those of the whole commands
    Verdict verdict = Verdict::unknown;
    std::vector<ComparedFunction> functions;  // those whose time differs most first
    // Functions whose numbers of calls are known exactly, and are the same in all runs.
    std::size_t same_calls = 0;
    std::vector<std::string> without_hooks;  // in some runs: not among `functions`

    const ComparedFigure& judged() const { return busy ? processor : wall; }
};

// `threshold`: the smallest difference that counts, as a part: 0.02.
TrialComparison compare_trials(const Trials& trials, double threshold,
                               double confidence = usual_confidence);

// The same for runs of which the second half was made because the first half did not show that
// there is no difference: whoever looks twice needs better evidence, so the confidence is 99 %, and
// both halves must agree which program is slower.
TrialComparison compare_repeated_trials(const Trials& first_half, const Trials& second_half,
                                        double threshold);

// What a ratio of times says about differences of `threshold` and more.
Verdict verdict_of(const PairedRatio& ratio, double threshold);

}  // namespace vftrace
