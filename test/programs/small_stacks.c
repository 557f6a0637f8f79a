// Threads with small stacks, and a handler of signals on an alternate stack of SIGSTKSZ's
// traditional 8 KiB, of which the kernel itself takes 3 if the processor has wide registers.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

enum { page = 4096, alternate_size = 8192, thread_stack = 16384 + 4096 };

static volatile int handled;

__attribute__((noinline)) static int leaf(int number) {
    __asm__ volatile("");
    return number + 1;
}

__attribute__((noinline)) static int middle(int number) {
    int result = leaf(number);
    __asm__ volatile("");
    return result + 1;
}

__attribute__((noinline)) static void handle(int signal) { handled += middle(signal) > 0; }

static void* raise_signals(void* alternate) {
    stack_t stack = {.ss_sp = alternate, .ss_size = alternate_size};
    if (sigaltstack(&stack, NULL) != 0)
        return NULL;
    for (int i = 0; i < 100; i++) {
        raise(SIGUSR1);
        middle(i);
    }
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, thread_stack);
    for (int i = 0; i < 3; i++) {
        // Below the stack is a page that cannot be written.
        char* memory =
            mmap(NULL, page + alternate_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(memory + page, alternate_size, PROT_READ | PROT_WRITE);
        pthread_t thread;
        if (pthread_create(&thread, &attributes, raise_signals, memory + page) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    printf("%d\n", handled);
    return 0;
}
