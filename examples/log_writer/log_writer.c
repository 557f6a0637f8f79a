/* Two threads simulate measurements and write each result to a log, which they lock meanwhile.
 * With the argument "later", they collect the results and write them when the work is done. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { threads = 2, results = 1000 };

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int log_file, at_once = 1;
static char lines[threads][results][64];

/* Not inlined, so that each has a row of its own, as the larger functions of other programs have.
 */
#define FUNCTION static __attribute__((noinline))

FUNCTION double simulate(int thread, int number) {
    double x = thread + 1;
    for (int i = 0; i < 60000; i++)
        x = 3.9 * (x / 10) * (1 - x / 10) * 10 / 1.1 + number * 1e-9;
    return x;
}

/* Returns when the line is on the disk. */
FUNCTION void store(const char* line) {
    if (write(log_file, line, strlen(line)) < 0)
        perror("log");
    fsync(log_file);
}

FUNCTION void log_result(const char* line) {
    pthread_mutex_lock(&log_lock);
    store(line);
    pthread_mutex_unlock(&log_lock);
}

static void* measure(void* argument) {
    const int thread = *(int*)argument;
    for (int i = 0; i < results; i++) {
        char* line = lines[thread][i];
        snprintf(line, sizeof lines[0][0], "%d %d %.6f\n", thread, i, simulate(thread, i));
        if (at_once)
            log_result(line);
    }
    return 0;
}

int main(int count, char** arguments) {
    pthread_t thread[threads];
    int number[threads];
    at_once = count < 2 || strcmp(arguments[1], "later") != 0;
    log_file = open("log_writer.txt", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (int i = 0; i < threads; i++) {
        number[i] = i;
        pthread_create(&thread[i], 0, measure, &number[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], 0);
    for (int i = 0; !at_once && i < threads; i++)
        for (int k = 0; k < results; k++)
            if (write(log_file, lines[i][k], strlen(lines[i][k])) < 0)
                perror("log");
    fsync(log_file);
    puts("done");
    return 0;
}
