// Scaling models as the report page draws them: the document of `vftrace model --format json`.
#pragma once

#include <string>
#include <string_view>

#include "page/report_page.hpp"

namespace vftrace {

// Whether a text begins like that document, and so is meant to be one.
bool is_models(std::string_view text);

// Bytes in the layout that doc/design/report-page.md describes, not compressed yet: an object with
// the document as its member `models`. The document is unchanged, except that `anonymous` removes
// folders of files and the notes. Throws PageError if it is incomplete, or has a version that the
// page does not support.
std::string page_models(const PageModels& models, bool anonymous);

}  // namespace vftrace
