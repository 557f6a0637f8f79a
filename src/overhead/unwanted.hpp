// Functions that are no longer recorded: excluded by the user, or too small for the cost of
// measuring them. The calls of their hooks are removed from the code (patch/).
//
// Functions may be added on any thread, in signal handlers too; queries take no lock.
#pragma once

#include <cstdint>
#include <vector>

#include "guest/address_set.hpp"
#include "record/process_record.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// From now on functions that this one excludes are unwanted when their first path is made. It may
// be asked on any thread, in signal handlers too.
void set_function_filter(bool (*excludes)(std::uintptr_t function));

// Takes the hooks out of the functions that the filter excludes, in the modules at these addresses.
// To be called at start: remaining hooks are removed when they are called. Allocates.
void take_out_excluded(const std::vector<std::uintptr_t>& modules);

// Adds one. Returns false without memory, or if it is unwanted already.
bool add_unwanted(std::uintptr_t function, Unwanted why, std::uint64_t now);

extern AddressSet unwanted_functions;
bool is_unwanted(std::uintptr_t function);
// The same, and not because of the filter.
bool is_removed(std::uintptr_t function);
// Is unwanted, or excluded by the filter.
bool is_refused(std::uintptr_t function);

// See OverheadCalls.
bool remove_entry(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site);
void remove_exit(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site,
                 std::uintptr_t callsite);

// Restores all hooks; returns the number of calls of hooks. They may be removed again.
std::uint32_t restore_unwanted();

// The functions at these addresses have been unloaded: what is loaded there next is wanted.
void forget_unwanted(std::uintptr_t start, std::uintptr_t end);

// Once a process has a record of its own: what it removed before, or its parent before fork(), is
// noted there.
void note_unwanted_in_record();

// What is open on the thread's stack is taken to have begun later by what the profiler needed from
// `start` until now.
void take_out_own_time(ThreadState& state, std::uint64_t start);

}  // namespace vftrace
