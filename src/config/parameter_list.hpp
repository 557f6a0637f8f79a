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
    std::optional<std::uint32_t> argument;  // of the program, which has the value; 0: its name
};

// The whole text as a number, but for blanks around it; nothing if it is not one, or not finite.
// Wants a CLocale.
std::optional<double> parameter_number(std::string_view text);

// One of them, "n=1000". Returns what is wrong with it, as it continues after the text, or an empty
// text. Blanks around name and value are allowed.
std::string parse_parameter(std::string_view text, GivenParameter& parameter);

// Several, separated by commas; an empty text is none. Of equal names the last one counts, in the
// place of the first.
struct GivenParameters {
    std::vector<GivenParameter> parameters;  // those that can be understood
    std::vector<std::string> problems;       // with the others: "\"m\" has no value"
};
GivenParameters parse_parameter_list(std::string_view text);

}  // namespace vftrace
