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

// Puts it where its name belongs in a sorted list. Returns the one of that name that is there
// already, which stays as it is, or nullptr.
const RunParameter* add_parameter(std::vector<RunParameter>& parameters, RunParameter parameter);

// nullptr: there is none of that name.
const RunParameter* find_parameter(const std::vector<RunParameter>& parameters,
                                   const std::string& name);

// The names of those that do not have the same value in both lists, sorted; one that is missing in
// a list is among them. Both lists are sorted by name.
std::vector<std::string> different_parameters(const std::vector<RunParameter>& a,
                                              const std::vector<RunParameter>& b);

// "n = 1000, tol = 1e-06"; empty if there are none.
std::string text_of(const std::vector<RunParameter>& parameters);

}  // namespace vftrace
