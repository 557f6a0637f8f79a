/* Sections with live messages, of which some are open until the standard input ends: for vftrace
   top. "fork": a child is in them instead. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vftrace/sections.h>

static void wait_for_the_end(void) {
    char byte;
    puts("open");
    fflush(stdout);
    while (read(0, &byte, 1) > 0)
        ;
}

int main(int argc, char** argv) {
    char long_message[1001];
    memset(long_message, 'm', sizeof long_message - 1);
    long_message[sizeof long_message - 1] = '\0';
    const vftrace_section* read_mesh =
        vftrace_section_register("read_mesh", 1, "Reading the mesh", 1);
    const vftrace_section* solve = vftrace_section_register("solve", 1, "Solving", 1);
    const vftrace_section* inner = vftrace_section_register("inner", 2, 0, 1);
    const vftrace_section* norm = vftrace_section_register("norm", 3,
                                                           "\xc3\x9c"
                                                           "ber\nall",
                                                           0);
    const vftrace_section* last = vftrace_section_register("last", 6, long_message, 1);
    vftrace_section_begin(read_mesh);
    vftrace_section_end(read_mesh);
    vftrace_section_begin(solve);
    vftrace_section_begin(inner);
    const pid_t child = argc > 1 && strcmp(argv[1], "fork") == 0 ? fork() : 0;
    if (child == 0) {
        vftrace_section_begin(norm);
        vftrace_section_begin(last);
        wait_for_the_end();
        vftrace_section_end(last);
        vftrace_section_end(norm);
    } else {
        waitpid(child, NULL, 0);
    }
    vftrace_section_end(inner);
    vftrace_section_end(solve);
    return 0;
}
