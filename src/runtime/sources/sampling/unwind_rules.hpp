// The rules for unwinding the code of this process.
//
// The tables are found with _dl_find_object, which takes no lock and is safe in signal handlers.
#pragma once

#include <cstdint>

#include "unwind/unwind_rule.hpp"

namespace vftrace {

// The rule for the instruction at `pc`; for a caller, that is one byte before the return address.
// Costs about a microsecond. Async-signal-safe.
UnwindRule find_unwind_rule(std::uintptr_t pc);

// Incremented when a library is unloaded, and when a list of generated functions appears: rules
// that were found before may be wrong.
extern std::uint32_t unwind_generation;

}  // namespace vftrace
