/* Runs PROGRAM in every way that a program can start another one: "spawn_programs WAY PROGRAM". */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

extern char** environ;

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION int by_spawn(char* program) {
    pid_t child;
    int status = 0;
    char* arguments[] = {program, NULL};
    if (posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0)
        return 1;
    waitpid(child, &status, 0);
    return status;
}
FUNCTION int by_system(char* program) { return system(program); }
FUNCTION int by_popen(char* program) {
    char text[100] = "";
    FILE* pipe = popen(program, "r");
    if (!fgets(text, sizeof text, pipe))
        puts("no output");
    fputs(text, stdout);
    fflush(stdout);
    return pclose(pipe);
}
FUNCTION int by_fork(char* program) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, (char*)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return status;
}

int main(int count, char** arguments) {
    int status = 0;
    if (count < 3)
        return 2;
    char *way = arguments[1], *program = arguments[2];
    leaf();
    if (strcmp(way, "spawn") == 0)
        status = by_spawn(program);
    else if (strcmp(way, "system") == 0)
        status = by_system(program);
    else if (strcmp(way, "popen") == 0)
        status = by_popen(program);
    else
        status = by_fork(program);
    printf("%d\n", WEXITSTATUS(status));
    leaf();
    return 0;
}
