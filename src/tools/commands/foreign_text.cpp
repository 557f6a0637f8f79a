#include "commands/foreign_text.hpp"

namespace vftrace::tools {

void remark(const std::string& text) { fmt::print(stderr, "vftrace: {}\n", printable(text)); }

}  // namespace vftrace::tools
