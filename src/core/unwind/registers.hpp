// The general registers of a thread, by DWARF's numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ucontext.h>

namespace vftrace {

#if defined(__aarch64__)
// DWARF for the Arm 64-bit Architecture, section 4.1. The place in the code has no number there;
// libunwind gives it this one. The return address is in a register.
inline constexpr std::size_t dwarf_registers = 33;
inline constexpr std::uint8_t dwarf_frame_pointer = 29, dwarf_return_address = 30,
                              dwarf_stack_pointer = 31, dwarf_place = 32,
                              dwarf_base = dwarf_return_address;
#else
// System V ABI, AMD64 supplement, figure 3.36. The return address is the caller's place.
inline constexpr std::size_t dwarf_registers = 17;
inline constexpr std::uint8_t dwarf_base = 3, dwarf_frame_pointer = 6, dwarf_stack_pointer = 7,
                              dwarf_return_address = 16, dwarf_place = dwarf_return_address;
#endif

struct Registers {
    std::array<std::uintptr_t, dwarf_registers> value;
    bool all_known;  // else only frame pointer, base register, stack pointer and place

    std::uintptr_t pc() const { return value[dwarf_place]; }
    std::uintptr_t stack() const { return value[dwarf_stack_pointer]; }
};

// The registers of the function that calls this: where it will continue, and its stack.
[[gnu::always_inline]] inline Registers current_registers() {
    Registers registers{};
#if defined(__x86_64__)
    asm volatile("lea (%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2\n\tmov %%rbx, %3"
                 : "=&r"(registers.value[dwarf_place]), "=&r"(registers.value[dwarf_stack_pointer]),
                   "=&r"(registers.value[dwarf_frame_pointer]), "=&r"(registers.value[dwarf_base]));
#elif defined(__aarch64__)
    asm volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29\n\tmov %3, x30"
                 : "=&r"(registers.value[dwarf_place]), "=&r"(registers.value[dwarf_stack_pointer]),
                   "=&r"(registers.value[dwarf_frame_pointer]), "=&r"(registers.value[dwarf_base]));
#endif
    return registers;
}

#if defined(__x86_64__)
// The numbers of the registers in the context of a signal, in DWARF's order.
inline constexpr int context_register[dwarf_registers] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
#endif

// The registers that a signal handler was given.
Registers interrupted_registers(const void* context);

}  // namespace vftrace
