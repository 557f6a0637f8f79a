// Functions that are not recorded any more.
#include "overhead/unwanted.hpp"

#include <algorithm>
#include <cerrno>

#include "base/bounded_lock.hpp"
#include "patch/hook_calls.hpp"
#include "symbol/modules.hpp"
#include "tree/call_tree.hpp"
#include "tree/stack_segments.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

// Addresses, open addressing with linear probing, at most half full; replaced as a whole by a
// larger one, never freed: somebody may be reading. `gone` marks what was taken out.
struct Table {
    std::uint64_t slots;  // a power of two
    std::uint64_t used;
    std::uintptr_t key[];
};
constexpr std::uintptr_t gone = 1;

bool (*is_excluded)(std::uintptr_t function);
Table* table;
BoundedLock lock;
std::uint32_t room_in_record;

std::uint64_t first_slot(const Table& in, std::uintptr_t key) {
    return (key * 0x9e3779b97f4a7c15u >> 20) & (in.slots - 1);
}

// The slot of the key, or the empty one where it belongs.
std::uintptr_t& slot_of(Table& in, std::uintptr_t key) {
    std::uint64_t slot = first_slot(in, key);
    while (in.key[slot] && in.key[slot] != key)
        slot = (slot + 1) & (in.slots - 1);
    return in.key[slot];
}

// Makes sure that one more fits. Returns false without memory.
bool make_room_in_table() {
    if (table && 2 * (table->used + 1) <= table->slots)
        return true;
    const std::uint64_t slots = table ? table->slots * 2 : 512;
    auto* larger = static_cast<Table*>(map_memory(sizeof(Table) + slots * sizeof(std::uintptr_t)));
    if (!larger)
        return false;
    larger->slots = slots;
    for (std::uint64_t i = 0; table && i < table->slots; i++)
        if (table->key[i] > gone) {
            slot_of(*larger, table->key[i]) = table->key[i];
            larger->used++;
        }
    __atomic_store_n(&table, larger, __ATOMIC_RELEASE);
    return true;
}

// The list in the record is what collation, and who recovers a dead process, read.
void note_in_record(const UnwantedFunction& function) {
    if (!process_record)
        return;
    UnwantedTable& list = process_record->unwanted;
    if (list.count == room_in_record) {
        const std::uint32_t room = std::max(room_in_record * 2, 128u);
        auto* longer =
            static_cast<UnwantedFunction*>(map_tree_memory(room * sizeof(UnwantedFunction)));
        if (!longer)
            return;
        std::copy(list.functions, list.functions + list.count, longer);
        __atomic_store_n(&list.functions, longer, __ATOMIC_RELEASE);
        room_in_record = room;
    }
    list.functions[list.count] = function;
    __atomic_store_n(&list.count, list.count + 1, __ATOMIC_RELEASE);
}

UnwantedFunction* in_record(std::uintptr_t function) {
    if (!process_record)
        return nullptr;
    UnwantedTable& list = process_record->unwanted;
    for (std::uint32_t i = 0; i < list.count; i++)
        if (list.functions[i].key == function)
            return &list.functions[i];
    return nullptr;
}

bool is_to_stay(std::uintptr_t function) {
    const UnwantedFunction* known = in_record(function);
    return known && known->hooks_left == HooksLeft::all;
}

void note_hooks_left(std::uintptr_t function, HooksLeft left) {
    if (UnwantedFunction* known = in_record(function))
        known->hooks_left = std::max(known->hooks_left, left);
}

HooksLeft possible(std::uintptr_t function) {
    return hook_calls_can_be_removed(function) ? HooksLeft::none : HooksLeft::all;
}

}  // namespace

void set_function_filter(bool (*excludes)(std::uintptr_t function)) { is_excluded = excludes; }

