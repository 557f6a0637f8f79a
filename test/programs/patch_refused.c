/* The kernel refuses to change code. Argument: none, file (no writing to /proc/self/mem) or all (no
 * writable code either). */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "patch_hooks.h"

__attribute__((noinline)) int leaf(int x) { return x + 1; }

/* The number of mappings, and the number of those that are writable code. */
NOT_INSTRUMENTED static void print_mappings(const char* when) {
    FILE* maps = fopen("/proc/self/maps", "r");
    char line[512], permissions[8];
    int code = 0, writable_code = 0;
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%*s %7s", permissions) == 1 && permissions[2] == 'x') {
            code++;
            writable_code += permissions[1] == 'w';
        }
    fclose(maps);
    static int code_before;
    if (!code_before)
        code_before = code;
    printf("%s: %d more mappings of code, %d writable\n", when, code - code_before, writable_code);
}

NOT_INSTRUMENTED static void refuse(int all) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, all ? PROT_WRITE : 0, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        printf("no filter: %s\n", strerror(errno));
}

NOT_INSTRUMENTED static void call(const char* when) {
    patch_entries();
    patch_exits();
    int sum = 0;
    errno = 77;
    for (int i = 0; i < 10; i++)
        sum += leaf(i);
    int kept = errno == 77;
    unsigned long entries = patch_entries(), exits = patch_exits(), in_vain = patch_in_vain();
    printf("%s: sum %d, %lu entries, %lu exits, %lu in vain, %d removed, errno %s\n", when, sum,
           entries, exits, in_vain, patch_removed(), kept ? "kept" : "changed");
}

NOT_INSTRUMENTED int main(int count, char** arguments) {
    (void)count;
    print_mappings("before");
    if (strcmp(arguments[1], "none") != 0)
        refuse(strcmp(arguments[1], "all") == 0);
    printf("possible: %d\n", patch_possible((void*)leaf));
    call("in place");
    patch_remove(1);
    call("while removing");
    call("removed");
    print_mappings("removed");
    patch_remove(0);
    printf("restored: %u\n", patch_restore_function((void*)leaf));
    call("restored");
    print_mappings("restored");
    return 0;
}
