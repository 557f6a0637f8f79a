/* A program that hangs on purpose: one rank reads a mesh that another program has yet to write, and
   all others wait for it in the norm of the solution.

       vftrace-mpicc -Og -o hang hang.c -lm
       vftrace run --watchdog=60 -- mpirun -n 4 ./hang

   hang [CULPRIT] [HOW]: the rank that stays behind (default: 2), and what it does: "asleep", in
   read() of a pipe that stays empty (default), "computing", in a loop that never ends, or
   "receives", in MPI_Recv for a message that is never sent. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { cells = 1000, steps = 50 };

static int rank, culprit = 2;
static const char* how = "asleep";
static double solution[cells];

/* Waits for a line that never comes. */
static int wait_for_line(void) {
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        return 0;
    return (int)read(ends[0], &byte, 1);
}

static int search_free_cell(void) {
    volatile int cell = 0;
    while (cell >= 0)
        cell = (cell + 1) % cells;
    return cell;
}

static int receive_boundary(void) {
    double value;
    enum { wrong_tag = 17 };
    MPI_Recv(&value, 1, MPI_DOUBLE, (rank + 1) % 2, wrong_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return (int)value;
}

static int read_mesh(int step) {
    if (rank != culprit || step < steps - 1)
        return 0;
    if (strcmp(how, "computing") == 0)
        return search_free_cell();
    if (strcmp(how, "receives") == 0)
        return receive_boundary();
    return wait_for_line();
}

static void relax(void) {
    for (int i = 1; i + 1 < cells; i++)
        solution[i] = 0.5 * (solution[i - 1] + solution[i + 1]);
}

static double norm(void) {
    double own = 0, all = 0;
    for (int i = 0; i < cells; i++)
        own += solution[i] * solution[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sqrt(all);
}

static double solve(void) {
    for (int i = 0; i < 20; i++)
        relax();
    return norm();
}

int main(int count, char** arguments) {
    double value = 0;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (count > 1)
        culprit = atoi(arguments[1]);
    if (count > 2)
        how = arguments[2];
    solution[0] = 1;
    for (int step = 0; step < steps; step++) {
        read_mesh(step);
        value = solve();
    }
    if (rank == 0)
        printf("norm %g\n", value);
    MPI_Finalize();
    return 0;
}