bool add_unwanted(std::uintptr_t function, Unwanted why, std::uint64_t now) {
    if (!lock.lock())
        return false;
    bool added = false;
    if (make_room_in_table()) {
        std::uintptr_t& slot = slot_of(*table, function);
        if (!slot) {
            __atomic_store_n(&slot, function, __ATOMIC_RELEASE);
            table->used++;
            added = true;
            if (!in_record(function))  // else it has been put back meanwhile
                note_in_record({function, now, module_at(function), why, possible(function)});
        }
    }
    lock.unlock();
    return added;
}

bool is_unwanted(std::uintptr_t function) {
    const Table* known = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    if (!known)
        return false;
    for (std::uint64_t slot = first_slot(*known, function);;
         slot = (slot + 1) & (known->slots - 1)) {
        const std::uintptr_t key = __atomic_load_n(&known->key[slot], __ATOMIC_RELAXED);
        if (key == function || key == 0)
            return key != 0;
    }
}

bool is_refused(std::uintptr_t function) {
    if (is_unwanted(function))
        return true;
    if (!is_excluded || !is_excluded(function))
        return false;
    add_unwanted(function, Unwanted::excluded, tree_ticks());
    return is_unwanted(function);
}

bool remove_entry(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site) {
    const int saved_errno = errno;
    const std::uint64_t start = tree_ticks();
    const HookCall call =
        is_to_stay(function) ? HookCall::cannot_be : remove_entry_call(function, hook_site);
    if (call == HookCall::cannot_be)
        note_hooks_left(function, HooksLeft::some);
    take_out_own_time(state, start);
    errno = saved_errno;
    // Code that somebody else is changing at this moment: the next call finds this one's site. The
    // call itself is not recorded.
    return call != HookCall::cannot_be;
}

void remove_exit(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site,
                 std::uintptr_t callsite) {
    const int saved_errno = errno;
    const std::uint64_t start = tree_ticks();
    if (remove_exit_call(function, hook_site, callsite) == HookCall::cannot_be) {
        // Where exits stay, entries had better stay too.
        const bool jumped_to = hook_site == callsite;
        if (jumped_to)
            restore_hook_calls(function);
        else
            keep_entry_calls_around(function, hook_site);
        note_hooks_left(function, jumped_to ? HooksLeft::all : HooksLeft::some);
    }
    take_out_own_time(state, start);
    errno = saved_errno;
}

std::uint32_t restore_unwanted() {
    const int saved_errno = errno;
    // Those that a filter excludes come back to it by their next call.
    if (lock.lock()) {
        if (table)
            for (std::uint64_t i = 0; i < table->slots; i++)
                if (table->key[i])
                    __atomic_store_n(&table->key[i], gone, __ATOMIC_RELAXED);
        lock.unlock();
    }
    const std::uint32_t calls = restore_all_hook_calls();
    errno = saved_errno;
    return calls;
}

void forget_unwanted(std::uintptr_t start, std::uintptr_t end) {
    if (!__atomic_load_n(&table, __ATOMIC_ACQUIRE) || !lock.lock())
        return;
    for (std::uint64_t i = 0; i < table->slots; i++)
        if (table->key[i] >= start && table->key[i] < end)
            __atomic_store_n(&table->key[i], gone, __ATOMIC_RELAXED);
    lock.unlock();
    forget_hook_calls(start, end);
}

void inherit_unwanted() {
    // The parent's record is gone; what its code lacks is known by the table alone.
    lock = {};
    room_in_record = 0;
    for (std::uint64_t i = 0; table && i < table->slots; i++)
        if (table->key[i] > gone)
            note_in_record({table->key[i], tree_ticks(), module_at(table->key[i]),
                            is_excluded && is_excluded(table->key[i]) ? Unwanted::excluded
                                                                      : Unwanted::over_budget,
                            possible(table->key[i])});
}

void take_out_own_time(ThreadState& state, std::uint64_t start) {
    if (!state.segment || shared(state.folds) > 0)
        return;
    const std::uint64_t now = tree_ticks();
    move_starts(*state.segment, state.top, now - start, now);
    if (process_record)
        __atomic_fetch_add(&process_record->review_ticks, now - start, __ATOMIC_RELAXED);
}

}  // namespace vftrace
