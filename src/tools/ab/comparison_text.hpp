// A comparison of two programs as text or JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ab/verdict.hpp"
#include "base/output_file.hpp"
#include "report/table.hpp"

namespace vftrace {

// How the two programs were run.
struct TrialSeries {
    std::vector<std::string> first_command, second_command;
    std::size_t pairs = 0;  // in all
    std::size_t warm_up_runs = 0;
    bool repeated = false;  // half of them because the other half did not show that all is the same
    bool outputs_compared = false, outputs_differ = false, outputs_vary = false;
};

// What the runs showed, in a sentence: "The second program is slower by 5.1 % (4.3 to 6.0 %)."
std::string verdict_sentence(const TrialComparison& comparison);

void write_comparison(const TrialComparison& comparison, const TrialSeries& series,
                      std::size_t most_functions, TableOutput& out);
void write_comparison_json(const TrialComparison& comparison, const TrialSeries& series,
                           OutputFile& out);

}  // namespace vftrace
