// Performance problems of a run, in sentences, and how reliable its profile is.
//
// Each rule (rules.hpp) looks for one fault in a profile. doc/findings.md describes what each of
// them means, how it is computed, and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// How certain it is that a finding is true. Its saving is an upper bound in any case.
enum class Confidence : std::uint8_t { possible, likely, certain };
std::string_view word_of(Confidence confidence);

struct RunFinding {
    std::string_view rule;  // "load-imbalance": the same in every version
    // By how much the run could become shorter, at most; and this as a part of its time, 0 to 1.
    // `saved_seconds` is 0 if the finding shows where time is spent, but not that it is lost.
    double saved_seconds = 0;
    double share = 0;
    std::string sentence;           // with the figure and the place
    std::uint32_t path = no_index;  // the place: index into Profile::paths
    std::uint32_t rank = no_index;  // the rank or thread that has the problem or causes it
    std::string reason;             // a sentence
    Confidence confidence = Confidence::likely;
    std::string next_step;  // a sentence: view, option or compiler wrapper
    // Other findings that this one causes, those that cost most first: their saving is part of its
    // own.
    std::vector<RunFinding> effects{};

    // Whether it shows where time is spent, and not that something is wrong.
    bool is_remark() const { return !(saved_seconds > 0); }
};

inline constexpr std::size_t most_findings = 7;

// At most `most` of them, without their effects; those that could save most first, remarks last.
// The savings add up to at most the run time. `file`: how the next steps name the profile in shell
// commands.
std::vector<RunFinding> find_all(const Profile& profile, std::size_t most = most_findings,
                                 std::string_view file = "FILE");

enum class Grade : std::uint8_t { good, fair, poor };
std::string_view word_of(Grade grade);

// One aspect of the quality of a measurement.
struct QualityFigure {
    std::string_view id;     // "overhead": the same in every version
    std::string_view title;  // "Overhead"
    std::string value;       // "3.1 %"
    Grade grade = Grade::good;
    std::string sentence;  // what that means for the figures of the profile
};

// The known figures, always in the same order; in a reliable profile, all of them are good.
std::vector<QualityFigure> quality(const Profile& profile);

}  // namespace vftrace
