/* Programs with one fault each, or none: planted FAULT [SCALE]. With MPI if it is compiled with
   -DWITH_MPI, with OpenMP if it is compiled with -fopenmp. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#define KEPT __attribute__((noinline))

static double scale = 1;
static __thread volatile double value = 1;

KEPT static void work(long steps) {
    for (long i = 0; i < steps; i++)
        value = value * 0.999999 + 1e-9;
}

enum { ms = 250000 }; /* steps of work, about */

static void wait_ms(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

KEPT static void compute(void) {
    for (int i = 0; i < 100 * scale; i++)
        work(10 * ms);
}

KEPT static void small_io(void) {
    int file = open("/dev/null", O_WRONLY);
    for (long i = 0; i < 4000000 * scale; i++)
        if (write(file, "x", 1) != 1)
            abort();
    close(file);
}

KEPT static void page_faults(void) {
    for (int i = 0; i < 200 * scale; i++) {
        size_t size = 16 << 20;
        char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (size_t at = 0; at < size; at += 4096)
            memory[at] = 1;
        munmap(memory, size);
    }
}

KEPT static void sleeps(void) {
    for (int i = 0; i < 100 * scale; i++)
        wait_ms(10);
}

static void* compute_in_thread(void* nothing) {
    compute();
    return nothing;
}

KEPT static void many_threads(void) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, compute_in_thread, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

#ifdef _OPENMP
KEPT static void omp_even(void) {
    for (int i = 0; i < 20 * scale; i++) {
#pragma omp parallel for schedule(static) num_threads(2)
        for (int k = 0; k < 100; k++)
            work(ms);
    }
}

KEPT static void omp_uneven(void) {
    for (int i = 0; i < 20 * scale; i++) {
#pragma omp parallel for schedule(static) num_threads(2)
        for (int k = 0; k < 100; k++)
            work(k < 50 ? ms / 4 : 2 * ms);
    }
}

KEPT static void omp_serial(void) {
    for (int i = 0; i < 20 * scale; i++) {
        work(50 * ms);
#pragma omp parallel for schedule(static) num_threads(2)
        for (int k = 0; k < 20; k++)
            work(ms);
    }
}

KEPT static void omp_lock(void) {
    for (int i = 0; i < 20 * scale; i++) {
#pragma omp parallel for schedule(static) num_threads(2)
        for (int k = 0; k < 50; k++) {
#pragma omp critical
            work(ms);
        }
    }
}
#endif

#ifdef WITH_MPI
static int rank, ranks;

static void all_reduce(void) {
    double one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

KEPT static void mpi_even(void) {
    for (int i = 0; i < 50 * scale; i++) {
        work(20 * ms);
        all_reduce();
    }
}

KEPT static void mpi_uneven(void) {
    for (int i = 0; i < 50 * scale; i++) {
        work(rank == ranks - 1 ? 40 * ms : 10 * ms);
        all_reduce();
    }
}

KEPT static void mpi_in_turn(void) {
    for (int i = 0; i < 50 * scale; i++) {
        work(i % ranks == rank ? 30 * ms : 2 * ms);
        all_reduce();
    }
}

KEPT static void mpi_late_sender(void) {
    char byte = 0;
    for (int i = 0; i < 50 * scale; i++) {
        work(rank == 0 ? 30 * ms : 5 * ms);
        for (int other = 1; rank == 0 && other < ranks; other++)
            MPI_Send(&byte, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        if (rank > 0)
            MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
#endif

static const struct {
    const char* name;
    void (*run)(void);
} faults[] = {
#ifdef WITH_MPI
    {"mpi_even", mpi_even},
    {"mpi_uneven", mpi_uneven},
    {"mpi_in_turn", mpi_in_turn},
    {"mpi_late_sender", mpi_late_sender},
#elif defined(_OPENMP)
    {"omp_even", omp_even},
    {"omp_uneven", omp_uneven},
    {"omp_serial", omp_serial},
    {"omp_lock", omp_lock},
#else
    {"compute", compute}, {"small_io", small_io},         {"page_faults", page_faults},
    {"sleeps", sleeps},   {"many_threads", many_threads},
#endif
};

int main(int count, char** arguments) {
#ifdef WITH_MPI
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
    if (count > 2)
        scale = atof(arguments[2]);
    int status = 2;
    for (size_t i = 0; count > 1 && i < sizeof faults / sizeof *faults; i++)
        if (strcmp(faults[i].name, arguments[1]) == 0) {
            faults[i].run();
            status = 0;
        }
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return status;
}
