// The open calls of a thread, found on its stack.
//
// Code with unwind tables is unwound by these, whether or not it keeps frame pointers: with rules
// cached by address, a step costs as little as following a frame pointer, and is correct even in
// the middle of a prologue. Only code without tables is unwound by frame pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ucontext.h>

#include "unwind/event_ring.hpp"
#include "unwind/registers.hpp"
#include "unwind/unwind_rule.hpp"

namespace vftrace {

// A function that is open: its first address, and the stack address just above its frame.
struct OpenFunction {
    std::uintptr_t function;
    std::uintptr_t stack;
};

// The stack that the thread was created with: used from `first_function`, the stack address of the
// function that calls the program's, downwards. Zeros: not known.
struct OwnStack {
    std::uintptr_t low = 0, first_function = 0;
    bool contains(std::uintptr_t address) const {
        return address >= low && address < first_function;
    }
};

// The innermost part of a stack as it was at some moment.
struct CopiedStack {
    std::uintptr_t start;  // the stack pointer
    std::uint64_t bytes;
    RingBytes words;
    // `address`: a multiple of the size of a word.
    bool has(std::uintptr_t address) const {
        return address >= start && address - start + sizeof address <= bytes;
    }
    std::uintptr_t operator[](std::uintptr_t address) const { return words.word(address - start); }
};

// For one thread; zeroed memory is a valid object. It is not reentrant.
//
// `Code`, which is derived from it, knows the code of the process:
//   std::uint32_t generation()        changes when rules that were found before may be wrong
//   UnwindRule find_rule(pc)          the rule for the instruction at `pc`, of this generation
//   bool is_readable(address)         for walks through memory itself
//   bool steps_itself(rule)           whether step_itself(place, rule, frame) takes this step
//   class Turn                        lives as long as a walk, which finds nothing if it is false
template <class Code>
class StackWalker {
  public:
    // Finds the calls that are open at `registers`, the innermost first, without those that are not
    // the program's (CodeOwner) or lie outside `own.first_function`. Direct recursion counts once,
    // with the stack address of the outermost activation. Memory on other stacks is checked before
    // it is read. Ends with the first call whose frame is above `highest`. Async-signal-safe.
    std::size_t walk(const Registers& registers, const OwnStack& own,
                     std::uintptr_t highest = ~std::uintptr_t{0}) {
        Place place{registers, own, own.contains(registers.stack()), 0, true, nullptr};
        return follow(place, highest);
    }
    // The same for calls that were open when the stack was copied. Only the copy is read.
    std::size_t walk(const Registers& registers, const OwnStack& own, const CopiedStack& stack) {
        Place place{registers, own, own.contains(registers.stack()), 0, true, &stack};
        return follow(place, ~std::uintptr_t{0});
    }

    // The point that a walk has reached. step() goes from there to the caller, for users that need
    // every step; it returns false if it cannot continue.
    struct Place {
        Registers registers;
        const OwnStack& own;
        bool on_own_stack;
        std::uintptr_t checked_page;  // the latest that could be read
        bool interrupted;             // the place is an instruction, not a return address
        const CopiedStack* copy;      // nullptr: memory itself is read
        bool cursor_is_here = false;  // that of `Code`, if it steps itself
    };
    bool step(Place& place) {
        std::uintptr_t frame;
        return step(place, rule_at(place), frame);
    }

    // The result of the latest walk.
    const OpenFunction& operator[](std::size_t i) const { return functions_[i]; }
    std::size_t count() const { return count_; }
    // Whether it went through the stack itself, not through a copy.
    bool is_live() const { return is_live_; }
    // Whether the copy was too short: the outermost calls are missing.
    bool is_cut() const { return is_cut_; }
    // Adds a call further out, if there is room.
    void add_caller(const OpenFunction& caller) {
        if (count_ < most_functions)
            functions_[count_++] = caller;
    }

