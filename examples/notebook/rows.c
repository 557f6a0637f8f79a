/* Diffusion on a grid whose rows are shared by MPI processes: evenly, or (argument 1 is "uneven")
 * so that the first process has three quarters of them. profile.ipynb compares the two. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { columns = 2048, steps = 400 };

struct part {
    int rows;
    double *now, *next;
};

static double* at(double* grid, int row) { return grid + (size_t)row * columns; }

static void allocate(struct part* part, int rows) {
    part->rows = rows;
    part->now = calloc((size_t)(rows + 2) * columns, sizeof(double));
    part->next = calloc((size_t)(rows + 2) * columns, sizeof(double));
    if (!part->now || !part->next)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void exchange(struct part* part, int rank, int size) {
    const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int below = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(at(part->now, 1), columns, MPI_DOUBLE, above, 0, at(part->now, part->rows + 1),
                 columns, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(at(part->now, part->rows), columns, MPI_DOUBLE, below, 1, at(part->now, 0),
                 columns, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double stencil(struct part* part) {
    double change = 0;
    for (int row = 1; row <= part->rows; row++) {
        const double *up = at(part->now, row - 1), *here = at(part->now, row),
                     *down = at(part->now, row + 1);
        double* out = at(part->next, row);
        for (int i = 1; i + 1 < columns; i++) {
            out[i] = here[i] + 0.2 * (up[i] + down[i] + here[i - 1] + here[i + 1] - 4 * here[i]);
            change += fabs(out[i] - here[i]);
        }
    }
    return change;
}

static double sum_over_processes(double change) {
    double sum = 0;
    MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static double step(struct part* part, int rank, int size) {
    exchange(part, rank, size);
    const double change = stencil(part);
    double* const old = part->now;
    part->now = part->next;
    part->next = old;
    return sum_over_processes(change);
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int rows = argc > 2 ? atoi(argv[2]) : 1024;
    int mine = rows / size;
    if (argc > 1 && strcmp(argv[1], "uneven") == 0 && size > 1)
        mine = rank == 0 ? rows / 4 * 3 : rows / 4 / (size - 1);
    struct part part;
    allocate(&part, mine);
    if (rank == 0)
        at(part.now, 1)[columns / 2] = 1;
    double change = 0;
    for (int i = 0; i < steps; i++)
        change = step(&part, rank, size);
    if (rank == 0)
        printf("%g\n", change);
    MPI_Finalize();
    return 0;
}
