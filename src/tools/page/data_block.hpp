// A block of data in a page.
#pragma once

#include <string_view>

#include "export/export_output.hpp"

namespace vftrace {

// Writes an element of the page, `vftrace-data-<number>`, with the bytes compressed (in zlib's
// format, RFC 1950) and encoded in base64. Throws ExportError; in a build without zlib, always.
void write_data_block(std::string_view bytes, unsigned number, ExportOutput& output);

}  // namespace vftrace
