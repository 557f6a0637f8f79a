// Threads call functions without pause while the calls of their hooks are removed and restored, and
// signal handlers with hooks interrupt them. Arguments: rounds of each thread, threads. Prints the
// calls that reached the hooks in each state.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <sys/time.h>

#include "patch_work.hpp"

static long expected[64];
static int rounds;
static int running;

NOT_INSTRUMENTED static void pause_us(long us) {
    timespec time = {0, us * 1000};
    nanosleep(&time, nullptr);
}

static volatile int handled;
static void handler(int) { handled = handled + work::leaf(handled & 1); }

NOT_INSTRUMENTED static void send_signals(long every_us) {
    signal(SIGALRM, handler);
    itimerval timer = {{0, every_us}, {0, every_us}};
    setitimer(ITIMER_REAL, &timer, nullptr);
}

NOT_INSTRUMENTED static void* worker(void*) {
    long wrong = 0;
    for (int i = 0; i < rounds; i++)
        wrong += patch_work(i & 63, (i & 1023) < 4) -
                     ((i & 1023) < 4 ? 1001 + 1 + ((i & 63) + 1) / 2 * 2 : 0) !=
                 expected[i & 63];
    __atomic_fetch_sub(&running, 1, __ATOMIC_RELAXED);
    return reinterpret_cast<void*>(wrong);
}

NOT_INSTRUMENTED static void hooks_of_one_pass(const char* state) {
    patch_entries();
    patch_exits();
    patch_in_vain();
    for (int x = 0; x < 64; x++)
        patch_work(x, true);
    unsigned long entries = patch_entries(), exits = patch_exits();
    printf("%s: %lu entries, %lu exits, %lu in vain\n", state, entries, exits,
           static_cast<unsigned long>(patch_in_vain()));
}

NOT_INSTRUMENTED int main(int, char** arguments) {
    rounds = atoi(arguments[1]);
    int threads = running = atoi(arguments[2]);
    for (int x = 0; x < 64; x++)
        expected[x] = patch_work(x, false);
    pthread_t ids[16];
    for (int i = 0; i < threads; i++)
        pthread_create(&ids[i], nullptr, worker, nullptr);
    unsigned long restored = 0;
    send_signals(200);
    while (__atomic_load_n(&running, __ATOMIC_RELAXED) > 0) {
        patch_remove(1);
        pause_us(2000);
        patch_remove(0);
        restored += patch_restore();
        pause_us(50);
    }
    send_signals(0);
    long wrong = 0;
    for (int i = 0; i < threads; i++) {
        void* result;
        pthread_join(ids[i], &result);
        wrong += reinterpret_cast<long>(result);
    }
    printf("%ld wrong\n", wrong);
    fprintf(stderr, "%lu restored, %lu times another thread was at work\n", restored,
            static_cast<unsigned long>(patch_not_now()));
    patch_restore();
    printf("%u removed\n", patch_removed());
    hooks_of_one_pass("in place");
    patch_remove(1);
    hooks_of_one_pass("while removing");
    hooks_of_one_pass("removed");
    patch_remove(0);
    printf("restored: %d\n", patch_removed() == patch_restore());
    hooks_of_one_pass("restored");
    return wrong != 0;
}
