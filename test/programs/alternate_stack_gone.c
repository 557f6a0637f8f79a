/* Gets a signal (its number is the argument) when the alternate stack of main is gone but still
   known to the kernel: harmless, because its handlers do not ask for that stack. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((noinline)) int work(int turns) {
    volatile int sum = 0;
    for (int i = 0; i < turns; i++)
        sum += i;
    return sum;
}

int main(int count, char** arguments) {
    enum { size = 65536 };
    int freed = count > 2;
    stack_t stack = {.ss_size = size};
    stack.ss_sp =
        freed ? malloc(size)
              : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&stack, NULL);
    work(1000);
    if (!freed) {
        munmap(stack.ss_sp, size);
    } else { /* and used for something else */
        free(stack.ss_sp);
        unsigned char* memory = malloc(size);
        memset(memory, 0xab, size);
        raise(atoi(arguments[1]));
        for (int i = 0; i < size; i++)
            if (memory[i] != 0xab)
                return 1;
        puts("nothing has changed");
        return 0;
    }
    raise(atoi(arguments[1]));
    return 0;
}
