/* Heat spreads in a square: each point becomes the mean of itself and its four neighbours, again
   and again, by the threads of OpenMP.

       vftrace-cc -O2 -g -fopenmp diffusion.c -o diffusion
       OMP_PROC_BIND=spread vftrace run --memory ./diffusion

   On a machine with several memory nodes (NUMA), half of the accesses go to the other node: one
   thread fills both grids. With an argument, each thread fills the rows that it works on later. */
#include <stdio.h>
#include <stdlib.h>

enum { size = 2000, steps = 200 };

static double* make_grid(int each_thread_fills) {
    double* grid = malloc((size_t)size * size * sizeof *grid);
    if (!grid)
        exit(1);
#pragma omp parallel for schedule(static) if (each_thread_fills)
    for (int row = 0; row < size; row++)
        for (int column = 0; column < size; column++)
            grid[(size_t)row * size + column] = row < size / 2 ? 1.0 : 0.0;
    return grid;
}

static void step(const double* from, double* to) {
#pragma omp parallel for schedule(static)
    for (int row = 1; row < size - 1; row++)
        for (int column = 1; column < size - 1; column++) {
            const double* point = from + (size_t)row * size + column;
            to[(size_t)row * size + column] =
                (point[0] + point[-1] + point[1] + point[-size] + point[size]) / 5;
        }
}

int main(int argc, char** argv) {
    (void)argv;
    double* grid = make_grid(argc > 1);
    double* next = make_grid(argc > 1);
    for (int i = 0; i < steps; i++) {
        step(grid, next);
        double* swapped = grid;
        grid = next;
        next = swapped;
    }
    printf("%.6f\n", grid[(size_t)size / 2 * size + size / 2]);
    free(grid);
    free(next);
    return 0;
}
