/* Memory over time by path: 64 MiB from the beginning, 60 MiB that accumulate, and 40 MiB that come
 * and go, on two threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void* volatile kept[1000];

static void wait_a_while(void) {
    const struct timespec while_ = {0, 2000000};
    nanosleep(&while_, NULL);
}

static void allocate_fields(int i) { kept[i] = malloc(64 << 20); }

static void remember(int i) { kept[i] = malloc(1 << 20); }

static void temporary(void) {
    void* volatile block = malloc(40 << 20);
    wait_a_while();
    free(block);
}

static void* steps(void* begin) {
    for (int i = *(const int*)begin, end = i + 30; i < end; i++) {
        remember(i);
        wait_a_while();
    }
    return NULL;
}

int main(void) {
    static int begin[] = {1, 31};
    pthread_t threads[2];
    allocate_fields(0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, steps, &begin[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 20; i++)
        temporary();
    puts("done");
    return 0;
}
