// The open calls of a thread, found on its stack.
//
// Code with unwind tables is unwound by these, whether or not it keeps frame pointers: with rules
// cached by address, a step costs as little as following a frame pointer, and is correct even in
// the middle of a prologue. Only code without tables is unwound by frame pointers. After
// walk_by_libunwind() has been called, libunwind uses the tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sampling/event_ring.hpp"
#include "sampling/libunwind.hpp"
#include "sampling/registers.hpp"
#include "sampling/unwind_rules.hpp"

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
class Unwinder {
  public:
    // Finds the calls that are open at `registers`, the innermost first, without those that are not
    // the program's (CodeOwner) or lie outside `own.first_function`. Direct recursion counts once,
    // with the stack address of the outermost activation. Memory on other stacks is checked before
    // it is read. Ends with the first call whose frame is above `highest`. Async-signal-safe.
    std::size_t walk(const Registers& registers, const OwnStack& own,
                     std::uintptr_t highest = ~std::uintptr_t{0});
    // The same for calls that were open when the stack was copied. Only the copy is read.
    std::size_t walk(const Registers& registers, const OwnStack& own, const CopiedStack& stack);

    // The point that a walk has reached. step() goes from there to the caller, for users that need
    // every step; it returns false if it cannot continue.
    struct Place {
        Registers registers;
        const OwnStack& own;
        bool on_own_stack;
        std::uintptr_t checked_page;  // the latest that could be read
        bool interrupted;             // the place is an instruction, not a return address
        const CopiedStack* copy;      // nullptr: memory itself is read
        bool cursor_is_here = false;  // libunwind's
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

  private:
    static constexpr std::size_t rules = 2048;
    // Frames further out are left out, because each step takes 10 to 20 ns.
    static constexpr std::size_t most_steps = 2048;

    std::size_t follow(Place& place, std::uintptr_t highest);
    const UnwindRule& rule_for(std::uintptr_t pc);
    const UnwindRule& rule_at(const Place& place) {
        return rule_for(place.registers.pc() - (place.interrupted ? 0 : 1));
    }
    bool step(Place& place, const UnwindRule& rule, std::uintptr_t& frame);
    bool step_by_tables(Place& place, const UnwindRule& rule, std::uintptr_t& frame);
    bool step_by_libunwind(Place& place, const UnwindRule& rule, std::uintptr_t& frame);
    bool step_by_pointer(Place& place, std::uintptr_t& frame);
    bool step_over_signal(Place& place);
    bool restore(Place& place, SavedRegister saved, std::uintptr_t frame, std::int16_t words,
                 std::uintptr_t& value);
    bool read(Place& place, std::uintptr_t address, std::uintptr_t& value);

    UnwindRule rules_[rules];
    OpenFunction functions_[most_functions];
    std::size_t count_;
    bool is_live_, is_cut_;
    LibunwindCursor cursor_;
};

}  // namespace vftrace
