/* Destructors of pthread keys that call instrumented functions, some of them twice; in threads that
 * called something before, and in threads that call nothing but the destructor. */
#include <pthread.h>
#include <stdio.h>
#define FUNCTION __attribute__((noinline)) static

enum { threads = 3 };
static pthread_key_t once, twice;

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void destroy_once(void* value) {
    (void)value;
    leaf();
}
FUNCTION void destroy_twice(void* value) {
    leaf();
    if (*(char*)value == '2')
        pthread_setspecific(twice, "1");
}
FUNCTION void* worker(void* unused) {
    pthread_setspecific(once, "x");
    pthread_setspecific(twice, "2");
    leaf();
    return unused;
}
__attribute__((no_instrument_function)) static void* silent(void* unused) {
    pthread_setspecific(once, "x");
    return unused;
}

int main(void) {
    pthread_key_create(&once, destroy_once);
    pthread_key_create(&twice, destroy_twice);
    for (int i = 0; i < 2 * threads; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, i < threads ? worker : silent, NULL);
        pthread_join(thread, NULL);
    }
    puts("done");
    return 0;
}
