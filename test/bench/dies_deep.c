/* Kills itself deep in its calls, on one of a few paths, like a process of a hung job. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int calls;

#define FUNCTION(name, next)                                                                       \
    void name(int number) {                                                                        \
        calls++;                                                                                   \
        next(number);                                                                              \
        calls++;                                                                                   \
    }

void wait_for_others(int number) {
    kill(getpid(), SIGKILL);
    (void)number;
}
void read_mesh(int number) {
    kill(getpid(), SIGKILL);
    (void)number;
}
void choose(int number) {
    if (number == 203)
        read_mesh(number);
    else
        wait_for_others(number);
}
FUNCTION(norm, choose)
FUNCTION(solve, norm)
FUNCTION(iterate, solve)

void some_work(int number) { calls += number; }

int main(int count, char** arguments) {
    (void)count;
    for (int i = 0; i < 100; i++)
        some_work(i);
    iterate(atoi(arguments[1]));
    return 0;
}
