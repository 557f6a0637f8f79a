#include "guest/own_stack.hpp"

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "guest/valgrind.hpp"

// AddressSanitizer's, if the program is built with it: it looks up which part of a stack may be
// used.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** save, const void* bottom,
                                                  std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* save, const void** bottom,
                                                   std::size_t* size);
}

#if defined(__x86_64__) || defined(__aarch64__)

// Calls work(argument) with the stack pointer at `top`, which must be aligned. The frame pointer
// keeps the way back, for unwinders too. The return address is on the caller's stack, so a shadow
// stack works as usual.
extern "C" void vftrace_call_on_stack(void (*work)(void*), void* argument, void* top);
#if defined(__x86_64__)
asm(R"(
    .text
    .globl vftrace_call_on_stack
    .hidden vftrace_call_on_stack
    .type vftrace_call_on_stack, @function
vftrace_call_on_stack:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsp
    call *%rax
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size vftrace_call_on_stack, .-vftrace_call_on_stack
)");
#else
asm(R"(
    .text
    .globl vftrace_call_on_stack
    .hidden vftrace_call_on_stack
    .type vftrace_call_on_stack, %function
vftrace_call_on_stack:
    .cfi_startproc
    hint #34
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa x29, 16
    mov x9, x0
    mov x0, x1
    mov sp, x2
    blr x9
    mov sp, x29
    ldp x29, x30, [sp], #16
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa sp, 0
    ret
    .cfi_endproc
    .size vftrace_call_on_stack, .-vftrace_call_on_stack
)");
#endif

namespace vftrace {
namespace {

struct Work {
    void (*function)(void*);
    void* argument;
    const void* callers_bottom;
    std::size_t callers_size;
};

void begin(void* started) {
    auto& work = *static_cast<Work*>(started);
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(nullptr, &work.callers_bottom, &work.callers_size);
    work.function(work.argument);
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(nullptr, work.callers_bottom, work.callers_size);
}

}  // namespace

void run_on_own_stack(void (*work)(void*), void* argument) {
    const auto guard = static_cast<std::size_t>(getpagesize());
    char* memory = nullptr;
    std::size_t size = 8 << 20;
    constexpr std::size_t smallest = 512 << 10;
    while (!memory && size >= smallest) {
        memory = static_cast<char*>(map_memory(size));
        if (!memory)
            size /= 4;
    }
    if (!memory)
        return work(argument);
    mprotect(memory, guard, PROT_NONE);
    // Otherwise valgrind would attribute the jump of the stack pointer to the program, and report
    // it.
    const std::uint64_t known = register_stack_with_valgrind(memory + guard, memory + size - 1);
    Work started{work, argument, nullptr, 0};
    void* saved = nullptr;
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(&saved, memory + guard, size - guard);
    vftrace_call_on_stack(begin, &started, memory + size);
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(saved, nullptr, nullptr);
    have_valgrind_forget_stack(known);
    unmap_memory(memory, size);
}

}  // namespace vftrace

#else

namespace vftrace {

void run_on_own_stack(void (*work)(void*), void* argument) { work(argument); }

}  // namespace vftrace

#endif
