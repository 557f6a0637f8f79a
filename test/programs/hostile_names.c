/* Everything that this program names has characters that terminals obey, given by -DTEXT. Calls the
 * function NAME, of which the test replaces the letters in the executable, for ever, or, with an
 * argument, once. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <vftrace.h>

static volatile int sum;

void NAME(void) {
    vftrace_region_begin(TEXT " region");
    for (int i = 0; i < 1000; i++)
        sum += i;
    usleep(1000);
    vftrace_region_end(TEXT " region");
}

static void* call_it(void* once) {
    pthread_setname_np(pthread_self(), "\033[31m\nFORGED");
    do
        NAME();
    while (!once);
    return NULL;
}

int main(int argc, char** argv) {
    (void)argv;
    void* const once = argc > 1 ? &once : NULL;
    const int value = 1;
    vftrace_parameter_typed(&value, sizeof value, TEXT " parameter", VFTRACE_PARAMETER_INTEGER);
    NAME();
    puts("started");
    fflush(stdout);
    pthread_t thread;
    pthread_create(&thread, NULL, call_it, once);
    call_it(once);
    return pthread_join(thread, NULL);
}
