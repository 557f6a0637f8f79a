/* Becomes a daemon that closes all descriptors and changes to another directory: by daemon(), or
 * "fork_daemon twice": by two forks. It works until the pipe that is its standard input ends. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

FUNCTION void before(void) { __asm__ volatile(""); }
FUNCTION void work(void) { __asm__ volatile(""); }
FUNCTION void fork_and_leave(void) {
    pid_t child = fork();
    if (child != 0)
        _exit(child < 0);
}

int main(int count, char** arguments) {
    char byte;
    before();
    int kept = dup(0);
    if (count > 1 && strcmp(arguments[1], "twice") == 0) {
        fork_and_leave();
        setsid();
        fork_and_leave();
        umask(0);
        if (chdir("/") != 0)
            return 1;
    } else if (daemon(0, 0) != 0) {
        return 1;
    }
    for (int descriptor = 0; descriptor < 256; descriptor++)
        if (descriptor != kept)
            close(descriptor);
    for (int i = 0; i < 7; i++)
        work();
    while (read(kept, &byte, 1) > 0)
        ;
    return 0;
}
