/* Continues as another program, or as itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char** environ;
__attribute__((noinline)) static void work(void) {
    static volatile int sink;
    sink++;
}
static void* thread(void* path) {
    work();
    execl(path, "echo", "from a thread", (char*)0);
    return 0;
}
int main(int count, char** arguments) {
    const char* how = arguments[1];
    char* echo[] = {"echo", (char*)how, "done", 0};
    char* only[] = {"END_EXEC=yes", 0};
    (void)count;
    for (int i = 0; i < 3; i++)
        work();
    printf("%s\n", how);
    fflush(stdout);
    if (!strcmp(how, "execl"))
        execl("/bin/echo", "echo", how, "done", (char*)0);
    if (!strcmp(how, "execlp"))
        execlp("echo", "echo", how, "done", (char*)0);
    if (!strcmp(how, "execle"))
        execle("/bin/sh", "sh", "-c", "echo $END_EXEC", (char*)0, only);
    if (!strcmp(how, "execv"))
        execv("/bin/echo", echo);
    if (!strcmp(how, "execvp"))
        execvp("echo", echo);
    if (!strcmp(how, "execvpe"))
        execvpe("echo", echo, environ);
    if (!strcmp(how, "execve"))
        execve("/bin/echo", echo, environ);
    if (!strcmp(how, "fexecve"))
        fexecve(open("/bin/echo", O_RDONLY | O_CLOEXEC), echo, environ);
    if (!strcmp(how, "execveat"))
        execveat(open("/bin", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "echo", echo, environ, 0);
    if (!strcmp(how, "itself")) {
        char* again[] = {arguments[0], "execl", 0};
        execv("/proc/self/exe", again);
    }
    if (!strcmp(how, "thread")) {
        pthread_t other;
        pthread_create(&other, 0, thread, "/bin/echo");
        pthread_join(other, 0);
    }
    if (!strcmp(how, "many")) { /* tries paths that do not exist */
        execv("/nonexistent/echo", echo);
        printf("%s\n", strerror(errno));
        execv("/bin", echo);
        printf("%s\n", strerror(errno));
        execv("/etc/passwd", echo);
        printf("%s\n", strerror(errno));
        execvp("", echo);
        printf("%s\n", strerror(errno));
        fexecve(-1, echo, environ);
        printf("%s\n", strerror(errno));
    }
    if (!strcmp(how, "not a program")) { /* the file exists but cannot be run */
        char name[] = "end_exec_XXXXXX";
        int file = mkstemp(name);
        fchmod(file, 0700);
        if (write(file, "\177ELF rubbish", 12) != 12)
            return 1;
        close(file);
        execv(name, echo);
        printf("%s\n", strerror(errno));
        remove(name);
        work();
    }
    return 7;
}
