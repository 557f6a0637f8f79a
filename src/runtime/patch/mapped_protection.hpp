// The current protection of a page.
#pragma once

#include <cstdint>

namespace vftrace {

// PROT_READ | PROT_WRITE | PROT_EXEC of what is mapped at `address`, from /proc/self/maps; -1 if
// that cannot be read. Uses only system calls; changes errno.
int mapped_protection(std::uintptr_t address);

}  // namespace vftrace
