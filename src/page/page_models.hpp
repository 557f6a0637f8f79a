// Scaling models as the report page draws them: the document of `vftrace model --format json`.
#pragma once

#include <string>
#include <string_view>

#include "page/report_page.hpp"

namespace vftrace {

// Whether a text begins as that document does; then it is meant as one.
bool is_models(std::string_view text);

// Bytes of the layout that doc/design/report-page.md describes, not compressed yet: an object whose
// member `models` is the document, unchanged except for folders of files, which `anonymous`
// removes. Throws PageError if it is not whole, or of a version that the page does not know.
std::string page_models(const PageModels& models, bool anonymous);

}  // namespace vftrace
