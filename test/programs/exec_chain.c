/* exec_chain NEXT...: works, and continues as its next argument: a path of a program, "again"
   for itself, "nothing" for a file that cannot be executed, "child" for itself in a child of fork.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;
__attribute__((noinline)) static void work(void) { sink++; }

static void fail_to_execute(char** arguments) {
    int file = open("rubbish", O_CREAT | O_WRONLY | O_TRUNC, 0700);
    if (write(file, "\177ELF rubbish", 12) != 12)
        return;
    close(file);
    execv("./rubbish", arguments);
    printf("%s\n", strerror(errno));
    remove("rubbish");
}

int main(int count, char** arguments) {
    for (int i = 0; i < count; i++) /* a different number for each program */
        work();
    printf("%d\n", count);
    fflush(stdout);
    if (count > 1 && !strcmp(arguments[1], "nothing")) {
        fail_to_execute(arguments);
        for (int i = 0; i < 100; i++)
            work();
        arguments[1] = arguments[0];
        arguments++;
        count--;
    }
    if (count == 1)
        return 4;
    int child = !strcmp(arguments[1], "child");
    if (child && fork() > 0) {
        int status;
        wait(&status);
        return WEXITSTATUS(status);
    }
    const char* path = child || !strcmp(arguments[1], "again") ? "/proc/self/exe" : arguments[1];
    const char* name = strrchr(path, '/') + 1;
    arguments[1] = *path == '/' && !strcmp(name, "exe") ? arguments[0] : arguments[1];
    execv(path, arguments + 1);
    return 9;
}
