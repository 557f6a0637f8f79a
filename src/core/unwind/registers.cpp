#include "unwind/registers.hpp"

#include <ucontext.h>

namespace vftrace {

Registers interrupted_registers(const void* context) {
    Registers registers{};
#if defined(__x86_64__)
    const auto& values = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    for (std::size_t i = 0; i < dwarf_registers; i++)
        registers.value[i] = static_cast<std::uintptr_t>(values[context_register[i]]);
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

}  // namespace vftrace
