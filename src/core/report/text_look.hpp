// How tables look as text outside logs, whose layout scripts rely on.
#pragma once

#include <cstddef>

namespace vftrace {

struct TextLook {
    bool names_left = false;       // columns of text begin at the left, as do their headers
    std::size_t most_columns = 0;  // text is shortened until a table is this narrow; 0: never
    bool styled = false;           // bold titles and headers, colours for large shares
};

}  // namespace vftrace
