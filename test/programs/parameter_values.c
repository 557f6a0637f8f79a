/* Records parameters according to its arguments, in order, and works:
   TYPE:NAME=VALUE (i1 to i8, u1 to u8, f4, f8, f16; plainN: vftrace_parameter with size N), pause,
   resume, work, fork (a child continues, its parent waits for it), thread (does the rest),
   many:COUNT (names p0, p1, ...), threads (four of them, 20 names each), last (after the end of
   main), wait (writes "ready" and waits for a signal). The contents of the variable EARLY are
   recorded in a constructor. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vftrace.h>

__attribute__((noinline)) static void work(void) { __asm__ volatile("" ::: "memory"); }

#define WITHOUT_HOOKS __attribute__((no_instrument_function))

WITHOUT_HOOKS static void record(const char* word) {
    const char* colon = strchr(word, ':');
    const char* equal_sign = strrchr(word, '=');
    char name[1000] = "";
    memcpy(name, colon + 1, (size_t)(equal_sign - colon - 1));
    const char* text = equal_sign + 1;
    union {
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
        float f4;
        double f8;
        long double f16;
        char bytes[32];
    } value = {.bytes = ""};
    size_t size = (size_t)atoi(word + (strncmp(word, "plain", 5) == 0 ? 5 : 1));
    enum vftrace_parameter_type type = *word == 'f'   ? VFTRACE_PARAMETER_REAL
                                       : *word == 'u' ? VFTRACE_PARAMETER_UNSIGNED
                                                      : VFTRACE_PARAMETER_INTEGER;
    if (*word == 'f' && size == 4)
        value.f4 = strtof(text, NULL);
    else if (*word == 'f' && size == 8)
        value.f8 = strtod(text, NULL);
    else if (*word == 'f')
        value.f16 = strtold(text, NULL);
    else if (*word == 'u')
        value.i8 = (int64_t)strtoull(text, NULL, 0);
    else
        value.i8 = strtoll(text, NULL, 0);
    if (strncmp(word, "plain", 5) == 0)
        vftrace_parameter(&value, size, name);
    else
        vftrace_parameter_typed(&value, size, name, type);
}

__attribute__((constructor)) WITHOUT_HOOKS static void early(void) {
    if (getenv("EARLY"))
        record(getenv("EARLY"));
}

WITHOUT_HOOKS static void last(void) { record("i4:last=1"); }

static void* record_20(void* argument) {
    for (int i = 0; i < 20; i++) {
        char word[40];
        snprintf(word, sizeof word, "i4:t%d_%d=%d", *(int*)argument, i, i);
        record(word);
    }
    return NULL;
}

static void record_on_four_threads(void) {
    pthread_t threads[4];
    int numbers[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, record_20, &numbers[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void do_words(char** words);

static void* go_on(void* words) {
    do_words(words);
    return NULL;
}

static void do_words(char** words) {
    for (; *words; words++) {
        const char* word = *words;
        if (strcmp(word, "pause") == 0) {
            vftrace_pause();
        } else if (strcmp(word, "resume") == 0) {
            vftrace_resume();
        } else if (strcmp(word, "work") == 0) {
            work();
        } else if (strcmp(word, "threads") == 0) {
            record_on_four_threads();
        } else if (strcmp(word, "last") == 0) {
            atexit(last);
        } else if (strcmp(word, "null") == 0) {
            vftrace_parameter(NULL, 4, "null");
            vftrace_parameter(word, 4, NULL);
        } else if (strcmp(word, "wait") == 0) {
            FILE* ready = fopen("ready", "w");
            fclose(ready);
            pause();
        } else if (strcmp(word, "fork") == 0) {
            const pid_t child = fork();
            if (child > 0) {
                waitpid(child, NULL, 0);
                return;
            }
        } else if (strcmp(word, "thread") == 0) {
            pthread_t thread;
            pthread_create(&thread, NULL, go_on, words + 1);
            pthread_join(thread, NULL);
            return;
        } else if (strncmp(word, "many:", 5) == 0) {
            for (int i = 0; i < atoi(word + 5); i++) {
                char many[40];
                snprintf(many, sizeof many, "i4:p%d=%d", i, i);
                record(many);
            }
        } else {
            record(word);
        }
    }
}

int main(int argc, char** argv) {
    (void)argc;
    do_words(argv + 1);
    puts("done");
    return 0;
}
