/* Starts the program after "--" in its arguments, and waits for it. Its own name and other
 * arguments can be anything: those of a launcher, for example. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** arguments) {
    int first = 1;
    while (first < count && strcmp(arguments[first], "--") != 0)
        first++;
    if (first + 1 >= count)
        return 99;
    pid_t child = fork();
    if (child == 0) {
        execv(arguments[first + 1], arguments + first + 1);
        _exit(98);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}
