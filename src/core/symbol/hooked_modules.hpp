// Which loaded modules have calls of our hooks in their code.
#pragma once

#include <cstdint>
#include <link.h>
#include <vector>

namespace vftrace {

// Whether a module calls our hooks through its linkage tables.
bool may_call_hooks(const dl_phdr_info& information);

// An address in each module whose code may call our hooks: those that do so through their linkage
// tables, and the program itself if this library is part of it. Without the library's own module,
// if that is another one. Allocates memory.
std::vector<std::uintptr_t> modules_with_hooks();

}  // namespace vftrace
