// Functions that are no longer recorded: excluded by the user, or too small for the cost of
// measuring them. The calls of their hooks are removed from the code (patch/).
//
// Functions may be added on any thread, in signal handlers too; queries take no lock.
#pragma once

#include <cstdint>
#include <vector>

#include "guest/address_set.hpp"
#include "patch/bulk_removal.hpp"
#include "record/process_record.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// From now on functions for which `excludes` returns true are unwanted when their first path is
// created. It may be called on any thread, in signal handlers too.
void set_function_filter(bool (*excludes)(std::uintptr_t function));

// Removes the hooks from the functions that the filter excludes, in the modules at these addresses.
// To be called at the start; remaining hooks are removed when they are called. Allocates memory.
void take_out_excluded(const std::vector<std::uintptr_t>& modules);

// Adds a function. Returns false without memory, or if it is already unwanted.
bool add_unwanted(std::uintptr_t function, Unwanted why, std::uint64_t now);

extern AddressSet unwanted_functions;
bool is_unwanted(std::uintptr_t function);
// Whether it is unwanted, and not because of the filter.
bool is_removed(std::uintptr_t function);
// Whether it is unwanted, or excluded by the filter.
bool is_refused(std::uintptr_t function);

// See OverheadCalls.
bool remove_entry(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site);
void remove_exit(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site,
                 std::uintptr_t callsite);

// Restores all hooks; returns the number of restored calls. They may be removed again.
std::uint32_t restore_unwanted();

// While nothing is to be recorded, before the program runs: removes all hooks that can be removed,
// and puts them back, unless they were removed for good. Functions that are unwanted lose theirs
// again at their next calls. Taking out allocates memory.
void take_out_all_hooks(Removal removal);
void put_all_hooks_back();
bool all_hooks_are_out();

// To be called when the functions at these addresses have been unloaded: what is loaded there next
// is wanted.
void forget_unwanted(std::uintptr_t start, std::uintptr_t end);

// To be called when a process has its own record: stores there what it removed before, or its
// parent before fork().
void note_unwanted_in_record();

// Treats what is open on the thread's stack as begun later, by the time that the profiler needed
// from `start` until now.
void take_out_own_time(ThreadState& state, std::uint64_t start);

}  // namespace vftrace
