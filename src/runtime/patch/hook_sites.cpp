#include "patch/hook_sites.hpp"

#include <cstring>

#include "guest/modules.hpp"
#include "patch/hook_slots.hpp"

namespace vftrace {
namespace {

#if defined(__x86_64__) && defined(__LP64__)
constexpr bool processor_is_known = true;
#else
constexpr bool processor_is_known = false;
#endif

constexpr std::uintptr_t largest_body = 256 * 1024;

// What a slot of a linkage table leads to, or will lead to.
std::uintptr_t slot_value(const ModuleCode& module, std::uintptr_t slot) {
    const std::uintptr_t hook = hook_of_slot(slot);
    return hook ? hook : module.word_at(slot);
}

// What the entry of a procedure linkage table at `target` leads to: [endbr64] [bnd] jmp
// *slot(%rip).
std::uintptr_t stub_target(const ModuleCode& module, std::uintptr_t target) {
    constexpr std::uintptr_t longest = 4 + 1 + 6;
    CodeRange code = module.code_around(target);
    if (!code || code.end - target < longest)
        return 0;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(target);
    constexpr std::uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    std::size_t at = std::memcmp(bytes, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
    at += bytes[at] == 0xf2;
    if (bytes[at] != 0xff || bytes[at + 1] != 0x25)
        return 0;
    std::int32_t distance;
    std::memcpy(&distance, bytes + at + 2, sizeof distance);
    return slot_value(module, target + at + 6 + static_cast<std::intptr_t>(distance));
}

// Where a branch leads: to an address in the module, or what its slot or register holds; 0:
// unknown.
std::uintptr_t target_of(const ModuleCode& module, const Instruction& instruction,
                         std::uintptr_t next, const RegisterConstants& registers) {
    if (std::uintptr_t target = direct_target(instruction, next))
        return target;
    if (instruction.rip_relative())
        return slot_value(module, next + static_cast<std::intptr_t>(instruction.displacement));
    return instruction.mode() == 3 ? registers.value(instruction.rm()) : 0;
}

// What a call of `target` leads to if there is a stub; else 0.
std::uintptr_t behind_stub(const ModuleCode& module, std::uintptr_t target) {
    std::uintptr_t next = target ? stub_target(module, target) : 0;
    // A slot of a shared library may lead to a stub in the executable: that is a function's
    // canonical address if an executable that is not position-independent takes it.
    if (!next && target && !module.code_around(target))
        if (ModuleCode other = ModuleCode::at(target); other && other.start() != module.start())
            next = stub_target(other, target);
    return next;
}

bool reaches(const ModuleCode& module, std::uintptr_t target, std::uintptr_t hook) {
    return target == hook || behind_stub(module, target) == hook;
}

// The hook that a call of `target` leads to, if any.
const KnownHook* hook_led_to(const ModuleCode& module, std::uintptr_t target,
                             const KnownHooks& hooks) {
    if (!target)
        return nullptr;
    const std::uintptr_t behind = behind_stub(module, target);
    for (const KnownHook& known : hooks)
        if (const std::uintptr_t address = known.address();
            address && (target == address || behind == address))
            return &known;
    return nullptr;
}

bool leads_to(const BodySweep& sweep, std::uintptr_t hook) {
    std::uintptr_t target =
        target_of(sweep.module(), sweep.instruction(), sweep.next_address(), sweep.registers());
    return target && reaches(sweep.module(), target, hook);
}

constexpr std::uint8_t direct_call = 0xe8, call_through_slot = 0xff;
std::uint8_t replacement_of_call(std::uint8_t opcode) {
    return opcode == direct_call ? 0xa9 : 0x85;
}

HookSite site_at(const Instruction& instruction, std::uintptr_t address) {
    std::uint8_t replacement =
        branch_of(instruction) == Branch::jump ? 0xc3 : replacement_of_call(instruction.opcode);
    return {address + instruction.opcode_at, instruction.opcode, replacement};
}

struct FoundCall {
    HookSite site;
    std::uintptr_t argument;    // 0: unknown
    CodeRange argument_is_set;  // after the instruction that sets it, up to the call
    unsigned source;            // the register that it is copied from
    CodeRange source_is_set;    // after the instruction that sets that, up to the copying
};

FoundCall call_here(const BodySweep& sweep) {
    const RegisterConstants& registers = sweep.registers();
    FoundCall found{site_at(sweep.instruction(), sweep.address()),
                    registers.value(register_rdi),
                    {registers.set_at(register_rdi) + 1, sweep.address() + 1},
                    registers.argument_source(),
                    {}};
    if (found.source != register_rdi)
        found.source_is_set = {registers.source_set_at() + 1, found.argument_is_set.start};
    return found;
}

FoundCall call_in(BodySweep sweep, std::uintptr_t return_address, std::uintptr_t hook) {
    while (sweep.next() && sweep.next_address() < return_address)
        ;
    if (sweep.next_address() != return_address || branch_of(sweep.instruction()) != Branch::call ||
        !leads_to(sweep, hook))
        return {};
    return call_here(sweep);
}

// Whether all jumps to places between the instruction that sets the first argument and the call
// bring the same argument. In the function's own body, unknown arguments count as the same.
bool others_bring_the_same(const ModuleCode& module, CodeRange body, const SiteTable& patched,
                           const FoundCall& call, std::uintptr_t function) {
    BodySweep sweep(module, body, patched);
    while (sweep.next()) {
        std::uintptr_t target = direct_target(sweep.instruction(), sweep.next_address());
        std::uintptr_t brought = sweep.registers().value(register_rdi);
        std::uintptr_t in_source = sweep.registers().value(call.source);
        // Nothing in between changes the argument, so jumps from there need not be checked.
        bool from_between = call.argument_is_set.contains(sweep.address());
        if (call.argument_is_set.contains(target) && !from_between && brought != function &&
            (brought || body.start != function))
            return false;
        if (call.source_is_set.contains(target) && in_source && in_source != function)
            return false;
    }
    return sweep.complete();
}

}  // namespace

CodeRange body_around(const ModuleCode& module, std::uintptr_t address) {
    return body_in(module, function_range(address));
}

CodeRange body_in(const ModuleCode& module, FunctionRange range) {
    if (!processor_is_known)
        return {};
    const CodeRange code = module.code_around(range.start);
    if (range.start < code.start || range.end > code.end || range.end - range.start > largest_body)
        return {};
    return {range.start, range.end};
}

std::size_t parts_of(const ModuleCode& module, std::uintptr_t function, const SiteTable& patched,
                     CodeRange* parts, std::size_t room) {
    CodeRange body = body_around(module, function);
    if (!body || body.start != function || room == 0)
        return 0;
    std::size_t count = 0;
    parts[count++] = body;
    BodySweep sweep(module, body, patched);
    while (sweep.next() && count < room) {
        std::uintptr_t target = direct_target(sweep.instruction(), sweep.next_address());
        // Unconditional jumps may lead to another function, and any jump to the linkage table,
        // which has unwind entries too: its jumps to hooks belong to no single function.
        if (branch_of(sweep.instruction()) != Branch::conditional_jump ||
            stub_target(module, target))
            continue;
        bool known = false;
        for (std::size_t i = 0; i < count; i++)
            known |= parts[i].contains(target);
        if (!known)
            parts[count] = body_around(module, target);
        count += !known && parts[count];
    }
    return count;
}

static bool is_part_of(const ModuleCode& module, CodeRange body, std::uintptr_t function,
                       const SiteTable& patched) {
    if (body.start == function)
        return true;
    CodeRange parts[max_parts];
    std::size_t count = parts_of(module, function, patched, parts, max_parts);
    for (std::size_t i = 0; i < count; i++)
        if (parts[i].start == body.start)
            return true;
    return false;
}

HookSite find_call(const ModuleCode& module, std::uintptr_t return_address, std::uintptr_t function,
                   std::uintptr_t hook, const SiteTable& patched) {
    CodeRange body = body_around(module, return_address - 1);
    if (!body)
        return {};
    FoundCall found = call_in({module, body, patched}, return_address, hook);
    if (!found.site)
        return {};
    if (!found.argument && body.start != function)
        found = call_in(BodySweep::with_jumps_back(module, body, patched), return_address, hook);
    if (found.argument) {
        bool ours = found.argument == function &&
                    others_bring_the_same(module, body, patched, found, function);
        return ours ? found.site : HookSite{};
    }
    return is_part_of(module, body, function, patched) ? found.site : HookSite{};
}

HookSite find_bare_call(const ModuleCode& module, std::uintptr_t return_address,
                        std::uintptr_t function, std::uintptr_t hook, const SiteTable& patched) {
    if (!hook)
        return {};
    constexpr struct {
        std::uint8_t opcode, length;
    } calls[] = {{direct_call, 5}, {call_through_slot, 6}};
    CodeRange body = body_around(module, return_address - 1);
    for (const auto& call : calls) {
        const std::uintptr_t address = return_address - call.length;
        if (body.contains(address) && *reinterpret_cast<std::uint8_t*>(address) == call.opcode &&
            leads_to_hook(module, address, call.opcode, hook) &&
            is_part_of(module, body, function, patched))
            return {address, call.opcode, replacement_of_call(call.opcode)};
    }
    return {};
}

HookSite tail_jump_at(const BodySweep& sweep, std::uintptr_t hook, std::uintptr_t& function) {
    if (branch_of(sweep.instruction()) != Branch::jump || !leads_to(sweep, hook))
        return {};
    function = sweep.registers().value(register_rdi);
    return site_at(sweep.instruction(), sweep.address());
}

HookBranch hook_branch_at(const BodySweep& sweep, const KnownHooks& hooks) {
    const Branch branch = branch_of(sweep.instruction());
    if (branch != Branch::call && branch != Branch::jump)
        return {};
    const KnownHook* known = hook_led_to(
        sweep.module(),
        target_of(sweep.module(), sweep.instruction(), sweep.next_address(), sweep.registers()),
        hooks);
    if (!known || (branch == Branch::jump && known->hook != Hook::exit))
        return {};
    if (known->hook == Hook::prologue || known->hook == Hook::epilogue)
        return {site_at(sweep.instruction(), sweep.address()), known->hook, 0, {}, {}};
    const FoundCall call = call_here(sweep);
    return {call.site, known->hook, call.argument, call.argument_is_set, call.source_is_set};
}

HookBranch plain_hook_branch(const ModuleCode& module, const Instruction& instruction,
                             std::uintptr_t address, const KnownHooks& hooks) {
    static constexpr RegisterConstants no_registers;
    const KnownHook* known = hook_led_to(
        module, target_of(module, instruction, address + instruction.length, no_registers), hooks);
    if (!known || (branch_of(instruction) == Branch::jump && known->hook != Hook::exit))
        return {};
    return {site_at(instruction, address), known->hook, 0, {}, {}};
}

bool is_conditional_jump(const BodySweep& sweep, std::uintptr_t hook) {
    if (branch_of(sweep.instruction()) != Branch::conditional_jump)
        return false;
    std::uintptr_t target = direct_target(sweep.instruction(), sweep.next_address());
    if (target == hook || sweep.body().contains(target))
        return target == hook;
    // The hook is the last thing that an instrumented function calls: a jump to a stub that is not
    // bound yet therefore leads to it.
    std::uintptr_t bound = stub_target(sweep.module(), target);
    return bound == hook || (bound && sweep.module().code_around(bound));
}

bool leads_to_hook(const ModuleCode& module, std::uintptr_t address, std::uint8_t original,
                   std::uintptr_t hook) {
    CodeRange code = module.code_around(address);
    constexpr std::uintptr_t longest = 7;
    if (!code || code.end - address < 2)
        return false;
    std::uint8_t bytes[longest];
    std::uintptr_t available = code.end - address < longest ? code.end - address : longest;
    std::memcpy(bytes, reinterpret_cast<const void*>(address), available);
    bytes[0] = original;
    Instruction instruction = decode(bytes, available);
    if (branch_of(instruction) == Branch::none)
        return false;
    if (original == 0xff && !instruction.rip_relative())
        return true;  // through a register, whose value only the preceding code determines
    return reaches(module, target_of(module, instruction, address + instruction.length, {}), hook);
}

}  // namespace vftrace
