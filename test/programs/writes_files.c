// Writes numbers into files: pairs of file and text, where "-" removes the file. "wait": waits
// until it is killed; "descriptor": prints the descriptor of the next file, and errno.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

static void write_file(const char* path, const char* text) {
    if (strcmp(text, "-") == 0) {
        remove(path);
        return;
    }
    FILE* file = fopen(path, "w");
    fprintf(file, "%s\n", text);
    fclose(file);
}

int main(int argc, char** argv) {
    int rank = 0;
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    errno = 0;
    for (int i = 1; i + 1 < argc && rank == 0; i += 2)
        write_file(argv[i], argv[i + 1]);
    if (argc == 2 && strcmp(argv[1], "descriptor") == 0) {
        usleep(50000);
        printf("%d %d\n", errno, open("/dev/null", O_RDONLY));
    }
    if (argc == 2 && strcmp(argv[1], "wait") == 0) {
        usleep(100000);
        puts("waiting");
        fflush(stdout);
        pause();
    }
#ifdef WITH_MPI
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
#endif
    return 0;
}
