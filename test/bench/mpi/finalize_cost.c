/* Makes 1,110 call paths and some messages, and prints when the last rank was ready to finish.
   The rest of the run is MPI_Finalize and the end of the process. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

/* Three levels of ten functions, each of which calls all of the next level: 10 + 100 + 1,000 paths.
 */
#define DEFINE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define CALL(f)                                                                                    \
    f##0();                                                                                        \
    f##1();                                                                                        \
    f##2();                                                                                        \
    f##3();                                                                                        \
    f##4();                                                                                        \
    f##5();                                                                                        \
    f##6();                                                                                        \
    f##7();                                                                                        \
    f##8();                                                                                        \
    f##9()
#define THIRD(n)                                                                                   \
    static void third_##n(void) {}
#define SECOND(n)                                                                                  \
    static void second_##n(void) { CALL(third_); }
#define FIRST(n)                                                                                   \
    static void first_##n(void) { CALL(second_); }
DEFINE(THIRD)
DEFINE(SECOND)
DEFINE(FIRST)

int main(int argc, char** argv) {
    int data = 0, rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CALL(first_);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &data, 1, MPI_INT,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        printf("%ld.%09ld\n", (long)time.tv_sec, time.tv_nsec);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
