// The most important facts of a profile for readers in a hurry, people and programs: what took how
// long, what seems to be wrong, and the commands that show more. Text of at most most_lines lines
// and most_bytes bytes, the same for the same profile, without dates; or JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/output_file.hpp"
#include "code/sampled_lines.hpp"
#include "findings/findings.hpp"
#include "profile/profile.hpp"

namespace vftrace {

inline constexpr std::size_t most_brief_lines = 60, most_brief_bytes = 6144;

// A part of something: another function, or a line.
struct BriefShare {
    std::string name;
    double share = 0;         // 0 to 1
    std::uint64_t calls = 0;  // 0: not known
};

// A function, summed over all of its call paths, threads and ranks.
struct BriefFunction {
    std::uint32_t function = 0;  // index into Profile::functions
    std::string name;            // as other commands take it
    std::string place;           // "heat.cpp:120", "" if unknown
    double own_seconds = 0, error_seconds = 0, total_seconds = 0;
    double share = 0;         // own time, of all time, 0 to 1
    std::uint64_t calls = 0;  // 0: not known
    bool calls_estimated = false;
    std::vector<BriefShare> callers;  // those with most of its total time
    std::uint32_t path = 0;           // index into Profile::paths: the one with most own time
};

struct BriefRun {
    std::string application;
    double seconds = 0, measured_seconds = 0;
    std::uint32_t ranks = 1, threads = 1;
    std::string ended;  // "" for an ordinary end
    Grade grade = Grade::good;
    std::vector<QualityFigure> remarks;                 // those that are not good
    std::vector<std::pair<std::string, double>> parts;  // of the time: name and share
};

struct Brief {
    BriefRun run;
    std::vector<RunFinding> findings;
    std::vector<std::string> finding_lines;  // by finding: "heat.cpp:12 (64 % of the own time)"
    std::vector<BriefFunction> functions;    // most own time first
    std::size_t functions_in_all = 0;        // with own time
    std::vector<std::string> next;           // commands
};

BriefRun brief_of_run(const Profile& profile);

// `file`: how commands name the profile. At most `most` functions.
Brief brief_of(const Profile& profile, std::string_view file, std::size_t most,
               const SourceMap& map);

// What is known about one function or path.
struct FunctionBrief {
    BriefFunction function;
    std::vector<BriefShare> callees, lines;             // most time first
    std::vector<std::pair<std::string, double>> paths;  // id and own seconds
    // Own time by rank; `ranks` is 0 if it is not known.
    std::uint32_t ranks = 0, least_rank = 0, most_rank = 0;
    double least_seconds = 0, most_seconds = 0, mean_seconds = 0;
    std::vector<std::string> chain;     // of a path: the functions from the root on
    std::vector<std::string> problems;  // why lines are not known
    std::vector<std::string> next;
};
FunctionBrief brief_of_function(const Profile& profile, std::uint32_t function,
                                std::string_view file, const SourceMap& map);
FunctionBrief brief_of_path(const Profile& profile, std::uint32_t path, std::string_view file,
                            const SourceMap& map);

// The functions that a name may mean: those with exactly this name, or else those whose name
// contains it.
std::vector<std::uint32_t> functions_named(const Profile& profile, std::string_view name);

// What identifies a path in profiles of the same program: the first hexadecimal digits of its hash.
std::string path_id(const Profile& profile, std::uint32_t path);
// The paths whose hash begins with these digits.
std::vector<std::uint32_t> paths_with_id(const Profile& profile, std::string_view id);

std::string brief_text(const Brief& brief, std::string_view file);
std::string brief_text(const FunctionBrief& brief, std::string_view file);
void write_brief_json(const Brief& brief, OutputFile& out);
void write_brief_json(const FunctionBrief& brief, OutputFile& out);

}  // namespace vftrace
