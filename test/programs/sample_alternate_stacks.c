/* Alternate signal stacks that are too small for any handler, are freed or are unmapped while the
 * kernel still knows them: harmless as long as no signal comes that asks for them. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "spin.h"

static void use(void* stack, size_t bytes) {
    stack_t wanted = {.ss_sp = stack, .ss_size = bytes}, now;
    if (sigaltstack(&wanted, NULL) != 0 || sigaltstack(NULL, &now) != 0 || now.ss_sp != stack ||
        now.ss_size != bytes)
        perror("sigaltstack");
}

static size_t changed(const unsigned char* memory, size_t bytes) {
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += memory[i] != 0xab;
    return count;
}

__attribute__((noinline)) void is_small(void) {
    enum { below = 16384, size = 2048 };
    unsigned char* memory = malloc(below + size);
    memset(memory, 0xab, below + size);
    use(memory + below, size);
    spin(0.05);
    printf("small: %zu bytes changed\n", changed(memory, below + size));
}

__attribute__((noinline)) void is_freed(void) {
    enum { size = 16384 };
    void* stack = malloc(size);
    use(stack, size);
    free(stack);
    unsigned char* memory = malloc(size); /* reused for something else */
    memset(memory, 0xab, size);
    spin(0.05);
    printf("freed: %zu bytes changed\n", changed(memory, size));
}

__attribute__((noinline)) void is_unmapped(void) {
    enum { size = 65536 };
    void* stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    use(stack, size);
    munmap(stack, size);
    spin(0.05);
    printf("unmapped: fine\n");
}

static char own_stack[65536];
static int on_own_stack;

static void handler(int number) {
    char here;
    (void)number;
    on_own_stack = &here >= own_stack && &here < own_stack + sizeof own_stack;
}

__attribute__((noinline)) void is_good(void) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    use(own_stack, sizeof own_stack);
    sigaction(SIGUSR1, &action, NULL);
    spin(0.05);
    raise(SIGUSR1);
    printf("good: the handler runs on it: %d\n", on_own_stack);
}

/* Goes deep into its stack of 16 KiB, or of the minimum size. */
__attribute__((noinline)) static int fill(int bytes) {
    volatile char part[1024];
    part[0] = part[1023] = (char)bytes;
    if (bytes > 1024)
        return fill(bytes - 1024) + part[0];
    spin(0.05);
    return part[1023];
}

static void* in_small_thread(void* unused) {
    fill(7 * 1024);
    return unused;
}

static void* spin_for_ever(void* unused) {
    for (;;)
        spin(0.05);
    return unused;
}

static void run_small_thread(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384);
    if (pthread_create(&thread, &attributes, in_small_thread, NULL) == 0)
        pthread_join(thread, NULL);
    puts("a thread with a small stack: fine");
}

int main(void) {
    pthread_t thread;
    run_small_thread();
    is_good();
    is_small();
    is_freed();
    run_small_thread();
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, spin_for_ever, NULL);
    is_unmapped();
    return 0; /* with a missing stack, and running threads */
}
