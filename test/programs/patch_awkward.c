/* Calls of hooks that must stay: their sites belong to several functions, or one byte cannot change
   them. Each line: the name, whether removal is possible, hooks called before and after. */
#include <stdio.h>

#include "patch_hooks.h"

void __cyg_profile_func_enter(void*, void*);
void __cyg_profile_func_exit(void*, void*);

/* One call site for all functions: another tool passes on its arguments. */
__attribute__((noinline)) NOT_INSTRUMENTED void hand_on(void* function, int enter) {
    if (enter)
        __cyg_profile_func_enter(function, 0);
    else
        __cyg_profile_func_exit(function, 0);
    __asm__ volatile("");
}
void (*volatile enter_pointer)(void*, void*) = __cyg_profile_func_enter;
void (*volatile exit_pointer)(void*, void*) = __cyg_profile_func_exit;
__attribute__((noinline)) NOT_INSTRUMENTED void forwarded(void) {
    hand_on((void*)forwarded, 1);
    hand_on((void*)forwarded, 0);
}
__attribute__((noinline)) NOT_INSTRUMENTED void by_pointer(void) {
    enter_pointer((void*)by_pointer, 0);
    exit_pointer((void*)by_pointer, 0);
    __asm__ volatile("");
}

/* clang ends functions like this: one byte cannot make it a conditional return. */
void conditional(void);
__asm__(".text\n.p2align 4\n.globl conditional\n.type conditional, @function\nconditional:\n"
        ".cfi_startproc\n"
        "push %rbx\n.cfi_adjust_cfa_offset 8\n"
        "lea conditional(%rip), %rdi\nmov 8(%rsp), %rsi\ncall __cyg_profile_func_enter@PLT\n"
        "pop %rbx\n.cfi_adjust_cfa_offset -8\n"
        "lea conditional(%rip), %rdi\nmov (%rsp), %rsi\nxor %eax, %eax\n"
        "jz __cyg_profile_func_exit@PLT\nret\n"
        ".cfi_endproc\n.size conditional, . - conditional\n");

/* The end of this function is unknown because it has no unwind entry. */
void unknown_extent(void);
__asm__(".text\n.p2align 4\n.globl unknown_extent\n.type unknown_extent, @function\n"
        "unknown_extent:\n"
        "push %rbx\nlea unknown_extent(%rip), %rdi\nmov 8(%rsp), %rsi\n"
        "call __cyg_profile_func_enter@PLT\npop %rbx\n"
        "lea unknown_extent(%rip), %rdi\nmov (%rsp), %rsi\njmp __cyg_profile_func_exit@PLT\n"
        ".size unknown_extent, . - unknown_extent\n");

/* Two functions that are inlined here share one call of the exit hook, as clang generates it. */
void inlined_a(void), inlined_b(void);
void merged(int b);
__asm__(".text\n.p2align 4\n.globl inlined_a, inlined_b, merged\n"
        "inlined_a:\n.cfi_startproc\nret\n.cfi_endproc\n"
        "inlined_b:\n.cfi_startproc\nret\n.cfi_endproc\n"
        "merged:\n.cfi_startproc\npush %rbx\n.cfi_adjust_cfa_offset 8\n"
        "mov %edi, %ebx\ntest %ebx, %ebx\njne 1f\n"
        "lea inlined_a(%rip), %rdi\ncall __cyg_profile_func_enter@PLT\n"
        "lea inlined_a(%rip), %rdi\njmp 2f\n"
        "1: lea inlined_b(%rip), %rdi\ncall __cyg_profile_func_enter@PLT\n"
        "lea inlined_b(%rip), %rdi\n"
        "2: xor %esi, %esi\ncall __cyg_profile_func_exit@PLT\n"
        "pop %rbx\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n");
NOT_INSTRUMENTED void merged_a(void) { merged(0); }
NOT_INSTRUMENTED void merged_b(void) { merged(1); }

NOT_INSTRUMENTED static void check(const char* name, void (*function)(void)) {
    patch_entries();
    patch_exits();
    function();
    unsigned long entries = patch_entries(), exits = patch_exits();
    patch_remove(1);
    for (int i = 0; i < 3; i++)
        function();
    patch_remove(0);
    patch_entries();
    patch_exits();
    function();
    unsigned long entries_left = patch_entries(), exits_left = patch_exits();
    printf("%s: possible %d, %lu and %lu, %lu and %lu left\n", name,
           patch_possible((void*)function), entries, exits, entries_left, exits_left);
}

NOT_INSTRUMENTED int main(void) {
    check("forwarded", forwarded);
    check("by_pointer", by_pointer);
    check("conditional", conditional);
    check("unknown_extent", unknown_extent);
    check("merged_a", merged_a);
    check("merged_b", merged_b);
    printf("restored: %u\n", patch_restore());
    return 0;
}
