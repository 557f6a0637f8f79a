// Requests to valgrind, for programs that run in it.
#pragma once

#include <cstdint>

namespace vftrace {

// Executes instructions that leave all registers unchanged, but in valgrind make a request and
// return an answer (valgrind's manual, "The Client Request mechanism"). 0 elsewhere. Costs a
// nanosecond.
inline std::uint64_t ask_valgrind(std::uint64_t request, std::uint64_t first = 0,
                                  std::uint64_t second = 0) {
    std::uint64_t answer = 0;
#if defined(__x86_64__)
    const volatile std::uint64_t words[6] = {request, first, second};
    asm volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
                 "xchgq %%rbx, %%rbx"
                 : "+d"(answer)
                 : "a"(&words[0])
                 : "cc", "memory");
#elif defined(__aarch64__)
    const volatile std::uint64_t words[6] = {request, first, second};
    asm volatile("mov x3, #0\n\tmov x4, %1\n\t"
                 "ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\t"
                 "ror x12, x12, #61\n\torr x10, x10, x10\n\tmov %0, x3"
                 : "=r"(answer)
                 : "r"(&words[0])
                 : "cc", "memory", "x3", "x4");
#else
    static_cast<void>(request), static_cast<void>(first), static_cast<void>(second);
#endif
    return answer;
}

inline bool runs_in_valgrind() { return ask_valgrind(0x1001) != 0; }

// Informs valgrind that the stack pointer may go there and come back. Returns a number for
// have_valgrind_forget_stack().
inline std::uint64_t register_stack_with_valgrind(const void* low, const void* high) {
    return ask_valgrind(0x1501, reinterpret_cast<std::uintptr_t>(low),
                        reinterpret_cast<std::uintptr_t>(high));
}
inline void have_valgrind_forget_stack(std::uint64_t number) { ask_valgrind(0x1502, number); }

}  // namespace vftrace
