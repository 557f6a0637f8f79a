// Finds the instructions that lead to a hook.
#include "patch/hook_sites.hpp"

#include <cstring>

#include "symbol/modules.hpp"

namespace vftrace {
namespace {

#if defined(__x86_64__) && defined(__LP64__)
constexpr bool processor_is_known = true;
#else
constexpr bool processor_is_known = false;
#endif

constexpr std::uintptr_t largest_body = 256 * 1024;

enum class Branch { none, call, jump, conditional };

Branch kind_of(const Instruction& instruction) {
    if (instruction.map == OpcodeMap::two_byte)
        return (instruction.opcode & 0xf0) == 0x80 ? Branch::conditional : Branch::none;
    if (instruction.map != OpcodeMap::one_byte)
        return Branch::none;
    switch (instruction.opcode) {
    case 0xe8:
        return Branch::call;
    case 0xe9:
        return Branch::jump;
    case 0xff:
        return instruction.opcode_extension() == 2   ? Branch::call
               : instruction.opcode_extension() == 4 ? Branch::jump
                                                     : Branch::none;
    }
    return Branch::none;
}

std::uintptr_t word_at(const ModuleCode& module, std::uintptr_t address) {
    std::uintptr_t word = 0;
    if (module.is_readable(address, sizeof word))
        std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
    return word;
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
    return word_at(module, target + at + 6 + static_cast<std::intptr_t>(distance));
}

// Where a branch leads: to an address in the module, or what its slot or register holds; 0:
// unknown.
std::uintptr_t target_of(const ModuleCode& module, const Instruction& instruction,
                         std::uintptr_t next, const RegisterConstants& registers) {
    if (instruction.opcode != 0xff || instruction.map != OpcodeMap::one_byte)
        return next + static_cast<std::intptr_t>(instruction.immediate);
    if (instruction.rip_relative())
        return word_at(module, next + static_cast<std::intptr_t>(instruction.displacement));
    return instruction.mode() == 3 ? registers.value(instruction.rm()) : 0;
}

bool reaches(const ModuleCode& module, std::uintptr_t target, std::uintptr_t hook) {
    if (target == hook)
        return true;
    // A slot of a shared library may lead to a stub in the executable: the canonical address of a
    // function whose address an executable that is not position-independent takes.
    std::uintptr_t next = target ? stub_target(module, target) : 0;
    if (!next && target)
        if (ModuleCode other = ModuleCode::at(target); other && other.start() != module.start())
            next = stub_target(other, target);
    return next == hook;
}

bool leads_to(const BodySweep& sweep, std::uintptr_t hook) {
    std::uintptr_t target =
        target_of(sweep.module(), sweep.instruction(), sweep.next_address(), sweep.registers());
    return target && reaches(sweep.module(), target, hook);
}

HookSite site_at(const BodySweep& sweep) {
    const Instruction& instruction = sweep.instruction();
    std::uint8_t replacement = kind_of(instruction) == Branch::jump ? 0xc3
                               : instruction.opcode == 0xe8         ? 0xa9
                                                                    : 0x85;
    return {sweep.address() + instruction.opcode_at, instruction.opcode, replacement};
}

// The target of a jump within the code, 0 if the instruction is none.
std::uintptr_t direct_jump(const BodySweep& sweep) {
    const Instruction& instruction = sweep.instruction();
    Branch kind = kind_of(instruction);
    bool near = kind == Branch::conditional || (kind == Branch::jump && instruction.opcode == 0xe9);
    bool is_short = instruction.map == OpcodeMap::one_byte &&
                    (instruction.opcode == 0xeb || (instruction.opcode & 0xf0) == 0x70);
    return near || is_short ? sweep.next_address() + instruction.immediate : 0;
}

// Whether what jumps to places between the setting of the first argument and the call brings the
// same argument. Unknown ones do where the function's own body is looked at.
bool others_bring_the_same(const ModuleCode& module, CodeRange body, const SiteTable& patched,
                           CodeRange shared, std::uintptr_t function) {
    BodySweep sweep(module, body, patched);
    while (sweep.next()) {
        std::uintptr_t target = direct_jump(sweep);
        if (!target || !shared.contains(target))
            continue;
        std::uintptr_t brought = sweep.registers().value(register_rdi);
        if (brought != function && (brought || body.start != function))
            return false;
    }
    return sweep.complete();
}

}  // namespace

CodeRange body_around(const ModuleCode& module, std::uintptr_t address) {
    if (!processor_is_known)
        return {};
    FunctionRange range = function_range(address);
    CodeRange code = module.code_around(address);
    if (range.start < code.start || range.end > code.end || range.end - range.start > largest_body)
        return {};
    return {range.start, range.end};
}

HookSite find_call(const ModuleCode& module, std::uintptr_t return_address, std::uintptr_t function,
                   std::uintptr_t hook, const SiteTable& patched) {
    CodeRange body = body_around(module, return_address - 1);
    if (!body)
        return {};
    BodySweep sweep(module, body, patched);
    while (sweep.next() && sweep.next_address() < return_address)
        ;
    if (sweep.complete() || sweep.next_address() != return_address ||
        kind_of(sweep.instruction()) != Branch::call || !leads_to(sweep, hook))
        return {};
    std::uintptr_t argument = sweep.registers().value(register_rdi);
    if (!argument)
        return body.start == function ? site_at(sweep) : HookSite{};
    CodeRange shared{sweep.registers().set_at(register_rdi) + 1, sweep.address() + 1};
    if (argument != function || !others_bring_the_same(module, body, patched, shared, function))
        return {};
    return site_at(sweep);
}

HookSite tail_jump_at(const BodySweep& sweep, std::uintptr_t hook, std::uintptr_t& function) {
    if (kind_of(sweep.instruction()) != Branch::jump || !leads_to(sweep, hook))
        return {};
    function = sweep.registers().value(register_rdi);
    return site_at(sweep);
}

bool is_conditional_jump(const BodySweep& sweep, std::uintptr_t hook) {
    if (kind_of(sweep.instruction()) != Branch::conditional)
        return false;
    std::uintptr_t target = direct_jump(sweep);
    if (target == hook)
        return true;
    // The hook is the last thing that an instrumented function calls: what jumps to a stub that is
    // not bound yet jumps to it.
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
    if (kind_of(instruction) == Branch::none)
        return false;
    if (original == 0xff && !instruction.rip_relative())
        return true;  // through a register, whose value only the code before it tells
    return reaches(module, target_of(module, instruction, address + instruction.length, {}), hook);
}

}  // namespace vftrace
