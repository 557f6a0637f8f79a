// The result of building viewer/: share/report.html.
#pragma once

#include <string_view>

namespace vftrace {

std::string_view page_template();

}  // namespace vftrace
