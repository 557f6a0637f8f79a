// A profile as the report page reads it: facts about the run as JSON, lists as columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// The time of a source line in one function.
struct PageLine {
    std::string file;
    std::uint32_t line;
    std::uint32_t function;  // index into Profile::functions: in which it is, or is inlined
    std::uint64_t samples;   // in the code of the line itself, as is
    std::int64_t ns;
    std::int64_t with_inlined_ns;  // and in what is inlined there
};

// Bytes in the layout that doc/design/report-page.md describes, not compressed yet. `label` is the
// name of the profile in a page with several profiles, `regions` the pattern of the regions whose
// efficiencies the page shows, `lines` those whose time is known from samples.
//
// Lists of more than a few hundred thousand rows are shortened: the page lists what is missing
// (left_out).
std::string page_profile(const Profile& profile, const std::string& label,
                         const std::string& regions, const std::vector<PageLine>& lines);

// The same layout for any JSON object and columns: a number of four bytes, lowest first, with the
// length of the object; the object; the columns. The directory of the columns becomes the last
// member of the object.
class PageColumns;
std::string page_block(std::string object, const PageColumns& columns);

}  // namespace vftrace
