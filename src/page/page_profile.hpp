// A profile as the report page reads it: facts about the run as JSON, lists as columns.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace vftrace {

// Bytes of the layout that doc/design/report-page.md describes, not compressed yet. `label` is what
// the page calls the profile where it has several, `regions` the pattern of those that it shows the
// efficiencies of.
//
// Lists of more than a few hundred thousand rows are thinned: the page lists what is missing
// (left_out).
std::string page_profile(const Profile& profile, const std::string& label,
                         const std::string& regions);

// The same layout of a JSON object and of columns, whose directory becomes its last member: a
// number of four bytes, the lowest first, that says how long the object is, the object, the
// columns.
class PageColumns;
std::string page_block(std::string object, const PageColumns& columns);

}  // namespace vftrace
