// Lists of functions to leave out, in the syntax of each program that reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// A filter and the functions that could not be included in it.
struct FilterText {
    std::string text;  // ends with a line end; "" if no function is left
    struct Omitted {
        std::uint32_t function;  // index into Profile::functions
        std::string why;         // for example "gcc would then also leave out mesh::Field::at_edge"
    };
    std::vector<Omitted> omitted;
};

// `functions` are indices into profile.functions; other functions must not be left out.

// A POSIX extended regular expression for filter.exclude that matches only these symbols.
FilterText filter_pattern(const Profile& profile, const std::vector<std::uint32_t>& functions);

// The same as a configuration file.
FilterText filter_configuration(const Profile& profile,
                                const std::vector<std::uint32_t>& functions);

// -finstrument-functions-exclude-function-list=..., as a file of options for "gcc @FILE". gcc
// leaves out every function whose name contains an element of the list. Elements are omitted if
// they would also hit another function that must stay: one whose own time is at least a thousandth
// of the total, or that leads to MPI and similar. The last of `functions` are omitted if gcc cannot
// accept that many (about 100 kB).
FilterText filter_for_gcc(const Profile& profile, const std::vector<std::uint32_t>& functions);

// A filter file of Score-P.
FilterText filter_for_scorep(const Profile& profile, const std::vector<std::uint32_t>& functions);

}  // namespace vftrace