    // Whether an instruction is one of this library's.
    bool is_ours(std::uintptr_t pc) { return rule_for(pc).owner == CodeOwner::library; }
    // First address of the function that an instruction belongs to.
    std::uintptr_t function_at(std::uintptr_t pc) { return rule_for(pc).function; }
    // Whether it is in the code that signal handlers return to.
    bool is_signal_return(std::uintptr_t pc) {
        return rule_for(pc).frame == FrameRule::signal_frame;
    }

    static constexpr std::size_t most_functions = 1024;

  protected:
    bool read(Place& place, std::uintptr_t address, std::uintptr_t& value);

  private:
    static constexpr std::size_t rules = 2048;
    // Frames further out are left out, because each step takes 10 to 20 ns.
    static constexpr std::size_t most_steps = 2048;

    Code& code() { return static_cast<Code&>(*this); }
    std::size_t follow(Place& place, std::uintptr_t highest);
    const UnwindRule& rule_for(std::uintptr_t pc);
    const UnwindRule& rule_at(const Place& place) {
        return rule_for(place.registers.pc() - (place.interrupted ? 0 : 1));
    }
    bool step(Place& place, const UnwindRule& rule, std::uintptr_t& frame);
    bool step_by_tables(Place& place, const UnwindRule& rule, std::uintptr_t& frame);
    bool step_by_pointer(Place& place, std::uintptr_t& frame);
    bool step_over_signal(Place& place);
    bool restore(Place& place, SavedRegister saved, std::uintptr_t frame, std::int16_t words,
                 std::uintptr_t& value);

    UnwindRule rules_[rules];
    OpenFunction functions_[most_functions];
    std::size_t count_;
    bool is_live_, is_cut_;
};

template <class Code>
const UnwindRule& StackWalker<Code>::rule_for(std::uintptr_t pc) {
    UnwindRule& rule = rules_[(pc * 0x9e3779b97f4a7c15u) >> 53];
    static_assert(rules == 1 << (64 - 53));
    if (rule.pc != pc || rule.generation != code().generation()) [[unlikely]]
        rule = code().find_rule(pc);
    return rule;
}

template <class Code>
bool StackWalker<Code>::read(Place& place, std::uintptr_t address, std::uintptr_t& value) {
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
        if (!code().is_readable(address))
            return false;
        place.checked_page = address / page;
    }
    value = *reinterpret_cast<const std::uintptr_t*>(address);
    return true;
}

// Changes the callee's value of a register to the caller's.
template <class Code>
bool StackWalker<Code>::restore(Place& place, SavedRegister saved, std::uintptr_t frame,
                                std::int16_t words, std::uintptr_t& value) {
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

template <class Code>
bool StackWalker<Code>::step_by_tables(Place& place, const UnwindRule& rule,
                                       std::uintptr_t& frame) {
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
template <class Code>
bool StackWalker<Code>::step_by_pointer(Place& place, std::uintptr_t& frame) {
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

// The kernel has put the registers where the handler's stack began.
template <class Code>
bool StackWalker<Code>::step_over_signal(Place& place) {
#if defined(__x86_64__)
    constexpr std::uintptr_t registers_at = offsetof(ucontext_t, uc_mcontext.gregs);
    const std::uintptr_t context = place.registers.stack();
    Registers registers{};
    for (std::size_t i = 0; i < dwarf_registers; i++)
        if (!read(place,
                  context + registers_at +
                      static_cast<std::uintptr_t>(context_register[i]) * sizeof(greg_t),
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

template <class Code>
bool StackWalker<Code>::step(Place& place, const UnwindRule& rule, std::uintptr_t& frame) {
    if (code().steps_itself(rule))
        return code().step_itself(place, rule, frame);
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

template <class Code>
std::size_t StackWalker<Code>::follow(Place& place, std::uintptr_t highest) {
    const OwnStack& own = place.own;
    is_live_ = !place.copy;
    is_cut_ = false;
    count_ = 0;
    const typename Code::Turn turn;
    if (!turn)
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
