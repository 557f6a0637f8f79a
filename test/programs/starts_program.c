// Starts the program argv[2] in the way that argv[1] names, and returns its status.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const char* base_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int is(const char* way, const char* name) { return strcmp(way, name) == 0; }

int main(int count, char** arguments) {
    if (count < 3)
        return 99;
    const char *way = arguments[1], *program = arguments[2];
    char** words = arguments + 2;
    pid_t child = 0;
    if (is(way, "execve"))
        execve(program, words, environ);
    if (is(way, "execv"))
        execv(program, words);
    if (is(way, "execvp"))  // its folder is in PATH
        execvp(base_name(program), words);
    if (is(way, "execvpe"))
        execvpe(base_name(program), words, environ);
    if (is(way, "execl"))
        execl(program, program, "word", (char*)0);
    if (is(way, "execlp"))
        execlp(base_name(program), program, "word", (char*)0);
    if (is(way, "execle"))
        execle(program, program, "word", (char*)0, environ);
    if (is(way, "fexecve"))
        fexecve(open(program, O_PATH | O_CLOEXEC), words, environ);
    if (is(way, "execveat"))
        execveat(AT_FDCWD, program, words, environ, 0);
    if (is(way, "vfork")) {
        child = vfork();
        if (child == 0) {
            execve(program, words, environ);
            _exit(98);
        }
        // Changes that the child made in our memory are gone.
        const char* list = getenv("LD_PRELOAD");
        if (list && !strstr(list, "libvftrace"))
            return 97;
    }
    if (is(way, "fork") && (child = fork()) == 0) {
        execve(program, words, environ);
        _exit(98);
    }
    if (is(way, "posix_spawn"))
        posix_spawn(&child, program, NULL, NULL, words, environ);
    if (is(way, "posix_spawnp"))
        posix_spawnp(&child, base_name(program), NULL, NULL, words, environ);
    if (is(way, "system"))
        return WEXITSTATUS(system(program));
    return child > 0 ? status_of(child) : 96;
}
