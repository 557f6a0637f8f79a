// In place of data_block.cpp in builds without zlib.
#include "page/data_block.hpp"

namespace vftrace {

void write_data_block(std::string_view, unsigned, ExportOutput&) {
    throw ExportError("the report page is not in this build of vftrace; its configure did not find "
                      "zlib1g-dev");
}

}  // namespace vftrace
