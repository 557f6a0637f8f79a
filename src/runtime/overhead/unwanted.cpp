#include "overhead/unwanted.hpp"

#include <algorithm>
#include <cerrno>

#include "base/relaxed.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/modules.hpp"
#include "patch/hook_calls.hpp"
#include "symbol/hooked_modules.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/stack_segments.hpp"
#include "tree/tree_memory.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

AddressSet unwanted_functions;

namespace {

bool (*is_excluded)(std::uintptr_t function);
AddressSet staying;  // return addresses of calls of hooks that cannot be removed
// Copies of what the record stores about functions, because the record has a list: tens of
// thousands of functions, for each of which it was searched several times, took a second.
AddressSet hooks_stay;      // none of their hooks can be removed
AddressSet once_in_record;  // also restored ones
AddressSet taken_out_at_start;
BoundedLock lock;

// The list in the record is read by collation and by recovery of a dead process.
void note_in_record(const UnwantedFunction& function) {
    if (!process_record || !append(process_record->unwanted, function))
        return;
    if (function.hooks_left == HooksLeft::all)
        hooks_stay.add(function.key);
    once_in_record.add(function.key);
}

UnwantedFunction* in_record(std::uintptr_t function) {
    if (!process_record)
        return nullptr;
    const RecordList<UnwantedFunction>& list = process_record->unwanted;
    for (std::uint32_t i = 0; i < list.count; i++)
        if (list.items[i].key == function)
            return &list.items[i];
    return nullptr;
}

bool is_to_stay(std::uintptr_t function) { return hooks_stay.contains(function); }

void note_hooks_left(std::uintptr_t function, HooksLeft left) {
    if (UnwantedFunction* known = in_record(function)) {
        known->hooks_left = std::max(known->hooks_left, left);
        if (left == HooksLeft::all)
            hooks_stay.add(function);
    }
}

HooksLeft possible(std::uintptr_t function) {
    return hook_calls_can_be_removed(function) ? HooksLeft::none : HooksLeft::all;
}

}  // namespace

void set_function_filter(bool (*excludes)(std::uintptr_t function)) { is_excluded = excludes; }

bool add_unwanted(std::uintptr_t function, Unwanted why, std::uint64_t now) {
    if (!lock.lock())
        return false;
    const bool added = unwanted_functions.add(function);
    if (added && !once_in_record.contains(function))  // otherwise it was restored in between
        note_in_record({function, now, module_at(function), why, possible(function)});
    lock.unlock();
    return added;
}

bool is_unwanted(std::uintptr_t function) { return unwanted_functions.contains(function); }

bool is_removed(std::uintptr_t function) {
    return is_unwanted(function) && !(is_excluded && is_excluded(function));
}

bool is_refused(std::uintptr_t function) {
    if (is_unwanted(function))
        return true;
    if (!is_excluded || !is_excluded(function))
        return false;
    add_unwanted(function, Unwanted::excluded, tree_ticks());
    return is_unwanted(function);
}

// Entry and exit of one place are removed or kept together: one without the other costs more than
// both.
static void leave_in_place(std::uintptr_t function, std::uintptr_t hook_site, HooksLeft left) {
    if (left == HooksLeft::all)
        restore_hook_calls(function);
    else
        keep_hook_calls_around(function, hook_site);
    if (lock.lock()) {
        staying.add(hook_site);
        note_hooks_left(function, left);
        lock.unlock();
    }
}

bool remove_entry(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site) {
    if (staying.contains(hook_site) || is_to_stay(function))
        return false;
    const int saved_errno = errno;
    const std::uint64_t start = tree_ticks();
    const HookCall call = remove_entry_call(function, hook_site);
    if (call == HookCall::cannot_be)
        leave_in_place(function, hook_site, HooksLeft::some);
    take_out_own_time(state, start);
    errno = saved_errno;
    // If another thread is changing code at this moment, the next call finds the site of this one.
    // The call itself is not recorded.
    return call != HookCall::cannot_be;
}

void remove_exit(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site,
                 std::uintptr_t callsite) {
    const bool jumped_to = hook_site == callsite;
    if (jumped_to ? is_to_stay(function) : staying.contains(hook_site))
        return;
    const int saved_errno = errno;
    const std::uint64_t start = tree_ticks();
    if (remove_exit_call(function, hook_site, callsite) == HookCall::cannot_be)
        leave_in_place(function, hook_site, jumped_to ? HooksLeft::all : HooksLeft::some);
    take_out_own_time(state, start);
    errno = saved_errno;
}

std::uint32_t restore_unwanted() {
    const int saved_errno = errno;
    // Functions that a filter excludes are added again by their next call.
    if (lock.lock()) {
        unwanted_functions.clear();
        lock.unlock();
    }
    const std::uint32_t calls = restore_all_hook_calls();
    errno = saved_errno;
    return calls;
}

void forget_unwanted(std::uintptr_t start, std::uintptr_t end) {
    if (lock.lock()) {
        for (AddressSet* set :
             {&unwanted_functions, &staying, &hooks_stay, &once_in_record, &taken_out_at_start})
            set->remove(start, end);
        lock.unlock();
    }
    forget_hook_calls(start, end);
}

void take_out_excluded(const std::vector<std::uintptr_t>& modules) {
    // A longer list would not be read.
    constexpr std::size_t most_in_record = 1000;
    const std::vector<std::uintptr_t> functions = remove_hook_calls_of(modules, is_excluded);
    if (functions.size() > most_in_record)
        return;
    for (const std::uintptr_t function : functions) {
        unwanted_functions.add(function);
        taken_out_at_start.add(function);
    }
}

static bool all_are_out;

void take_out_all_hooks(Removal removal) {
    static constexpr OffCalls calls = {
        [](std::uintptr_t function, std::uintptr_t site) { remove_entry_call(function, site); },
        [](std::uintptr_t function, std::uintptr_t site, std::uintptr_t callsite) {
            remove_exit_call(function, site, callsite);
        }};
    remove_all_hook_calls(modules_with_hooks(), removal);
    if (removal == Removal::for_good)
        off_calls = &calls;
    __atomic_store_n(&all_are_out, true, __ATOMIC_RELEASE);
}

void put_all_hooks_back() {
    if (__atomic_exchange_n(&all_are_out, false, __ATOMIC_ACQ_REL))
        restore_unwanted();
}

bool all_hooks_are_out() { return __atomic_load_n(&all_are_out, __ATOMIC_ACQUIRE); }

void note_unwanted_in_record() {
    // The parent's record is gone; only the set shows what has been removed from the code.
    lock = {};
    hooks_stay.clear();
    once_in_record.clear();
    unwanted_functions.visit([](std::uintptr_t function) {
        note_in_record(
            {function, tree_ticks(), module_at(function),
             is_excluded && is_excluded(function) ? Unwanted::excluded : Unwanted::over_budget,
             taken_out_at_start.contains(function) ? HooksLeft::none : possible(function)});
    });
}

void take_out_own_time(ThreadState& state, std::uint64_t start) {
    if (!state.segment)
        return;
    const std::uint64_t now = tree_ticks();
    move_starts(*state.segment, state.top, now - start, now);
    if (state.record)
        add_relaxed(state.record->review_ticks, now - start);
    if (process_record)
        __atomic_fetch_add(&process_record->review_ticks, now - start, __ATOMIC_RELAXED);
}

}  // namespace vftrace
