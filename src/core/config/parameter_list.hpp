// Values of parameters as users write them: "n=1000,m=argv[2],tol=1e-6".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

inline constexpr std::size_t longest_given_name = 127;  // bytes

struct GivenParameter {
    std::string name;
    double value = 0;
    std::optional<std::uint32_t> argument;  // program argument with the value; 0: its name
};

// The whole text, except for blanks around it, as a number; nothing if it is not a finite number.
// The caller must hold a CLocale.
std::optional<double> parameter_number(std::string_view text);

// Parses one parameter, "n=1000". Returns an error text, phrased as a continuation of the
// parameter, or an empty text. Blanks around name and value are allowed.
std::string parse_parameter(std::string_view text, GivenParameter& parameter);

// Several parameters, separated by commas; none for an empty text. Of equal names, the last one
// counts, in the place of the first.
struct GivenParameters {
    std::vector<GivenParameter> parameters;  // the valid ones
    std::vector<std::string> problems;       // of the others: "\"m\" has no value"
};
GivenParameters parse_parameter_list(std::string_view text);

}  // namespace vftrace
