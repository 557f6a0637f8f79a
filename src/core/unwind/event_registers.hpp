// The registers of a thread in the samples of perf events.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unwind/event_ring.hpp"
#include "unwind/registers.hpp"

#if defined(__x86_64__)
#include <algorithm>
#include <asm/perf_regs.h>
#include <iterator>
#endif

namespace vftrace {

#if defined(__x86_64__)
// The registers that are requested, in the order in which the kernel writes them, with DWARF's
// numbers.
struct AskedRegister {
    int kernel, dwarf;
};
inline constexpr AskedRegister asked_registers[] = {
    {PERF_REG_X86_AX, 0},   {PERF_REG_X86_BX, 3},   {PERF_REG_X86_CX, 2},
    {PERF_REG_X86_DX, 1},   {PERF_REG_X86_SI, 4},   {PERF_REG_X86_DI, 5},
    {PERF_REG_X86_BP, 6},   {PERF_REG_X86_SP, 7},   {PERF_REG_X86_IP, dwarf_return_address},
    {PERF_REG_X86_R8, 8},   {PERF_REG_X86_R9, 9},   {PERF_REG_X86_R10, 10},
    {PERF_REG_X86_R11, 11}, {PERF_REG_X86_R12, 12}, {PERF_REG_X86_R13, 13},
    {PERF_REG_X86_R14, 14}, {PERF_REG_X86_R15, 15}};
static_assert(std::size(asked_registers) == dwarf_registers);
static_assert(std::is_sorted(std::begin(asked_registers), std::end(asked_registers),
                             [](AskedRegister a, AskedRegister b) { return a.kernel < b.kernel; }));

// perf_event_attr::sample_regs_user for them.
inline constexpr std::uint64_t event_registers = [] {
    std::uint64_t mask = 0;
    for (const AskedRegister& asked : asked_registers)
        mask |= std::uint64_t{1} << asked.kernel;
    return mask;
}();

// All registers, as the kernel has written them from the beginning of `words` on.
inline Registers registers_in(const RingBytes& words) {
    Registers registers{};
    for (std::size_t i = 0; i < dwarf_registers; i++)
        registers.value[static_cast<std::size_t>(asked_registers[i].dwarf)] =
            words.word(i * sizeof(std::uint64_t));
    registers.all_known = true;
    return registers;
}
#endif

}  // namespace vftrace
