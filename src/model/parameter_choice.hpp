// The parameters of which the models of some runs are functions, and their values in these runs.
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
    std::vector<Given> given;           // go before what the profiles say
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
    // Parameters for which the target lies far from what was measured, with how far that is.
    std::vector<std::string> far;
};

// The number of ranks is the parameter "p" unless it is the same in all runs or another one is
// called so. Throws ModelError if the runs do not allow a model.
ParameterChoice choose_parameters(const std::vector<RunTable::Run>& runs,
                                  const ParameterWishes& wishes);

}  // namespace vftrace
