/* Hooks that do nothing, for shared libraries that are loaded by programs without vftrace: where
   there is vftrace, it comes first. See hooks/prologue_hooks.hpp. */

#if defined __x86_64__ && defined __LP64__
__asm__(".text\n"
        ".weak vftrace_function_entry\n"
        ".type vftrace_function_entry, @function\n"
        "vftrace_function_entry: ret\n"
        ".size vftrace_function_entry, .-vftrace_function_entry\n"
        ".weak __return__\n"
        ".type __return__, @function\n"
        "__return__: ret\n"
        ".size __return__, .-__return__\n");
#endif
