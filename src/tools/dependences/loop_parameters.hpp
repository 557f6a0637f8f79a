// The parameters that determine how often loops of the source run, by the place of the loop.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dependences/parameter_analysis.hpp"

namespace vftrace {

class LoopParameters {
  public:
    // Keeps what it needs of the analysis.
    explicit LoopParameters(const ParameterAnalysis& analysis);

    // For a loop in the source of `function`, a symbol or a name without parameters: the sets of
    // parameters on which its iterations depended, over all profiles of the function, "nx * ny, p";
    // "none" if none was found; "unknown" if the function may do more than was found; "" if the
    // function was not analysed. Of the file, only its name without folder counts, because the
    // program may have been compiled elsewhere.
    std::string of(const std::string& file, std::uint32_t line, const std::string& function) const;

  private:
    std::map<std::pair<std::string, std::uint32_t>, std::string> loops_;
    std::set<std::string> analysed_, unknown_;  // functions, by all of their names
};

}  // namespace vftrace
