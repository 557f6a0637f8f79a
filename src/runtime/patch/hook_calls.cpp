#include "patch/hook_calls.hpp"

#include <initializer_list>

#include "patch/code_writer.hpp"
#include "patch/hook_sites.hpp"
#include "patch/hook_slots.hpp"
#include "patch/removed_sites.hpp"
#include "patch/tail_jumps.hpp"
#include "patch/turn.hpp"

namespace vftrace {
namespace {

TailJumpIndex outside_jumps;

// Threads may already be in a hook when its jump is overwritten. If there are more calls than this,
// they come from elsewhere.
constexpr std::uint16_t max_late_arrivals = 1000;

// Whether the call that returned there has already been removed: threads may have been in the hook,
// and valgrind continues with the code that it has translated.
bool is_removed_call(std::uintptr_t function, std::uintptr_t return_address) {
    for (unsigned length : {5, 6, 2}) {
        const KnownSite* known = removed_sites.find(return_address - length);
        if (known && known->state == SiteState::removed && known->function == function &&
            code_byte(known->address) == known->replacement)
            return true;
    }
    return false;
}

// A failed attempt is recorded under the address of the last byte of the call.
HookCall remove_call(std::uintptr_t function, std::uintptr_t return_address, Hook called,
                     Hook bare) {
    if (is_removed_call(function, return_address))
        return HookCall::removed;
    const KnownSite* attempt = removed_sites.find(return_address - 1);
    if (attempt && attempt->state == SiteState::cannot_be)
        return HookCall::cannot_be;
    ModuleCode module = ModuleCode::at(return_address - 1);
    CodeWriter writer;
    if (module) {
        Hook hook = bare;
        HookSite site =
            find_bare_call(module, return_address, function, address_of(bare), removed_sites);
        if (!site) {
            hook = called;
            site = find_call(module, return_address, function, address_of(called), removed_sites);
        }
        if (site && remove_site(writer, module, site, function, hook) == HookCall::removed)
            return HookCall::removed;
    }
    if (KnownSite* failed = removed_sites.find_or_add({{return_address - 1}, function}))
        failed->state = SiteState::cannot_be;
    return HookCall::cannot_be;
}

bool remove_tail_exits_in_body(const ModuleCode& module, std::uintptr_t function) {
    CodeRange parts[max_parts];
    std::size_t count = parts_of(module, function, removed_sites, parts, max_parts);
    CodeWriter writer;
    bool any = false;
    for (std::size_t i = 0; i < count; i++) {
        BodySweep sweep(module, parts[i], removed_sites);
        std::uintptr_t argument;
        while (sweep.next())
            if (HookSite site = tail_jump_at(sweep, address_of(Hook::exit), argument);
                site && (!argument || argument == function))
                any |= remove_site(writer, module, site, function, Hook::exit) == HookCall::removed;
    }
    return any;
}

bool remove_tail_exits_outside(const ModuleCode& module, std::uintptr_t function) {
    CodeWriter writer;
    bool any = false;
    std::size_t count;
    const TailJump* jumps =
        outside_jumps.around(module, function, address_of(Hook::exit), removed_sites, count);
    for (std::size_t i = 0; i < count; i++)
        if (jumps[i].function == function)
            any |= remove_site(writer, module, jumps[i].site, function, Hook::exit) ==
                   HookCall::removed;
    return any;
}

// It is not known which of the function's jumps led to the hook. Removes those in the body first;
// if more calls arrive, or there are none, those that are elsewhere.
HookCall remove_tail_exits(std::uintptr_t function) {
    KnownSite* known = removed_sites.find_or_add({{function}, function});
    if (!known || known->state == SiteState::cannot_be)
        return HookCall::cannot_be;
    bool first = known->state != SiteState::tail_exits;
    known->state = SiteState::tail_exits;
    std::uint16_t arrivals = first ? 0 : ++known->arrivals;
    if (arrivals <= 1) {
        ModuleCode module = ModuleCode::at(function);
        bool any = module && ((first && remove_tail_exits_in_body(module, function)) ||
                              remove_tail_exits_outside(module, function));
        known = removed_sites.find(function);  // it may have moved
        if (!first || any)
            return HookCall::removed;
    } else if (arrivals <= max_late_arrivals) {
        return HookCall::removed;
    }
    known->state = SiteState::cannot_be;
    return HookCall::cannot_be;
}

bool restore_site(CodeWriter& writer, KnownSite& site) {
    if (site.state == SiteState::tail_exits)
        site = {site.address, site.function, SiteState::in_place, 0, 0, Hook::exit, 0};
    if (site.state != SiteState::removed)
        return false;
    // Something else may be there, if a library was unloaded unnoticed.
    ModuleCode module = ModuleCode::at(site.address);
    bool leads =
        module && leads_to_hook(module, site.address, site.original, address_of(site.hook));
    bool restored = leads && writer.write(module, site.address, site.replacement, site.original);
    if (restored || !leads || code_byte(site.address) != site.replacement) {
        site.state = SiteState::in_place;
        count_removed(-1);
    }
    return restored;
}

// Exits first: an entry without its exit costs more than an exit without its entry.
std::uint32_t restore_all(std::uintptr_t function) {
    std::uint32_t restored = 0;
    Turn turn(many_attempts);
    if (!turn)
        return 0;
    CodeWriter writer;
    for (bool entries : {false, true})
        removed_sites.visit([&](KnownSite& site) {
            if ((!function || site.function == function) &&
                (site.state == SiteState::tail_exits ||
                 (site.state == SiteState::removed && is_entry(site.hook) == entries)))
                restored += restore_site(writer, site);
        });
    return restored;
}

}  // namespace

bool hook_calls_can_be_removed(std::uintptr_t function) {
    Turn turn(many_attempts);
    if (!turn)
        return true;  // no reason against it is known
    ModuleCode module = ModuleCode::at(function);
    CodeRange body = module ? body_around(module, function) : CodeRange{};
    if (!body || body.start != function)
        return false;
    BodySweep sweep(module, body, removed_sites);
    while (sweep.next())
        if (is_conditional_jump(sweep, address_of(Hook::exit)))
            return false;
    CodeWriter writer;
    return sweep.complete() && writer.can_write(module, function);
}

EntryHook entry_hook_of(std::uintptr_t function) {
    Turn turn(many_attempts);
    const ModuleCode module = turn ? ModuleCode::at(function) : ModuleCode{};
    const CodeRange body = module ? body_around(module, function) : CodeRange{};
    if (!body || body.start != function)
        return EntryHook::none;
    BodySweep sweep(module, body, removed_sites);
    while (sweep.next()) {
        const HookBranch branch = hook_branch_at(sweep, known_hooks);
        if (!branch || !is_entry(branch.hook))
            continue;
        if (branch.hook == Hook::prologue)
            return EntryHook::in_prologue;
        if (!branch.argument || branch.argument == function)
            return EntryHook::in_body;
    }
    return EntryHook::none;
}

HookCall remove_entry_call(std::uintptr_t function, std::uintptr_t return_address) {
    Turn turn;
    return turn ? remove_call(function, return_address, Hook::enter, Hook::prologue)
                : HookCall::not_now;
}

HookCall remove_exit_call(std::uintptr_t function, std::uintptr_t return_address,
                          std::uintptr_t callsite) {
    Turn turn;
    if (!turn)
        return HookCall::not_now;
    return return_address == callsite
               ? remove_tail_exits(function)
               : remove_call(function, return_address, Hook::exit, Hook::epilogue);
}

std::uint32_t keep_hook_calls_around(std::uintptr_t function, std::uintptr_t return_address) {
    Turn turn(many_attempts);
    ModuleCode module = turn ? ModuleCode::at(return_address - 1) : ModuleCode{};
    CodeRange body = module ? body_around(module, return_address - 1) : CodeRange{};
    std::uint32_t restored = 0;
    CodeWriter writer;
    for (bool entries : {false, true})
        removed_sites.visit([&](KnownSite& site) {
            if (is_entry(site.hook) == entries && site.state == SiteState::removed &&
                site.function == function && body.contains(site.address) &&
                restore_site(writer, site)) {
                site.state = SiteState::cannot_be;
                restored++;
            }
        });
    return restored;
}

std::uint32_t restore_hook_calls(std::uintptr_t function) {
    return function ? restore_all(function) : 0;
}

std::uint32_t restore_all_hook_calls() { return restore_all(0); }

void forget_hook_calls(std::uintptr_t start, std::uintptr_t end) {
    Turn turn(many_attempts);
    if (!turn)
        return;
    int gone = 0;
    removed_sites.remove_if([&](const KnownSite& site) {
        const bool goes = site.is_in(start, end);
        gone += goes && site.state == SiteState::removed;
        return goes;
    });
    count_removed(-gone);
    outside_jumps.forget(start, end);
    forget_hook_slots(start, end);
}

}  // namespace vftrace
