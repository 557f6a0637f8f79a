// Notes at which instruction each sample was taken (record/address_rows.hpp).
#pragma once

#include <cstdint>

#include "tree/thread_state.hpp"

namespace vftrace {

// Before samples are taken: whether their addresses are kept.
void keep_addresses(bool wanted);

// Counts samples of `node` that represent `ticks` and were taken at `pc`. For the thread's own
// state, in the slow path. Async-signal-safe.
void note_address(ThreadState& state, const Node& node, std::uintptr_t pc, std::uint64_t samples,
                  std::uint64_t ticks);

// Under the registry's lock: the module is not loaded any longer, or, `still_there`, it is
// after all. Also for the places where memory was allocated.
void retire_addresses(ThreadRecord& record, std::uint16_t module, bool still_there);

}  // namespace vftrace
