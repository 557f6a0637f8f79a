// Regions, epochs and counters of a simulated machine, as the words of the command line say:
//     +NAME  -NAME    a region begins, ends
//     hint=NUMBER:NAME
//     epoch           an epoch begins
//     MILLISECONDS    work for this time
//     FILE=TEXT       the file gets this text; without TEXT it is removed
//     fork            a child of fork continues, and its parent waits for it
//     thread          a further thread does the rest
//     threads         two threads do the rest, each all of it
//     kill            by SIGKILL
// Words that begin with "R:" are only for rank R of a launcher.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <vftrace.h>

#include "work_for.h"

// Replaces the contents in one step, as the kernel does.
static void set_file(const char* path, const char* text) {
    char other[4096];
    if (*text == '\0') {
        unlink(path);
        return;
    }
    FILE* file = fopen(path, "r+");
    if (file == NULL)
        file = fopen(path, "w");
    snprintf(other, sizeof other, "%-20s\n", text);
    fputs(other, file);
    fclose(file);
}

static char** words;

static void* do_words(void* first) {
    for (char** word = first; *word != NULL; word++) {
        const char* rest = strchr(*word, '=');
        if (**word == '+')
            vftrace_region_begin(*word + 1);
        else if (**word == '-')
            vftrace_region_end(*word + 1);
        else if (strncmp(*word, "hint=", 5) == 0)
            vftrace_region_hint(strchr(*word, ':') + 1, (enum vftrace_hint)atoi(rest + 1));
        else if (strcmp(*word, "epoch") == 0)
            vftrace_epoch();
        else if (strcmp(*word, "kill") == 0)
            kill(getpid(), SIGKILL);
#ifdef WITH_MPI
        else if (strcmp(*word, "barrier") == 0)
            MPI_Barrier(MPI_COMM_WORLD);
#endif
        else if (strcmp(*word, "fork") == 0) {
            const pid_t child = fork();
            if (child != 0) {
                waitpid(child, NULL, 0);
                return NULL;
            }
        } else if (strncmp(*word, "thread", 6) == 0) {
            pthread_t threads[2];
            const int count = strcmp(*word, "threads") == 0 ? 2 : 1;
            for (int i = 0; i < count; i++)
                pthread_create(&threads[i], NULL, do_words, word + 1);
            for (int i = 0; i < count; i++)
                pthread_join(threads[i], NULL);
            return NULL;
        } else if (rest != NULL) {
            char path[4096];
            snprintf(path, sizeof path, "%.*s", (int)(rest - *word), *word);
            set_file(path, rest + 1);
        } else {
            work_for(1e-3 * atof(*word));
        }
    }
    return NULL;
}

int main(int argc, char** argv) {
    const char* rank = "";
#ifdef WITH_MPI
    char own_rank[20];
    int number;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    snprintf(own_rank, sizeof own_rank, "%d", number);
    rank = own_rank;
#endif
    words = calloc((size_t)argc + 1, sizeof *words);
    for (int i = 1, count = 0; i < argc; i++) {
        const char* colon = argv[i][1] == ':' ? argv[i] + 1 : NULL;
        if (colon == NULL)
            words[count++] = argv[i];
        else if (strncmp(argv[i], rank, 1) == 0)
            words[count++] = argv[i] + 2;
    }
    do_words(words);
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    puts("done");
    return 0;
}
