// Replaces data_block.cpp in builds without zlib.
#include "page/data_block.hpp"

namespace vftrace {

void write_data_block(std::string_view, unsigned, ExportOutput&) {
    throw ExportError("the report page is not available: vftrace was built without zlib1g-dev");
}

}  // namespace vftrace
