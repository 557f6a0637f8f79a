// Parameters of a run: numbers that the program read or was started with, and that differ between
// runs.
#pragma once

#include <string>
#include <vector>

namespace vftrace {

struct RunParameter {
    std::string name;
    double value = 0;  // finite

    bool operator==(const RunParameter&) const = default;
};

// Inserts it where its name belongs in a sorted list. If there already is one with that name,
// returns that and leaves it unchanged; otherwise returns nullptr.
const RunParameter* add_parameter(std::vector<RunParameter>& parameters, RunParameter parameter);

// nullptr: there is none with that name.
const RunParameter* find_parameter(const std::vector<RunParameter>& parameters,
                                   const std::string& name);

// The names of those that do not have the same value in both lists, sorted; those that are missing
// in one list are included. Both lists are sorted by name.
std::vector<std::string> different_parameters(const std::vector<RunParameter>& a,
                                              const std::vector<RunParameter>& b);

// "n = 1000, tol = 1e-06"; empty if there are none.
std::string text_of(const std::vector<RunParameter>& parameters);

}  // namespace vftrace
