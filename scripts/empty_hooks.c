/* Hooks for shared libraries, which may be loaded by programs without vftrace: they jump to those
   of vftrace if it is loaded when the library is initialised, and do nothing until then.

   Each library has its own hidden hooks, so that a version script or -Bsymbolic does not hide
   vftrace from it, and so that functions that the dynamic linker calls during relocation (resolvers
   of ifunc and target_clones) find hooks. Each hook is one instruction in the form of a linkage
   table entry, which patch/hook_sites.cpp recognises. See hooks/prologue_hooks.hpp. */

#if defined __x86_64__ && defined __LP64__
__asm__(".weak vftrace_function_entry_hook, vftrace_return_hook\n"
        ".data\n"
        ".balign 8\n"
        "1: .quad 3f\n"
        "2: .quad 3f\n"
        ".text\n"
        ".globl vftrace_function_entry, __return__\n"
        ".hidden vftrace_function_entry, __return__\n"
        ".type vftrace_function_entry, @function\n"
        "vftrace_function_entry: jmp *1b(%rip)\n"
        ".size vftrace_function_entry, .-vftrace_function_entry\n"
        ".type __return__, @function\n"
        "__return__: jmp *2b(%rip)\n"
        ".size __return__, .-__return__\n"
        "3: ret\n"
        /* Changes only rax. */
        "4: movq vftrace_function_entry_hook@GOTPCREL(%rip), %rax\n"
        "testq %rax, %rax\n"
        "je 5f\n"
        "movq %rax, 1b(%rip)\n"
        "movq vftrace_return_hook@GOTPCREL(%rip), %rax\n"
        "movq %rax, 2b(%rip)\n"
        "5: ret\n"
        /* Before the library's own constructors. */
        ".section .init_array.00000, \"aw\", @init_array\n"
        ".balign 8\n"
        ".quad 4b\n"
        ".text\n");
#endif
