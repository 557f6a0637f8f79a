// Lists of functions to leave out, in the syntax of each program that reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// A filter and what could not be put into it.
struct FilterText {
    std::string text;  // ends with a line end; "" if no function is left
    struct Omitted {
        std::uint32_t function;  // index into Profile::functions
        std::string why;         // "gcc would also leave out mesh::Field::at_edge"
    };
    std::vector<Omitted> omitted;
};

// `functions` are indices into profile.functions; nothing else is to be left out.

// A POSIX extended regular expression for filter.exclude that matches these symbols alone.
FilterText filter_pattern(const Profile& profile, const std::vector<std::uint32_t>& functions);

// That as a configuration file.
FilterText filter_configuration(const Profile& profile,
                                const std::vector<std::uint32_t>& functions);

// -finstrument-functions-exclude-function-list=..., as a file of options: "gcc @FILE", and another
// one that keeps loops in hooked functions fast. gcc leaves
// out every function whose name contains an element; elements that would hit another function whose
// own time is a thousandth of all, or that leads to MPI and similar, are omitted, and the last of
// `functions` if there are more than gcc can take (about 100 kB).
FilterText filter_for_gcc(const Profile& profile, const std::vector<std::uint32_t>& functions);

// A filter file of Score-P.
FilterText filter_for_scorep(const Profile& profile, const std::vector<std::uint32_t>& functions);

}  // namespace vftrace
