#include "sampling/unwinder.hpp"

namespace vftrace {

template class StackWalker<Unwinder>;

bool Unwinder::step_itself(Place& place, const UnwindRule& rule, std::uintptr_t& frame) {
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

}  // namespace vftrace
