// Ways for a program to end at which the result is written.
#include "parameter.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unistd.h>
static void finish(const char* how, int n) {
    for (int i = 0; i < n; ++i)
        work();
    if (std::strcmp(how, "exit") == 0)
        std::exit(3);
    if (std::strcmp(how, "quick_exit") == 0)
        std::quick_exit(3);
    if (std::strcmp(how, "_exit") == 0)
        _exit(3);
    if (std::strcmp(how, "abort") == 0)
        std::abort();
    if (std::strcmp(how, "throw") == 0)
        throw std::runtime_error("nobody catches this");
    if (std::strcmp(how, "kill") == 0)
        std::raise(SIGTERM);
    if (std::strcmp(how, "fork") == 0 && fork() == 0)
        std::exit(0);
}
int main(int, char** argv) {
    int n = 3;
    PARAMETER(n);
    finish(argv[1], n);
}
