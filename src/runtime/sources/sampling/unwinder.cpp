#include "sampling/unwinder.hpp"

#include <cstddef>
#include <ucontext.h>

#include "sampling/readable_memory.hpp"

namespace vftrace {
namespace {

#if defined(__x86_64__)
// The kernel's numbers of the general registers, in DWARF's order.
constexpr int kernel_register[dwarf_registers] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
#endif

}  // namespace

Registers interrupted_registers(const void* context) {
    Registers registers{};
#if defined(__x86_64__)
    const auto& values = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    for (std::size_t i = 0; i < dwarf_registers; i++)
        registers.value[i] = static_cast<std::uintptr_t>(values[kernel_register[i]]);
    registers.all_known = true;
#elif defined(__aarch64__)
    const auto& values = static_cast<const ucontext_t*>(context)->uc_mcontext;
    for (std::size_t i = 0; i <= dwarf_return_address; i++)
        registers.value[i] = values.regs[i];
    registers.value[dwarf_stack_pointer] = values.sp;
    registers.value[dwarf_place] = values.pc;
    registers.all_known = true;
#else
    (void)context;
#endif
    return registers;
}

const UnwindRule& Unwinder::rule_for(std::uintptr_t pc) {
    UnwindRule& rule = rules_[(pc * 0x9e3779b97f4a7c15u) >> 53];
    static_assert(rules == 1 << (64 - 53));
    if (rule.pc != pc || rule.generation != __atomic_load_n(&unwind_generation, __ATOMIC_RELAXED))
        [[unlikely]]
        rule = find_unwind_rule(pc);
    return rule;
}

bool Unwinder::read(Place& place, std::uintptr_t address, std::uintptr_t& value) {
    constexpr std::uintptr_t page = 4096;
    if (address % sizeof value != 0 || address < page)
        return false;
    const std::uintptr_t stack = place.registers.stack();
    if (place.copy) {
        if (!place.copy->has(address)) {
            is_cut_ |= address >= place.copy->start;
            return false;
        }
        value = (*place.copy)[address];
        return true;
    }
    const bool known = place.on_own_stack && address >= stack && place.own.contains(address);
    if (!known && address / page != place.checked_page) {
        if (!is_readable(address))
            return false;
        place.checked_page = address / page;
    }
    value = *reinterpret_cast<const std::uintptr_t*>(address);
    return true;
}

// Changes the callee's value of a register to the caller's.
bool Unwinder::restore(Place& place, SavedRegister saved, std::uintptr_t frame, std::int16_t words,
                       std::uintptr_t& value) {
    const auto offset = static_cast<std::uintptr_t>(words * std::intptr_t{sizeof(std::uintptr_t)});
    switch (saved) {
    case SavedRegister::unchanged:
        return true;
    case SavedRegister::on_stack:
        return read(place, frame + offset, value);
    case SavedRegister::by_pointer:
        return read(place, place.registers.value[dwarf_frame_pointer] + offset, value);
    case SavedRegister::lost:
        value = 0;
    }
    return true;
}

bool Unwinder::step_by_tables(Place& place, const UnwindRule& rule, std::uintptr_t& frame) {
    auto& value = place.registers.value;
    const std::uint8_t base = rule.cfa_register;
    if (!place.registers.all_known && base != dwarf_frame_pointer && base != dwarf_stack_pointer &&
        base != dwarf_base)
        return false;
    const auto offset = static_cast<std::uintptr_t>(std::intptr_t{rule.cfa_offset});
    frame = value[base] + offset;
    if (rule.frame == FrameRule::from_memory) {
        if (!read(place, frame, frame))
            return false;
    } else if (rule.frame == FrameRule::procedure_table) {
        // Each stub has 16 bytes; the code before offset 11 pushes a number.
        constexpr std::uintptr_t stub = 16, pushed_at = 11;
        if (place.registers.pc() % stub >= pushed_at)
            frame += sizeof(std::uintptr_t);
    }
    std::uintptr_t back, pointer = value[dwarf_frame_pointer], saved_base = value[dwarf_base];
    if (frame <= place.registers.stack() || !read(place, frame - sizeof back, back) ||
        !restore(place, rule.base, frame, rule.base_words, saved_base) ||
        !restore(place, rule.pointer, frame, rule.pointer_words, pointer))
        return false;
    value[dwarf_frame_pointer] = pointer;
    value[dwarf_base] = saved_base;
    value[dwarf_stack_pointer] = frame;
    value[dwarf_place] = back;
    place.registers.all_known = false;
    place.interrupted = false;
    return back != 0;
}

// Follows the chain of frame pointers as long as it is plausible: upwards, aligned, near, and with
// a return address in code that has tables or lies near the place that was left.
bool Unwinder::step_by_pointer(Place& place, std::uintptr_t& frame) {
    constexpr std::uintptr_t word = sizeof(std::uintptr_t), largest_frame = 1 << 20, near = 1 << 20;
    auto& value = place.registers.value;
    const std::uintptr_t pointer = value[dwarf_frame_pointer], stack = place.registers.stack();
    std::uintptr_t back, next;
    if (pointer < stack || pointer - stack > largest_frame || !read(place, pointer, next) ||
        !read(place, pointer + word, back) || back == 0)
        return false;
    const std::uintptr_t distance =
        back > place.registers.pc() ? back - place.registers.pc() : place.registers.pc() - back;
    if (rule_for(back - 1).frame == FrameRule::unknown && distance > near)
        return false;
    frame = pointer + 2 * word;
    value[dwarf_frame_pointer] = next;
    value[dwarf_stack_pointer] = frame;
    value[dwarf_place] = back;
    place.registers.all_known = false;
    place.interrupted = false;
    place.cursor_is_here = false;
    return true;
}

bool Unwinder::step_by_libunwind(Place& place, const UnwindRule& rule, std::uintptr_t& frame) {
    struct Source {
        Unwinder& unwinder;
        Place& place;
    } source{*this, place};
    const auto read_stack = [](void* from, std::uintptr_t address, std::uintptr_t& word) {
        const Source& where = *static_cast<Source*>(from);
        return where.unwinder.read(where.place, address, word);
    };
#if defined(__aarch64__)
    // libunwind (1.6) leaves out the caller of a function that has no frame, or has none yet.
    if (place.interrupted && rule.frame == FrameRule::from_register &&
        rule.base == SavedRegister::unchanged && rule.pointer == SavedRegister::unchanged) {
        auto& value = place.registers.value;
        frame =
            value[rule.cfa_register] + static_cast<std::uintptr_t>(std::intptr_t{rule.cfa_offset});
        value[dwarf_stack_pointer] = frame;
        value[dwarf_place] = value[dwarf_return_address];
        place.interrupted = false;
        return place.registers.pc() != 0;
    }
#endif
    const std::uintptr_t stack = place.registers.stack();
    const bool over_signal = rule.frame == FrameRule::signal_frame;
    const bool was_interrupted = place.interrupted;
    frame = stack;
    if ((!place.cursor_is_here && !cursor_.start(place.registers, place.interrupted)) ||
        !cursor_.step(place.registers, read_stack, &source))
        return false;
    place.cursor_is_here = true;
    place.interrupted = over_signal;
    if (over_signal)  // the interrupted code may use another stack
        return true;
    frame = place.registers.stack();
    // If the return address is in a register, the innermost function may have no frame.
    return frame > stack || (frame == stack && was_interrupted);
}

// The kernel has put the registers where the handler's stack began.
bool Unwinder::step_over_signal(Place& place) {
#if defined(__x86_64__)
    constexpr std::uintptr_t registers_at = offsetof(ucontext_t, uc_mcontext.gregs);
    const std::uintptr_t context = place.registers.stack();
    Registers registers{};
    for (std::size_t i = 0; i < dwarf_registers; i++)
        if (!read(place,
                  context + registers_at +
                      static_cast<std::uintptr_t>(kernel_register[i]) * sizeof(greg_t),
                  registers.value[i]))
            return false;
    registers.all_known = true;
    place.registers = registers;
    place.interrupted = true;
    return place.registers.pc() != 0;
#else
    (void)place;
    return false;
#endif
}

bool Unwinder::step(Place& place, const UnwindRule& rule, std::uintptr_t& frame) {
    if (walks_are_libunwinds && rule.frame != FrameRule::unknown)
        return step_by_libunwind(place, rule, frame);
    switch (rule.frame) {
    case FrameRule::outermost:
        frame = place.registers.stack();
        return false;
    case FrameRule::signal_frame:
        frame = place.registers.stack();
        return step_over_signal(place);
    case FrameRule::unknown:
    case FrameRule::not_understood:
        frame = place.registers.stack();
        return step_by_pointer(place, frame);
    default:
        return step_by_tables(place, rule, frame);
    }
}

std::size_t Unwinder::walk(const Registers& registers, const OwnStack& own,
                           std::uintptr_t highest) {
    Place place{registers, own, own.contains(registers.stack()), 0, true, nullptr};
    return follow(place, highest);
}

std::size_t Unwinder::walk(const Registers& registers, const OwnStack& own,
                           const CopiedStack& stack) {
    Place place{registers, own, own.contains(registers.stack()), 0, true, &stack};
    return follow(place, ~std::uintptr_t{0});
}

std::size_t Unwinder::follow(Place& place, std::uintptr_t highest) {
    const OwnStack& own = place.own;
    is_live_ = !place.copy;
    is_cut_ = false;
    count_ = 0;
    const LibunwindTurn turn;
    if (walks_are_libunwinds && !turn)
        return 0;
    std::size_t count = 0;
    bool through_us = false;
    for (std::size_t steps = 0; steps < most_steps; steps++) {
        const UnwindRule& rule = rule_at(place);
        const std::uintptr_t function = rule.function;
        const CodeOwner owner = rule.owner;
        std::uintptr_t frame = 0;
        const bool goes_on = step(place, rule, frame);
        if (place.on_own_stack && frame > own.first_function) {
            is_cut_ = false;
            break;  // this function calls the program's first one
        }
        through_us |= owner == CodeOwner::library;
        // A binding calls its library and the allocator to translate arguments; these are not calls
        // by the program. What MPI calls back has come through our wrapper.
        if (owner == CodeOwner::binding && !through_us)
            count = 0;
        if (owner == CodeOwner::program) {
            if (count > 0 && functions_[count - 1].function == function) {
                functions_[count - 1].stack = frame;
            } else {
                if (count == most_functions)
                    break;
                functions_[count++] = {function, frame};
            }
        }
        if (!goes_on || frame > highest)
            break;
        if (place.interrupted)  // a signal handler may run on another stack
            place.on_own_stack = own.contains(place.registers.stack());
    }
    count_ = count;
    return count;
}

}  // namespace vftrace
