#include "hooks/kept_registers.hpp"

#if defined(__x86_64__) && defined(__LP64__)

// Bits of XCR0 and of the mask of XSAVE (Intel SDM, volume 1, chapter 13): 1 SSE, 2 AVX, 5 to 7
// AVX-512. The x87 state is left out, because nothing here uses it. Save area: 512 bytes, a header
// of 64, and up to byte 2688 for AVX-512. XSAVE and XRSTOR include MXCSR, which the program may
// have changed.
//
// -1: not determined yet; 0: no XSAVE, so only what FXSAVE saves.
asm(R"(
    .local vftrace_vector_components
    .data
    .balign 4
vftrace_vector_components:
    .long -1

    .text
    .globl vftrace_call_keeping_general_registers
    .hidden vftrace_call_keeping_general_registers
    .type vftrace_call_keeping_general_registers, @function
vftrace_call_keeping_general_registers:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    andq $-16, %rsp
    call *%rax
    movq -8(%rbp), %rax
    movq -16(%rbp), %rcx
    movq -24(%rbp), %rdx
    movq -32(%rbp), %rsi
    movq -40(%rbp), %rdi
    movq -48(%rbp), %r8
    movq -56(%rbp), %r9
    movq -64(%rbp), %r10
    movq -72(%rbp), %r11
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size vftrace_call_keeping_general_registers, .-vftrace_call_keeping_general_registers

    .globl vftrace_call_keeping_vector_registers
    .hidden vftrace_call_keeping_vector_registers
    .type vftrace_call_keeping_vector_registers, @function
vftrace_call_keeping_vector_registers:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $2688, %rsp
    andq $-64, %rsp
    movq %rax, %r11
    movq %rdx, %r10
    movl vftrace_vector_components(%rip), %eax
    testl %eax, %eax
    js 3f
1:  jz 4f
    xorl %edx, %edx
    movq %rdx, 512(%rsp)
    movq %rdx, 520(%rsp)
    movq %rdx, 528(%rsp)
    movq %rdx, 536(%rsp)
    movq %rdx, 544(%rsp)
    movq %rdx, 552(%rsp)
    movq %rdx, 560(%rsp)
    movq %rdx, 568(%rsp)
    xsave64 (%rsp)
    movq %r10, %rdx
    call *%r11
    movq %rax, %r11
    movl vftrace_vector_components(%rip), %eax
    xorl %edx, %edx
    xrstor64 (%rsp)
2:  movq %r11, %rax
    leave
    .cfi_remember_state
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_restore_state

3:  pushq %rbx
    pushq %rcx
    movl $1, %eax
    cpuid
    xorl %eax, %eax
    btl $27, %ecx
    jnc 5f
    xorl %ecx, %ecx
    xgetbv
    andl $0xe6, %eax
5:  movl %eax, vftrace_vector_components(%rip)
    popq %rcx
    popq %rbx
    testl %eax, %eax
    jmp 1b

4:  fxsave64 (%rsp)
    movq %r10, %rdx
    call *%r11
    movq %rax, %r11
    fxrstor64 (%rsp)
    jmp 2b
    .cfi_endproc
    .size vftrace_call_keeping_vector_registers, .-vftrace_call_keeping_vector_registers
)");

#endif
