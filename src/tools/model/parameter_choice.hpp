// The parameters that the models of some runs depend on, and their values in these runs.
#pragma once

#include <string>
#include <vector>

#include "model/run_table.hpp"

namespace vftrace {

// The user's choice.
struct ParameterWishes {
    struct Given {
        std::string name;
        std::vector<double> values;  // by run
    };
    std::vector<Given> given;           // take precedence over the profiles
    std::vector<RunParameter> where;    // take only runs that have these values
    std::vector<std::string> without;   // not functions of these
    std::vector<RunParameter> predict;  // the point to predict for; the others stay at the largest
};

struct ParameterChoice {
    std::vector<std::string> names;             // sorted
    std::vector<std::vector<double>> values;    // by run, of those in `runs`
    std::vector<std::size_t> runs;              // indices of those that are modelled
    std::vector<RunParameter> constant;         // the same in all of these runs
    std::vector<double> target;                 // a value of each
    bool is_default_target = false;             // twice the largest values
    std::vector<std::size_t> different_values;  // by parameter
    // Parameters whose target is far from what was measured, and how far it is.
    std::vector<std::string> far;
};

// The number of ranks is the parameter "p" unless it is the same in all runs or another one has
// that name. Throws ModelError if the runs do not allow a model.
ParameterChoice choose_parameters(const std::vector<RunTable::Run>& runs,
                                  const ParameterWishes& wishes);

}  // namespace vftrace
