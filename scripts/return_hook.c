/* The executable's way to the hook of epilogues, which gcc calls only by its name. A call through
   the linkage table might come too early: resolvers of the executable may return before the dynamic
   linker has filled it. See hooks/prologue_hooks.hpp. */

#if defined __x86_64__ && defined __LP64__
__asm__(".text\n"
        ".globl __return__\n"
        ".hidden __return__\n"
        ".type __return__, @function\n"
        "__return__: jmp *vftrace_return_hook@GOTPCREL(%rip)\n"
        ".size __return__, .-__return__\n");
#endif
