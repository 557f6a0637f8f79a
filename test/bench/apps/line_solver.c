/* Implicit line solver: five coupled species drift, diffuse and react on a 3-D grid, for six load
   cases at a time. Block-tridiagonal systems along x, y and z in turn; the time goes into kernels
   on 5x5 blocks of 40 to 150 ns per call.

     line_solver [SECONDS] */
#include <math.h>
#include <string.h>

#include "work_scale.h"

enum { CELLS = 20, WIDTH = CELLS + 2, SPECIES = 5, CASES = 6 };

typedef struct {
    double at[SPECIES][SPECIES];
} Block;

/* The five species in each of the load cases. */
typedef struct {
    double at[SPECIES][CASES];
} Columns;

static const double spacing = 1.0 / (CELLS + 1), time_step = 0.001;
static const long strides[3] = {(long)WIDTH * WIDTH, WIDTH, 1}; /* of cells along x, y and z */

/* With a layer of cells around the domain, where everything is zero. */
static Columns concentration[WIDTH][WIDTH][WIDTH], exact[WIDTH][WIDTH][WIDTH];
static Columns source[WIDTH][WIDTH][WIDTH], change[WIDTH][WIDTH][WIDTH];
static double conductivity[WIDTH][WIDTH][WIDTH], drift[WIDTH][WIDTH][WIDTH][3];
static Block reaction[WIDTH][WIDTH][WIDTH];
static Block diffusion; /* of each species by the gradients of all, times the conductivity */

/* One line of cells: the blocks below, on and above the diagonal, and the right-hand sides. */
static Block lower[CELLS], diagonal[CELLS], upper[CELLS];
static Columns rhs[CELLS];

/* c -= a * b */
NOINLINE static void multiply_subtract(Block* c, const Block* a, const Block* b) {
    for (int i = 0; i < SPECIES; i++)
        for (int j = 0; j < SPECIES; j++) {
            double sum = c->at[i][j];
#pragma GCC unroll 5
            for (int k = 0; k < SPECIES; k++)
                sum -= a->at[i][k] * b->at[k][j];
            c->at[i][j] = sum;
        }
}

/* c = a * b */
NOINLINE static void multiply(Block* c, const Block* a, const Block* b) {
    for (int i = 0; i < SPECIES; i++)
        for (int j = 0; j < SPECIES; j++) {
            double sum = 0;
#pragma GCC unroll 5
            for (int k = 0; k < SPECIES; k++)
                sum += a->at[i][k] * b->at[k][j];
            c->at[i][j] = sum;
        }
}

/* y -= a * x for every load case */
NOINLINE static void apply_subtract(Columns* y, const Block* a, const Columns* x) {
    for (int i = 0; i < SPECIES; i++)
        for (int j = 0; j < CASES; j++) {
            double sum = y->at[i][j];
#pragma GCC unroll 5
            for (int k = 0; k < SPECIES; k++)
                sum -= a->at[i][k] * x->at[k][j];
            y->at[i][j] = sum;
        }
}

/* y = a * x for every load case */
NOINLINE static void apply(Columns* y, const Block* a, const Columns* x) {
    for (int i = 0; i < SPECIES; i++)
        for (int j = 0; j < CASES; j++) {
            double sum = 0;
#pragma GCC unroll 5
            for (int k = 0; k < SPECIES; k++)
                sum += a->at[i][k] * x->at[k][j];
            y->at[i][j] = sum;
        }
}

/* In place, by Gauss-Jordan elimination; the blocks are diagonally dominant. */
NOINLINE static void invert(Block* a) {
    for (int pivot = 0; pivot < SPECIES; pivot++) {
        const double inverse = 1.0 / a->at[pivot][pivot];
        a->at[pivot][pivot] = 1.0;
        for (int j = 0; j < SPECIES; j++)
            a->at[pivot][j] *= inverse;
        for (int i = 0; i < SPECIES; i++) {
            if (i == pivot)
                continue;
            const double factor = a->at[i][pivot];
            a->at[i][pivot] = 0.0;
#pragma GCC unroll 5
            for (int j = 0; j < SPECIES; j++)
                a->at[i][j] -= factor * a->at[pivot][j];
        }
    }
}

NOINLINE static void set_coefficients(void) {
    for (int s = 0; s < SPECIES; s++)
        for (int t = 0; t < SPECIES; t++)
            diffusion.at[s][t] = s == t ? 1.0 + 0.1 * s : 0.08 / (1 + abs(s - t));
    for (int i = 0; i < WIDTH; i++)
        for (int j = 0; j < WIDTH; j++)
            for (int k = 0; k < WIDTH; k++) {
                const double x = i * spacing, y = j * spacing, z = k * spacing;
                conductivity[i][j][k] = 1.0 + 0.4 * sin(3 * x + y) * cos(2 * z);
                drift[i][j][k][0] = 4 * sin(y + z);
                drift[i][j][k][1] = 4 * cos(x - z);
                drift[i][j][k][2] = 3 * sin(x * y);
                for (int s = 0; s < SPECIES; s++)
                    for (int t = 0; t < SPECIES; t++)
                        reaction[i][j][k].at[s][t] =
                            s == t ? 5.0 + x : -sin(1.0 + s + 2 * t + x * y);
            }
}

/* The solution of the iteration: zero at the boundaries, a different mode in each load case. */
NOINLINE static void set_exact_solution(void) {
    const double pi = acos(-1.0);
    for (int i = 1; i <= CELLS; i++)
        for (int j = 1; j <= CELLS; j++)
            for (int k = 1; k <= CELLS; k++)
                for (int s = 0; s < SPECIES; s++)
                    for (int c = 0; c < CASES; c++)
                        exact[i][j][k].at[s][c] = sin(pi * (1 + c) * i * spacing) *
                                                  sin(pi * j * spacing) *
                                                  sin(pi * (1 + s % 2) * k * spacing);
}

/* Drift of one cell's species and their diffusive exchange with both neighbours along a direction,
   which are `stride` cells away. */
NOINLINE static void add_fluxes(Columns* drifted, Columns* exchanged, const Columns* u,
                                const double* kappa, double velocity, long stride) {
    const Columns *before = u - stride, *after = u + stride;
    const double low = 0.5 * (kappa[0] + kappa[-stride]) / (spacing * spacing),
                 high = 0.5 * (kappa[0] + kappa[stride]) / (spacing * spacing),
                 rate = 0.5 * velocity / spacing;
    for (int s = 0; s < SPECIES; s++)
        for (int c = 0; c < CASES; c++) {
            const double left = before->at[s][c], here = u->at[s][c], right = after->at[s][c];
            drifted->at[s][c] += rate * (right - left);
            exchanged->at[s][c] += high * (right - here) - low * (here - left);
        }
}

/* change = source - drift + diffusion - reaction, of a field of concentrations */
NOINLINE static void compute_rhs(Columns (*field)[WIDTH][WIDTH]) {
    for (int i = 1; i <= CELLS; i++)
        for (int j = 1; j <= CELLS; j++)
            for (int k = 1; k <= CELLS; k++) {
                Columns drifted, exchanged, *sum = &change[i][j][k];
                memset(&drifted, 0, sizeof drifted);
                memset(&exchanged, 0, sizeof exchanged);
                for (int direction = 0; direction < 3; direction++)
                    add_fluxes(&drifted, &exchanged, &field[i][j][k], &conductivity[i][j][k],
                               drift[i][j][k][direction], strides[direction]);
                apply(sum, &diffusion, &exchanged);
                apply_subtract(sum, &reaction[i][j][k], &field[i][j][k]);
                for (int s = 0; s < SPECIES; s++)
                    for (int c = 0; c < CASES; c++)
                        sum->at[s][c] += source[i][j][k].at[s][c] - drifted.at[s][c];
            }
}

/* Without a source, the right-hand side of the exact solution is what the source has to balance. */
NOINLINE static void set_source(void) {
    compute_rhs(exact);
    for (int i = 1; i <= CELLS; i++)
        for (int j = 1; j <= CELLS; j++)
            for (int k = 1; k <= CELLS; k++)
                for (int s = 0; s < SPECIES; s++)
                    for (int c = 0; c < CASES; c++)
                        source[i][j][k].at[s][c] = -change[i][j][k].at[s][c];
}

/* The row of one cell of the line: one plus a time step of the operator along one direction. */
NOINLINE static void form_row(int row, const double* kappa, double velocity, long stride,
                              const Block* reactions) {
    const double scale = 0.5 * time_step / (spacing * spacing),
                 low = scale * (kappa[0] + kappa[-stride]),
                 high = scale * (kappa[0] + kappa[stride]),
                 rate = 0.5 * time_step * velocity / spacing;
    for (int s = 0; s < SPECIES; s++) {
        for (int t = 0; t < SPECIES; t++) {
            const double exchange = diffusion.at[s][t];
            lower[row].at[s][t] = -low * exchange;
            upper[row].at[s][t] = -high * exchange;
            diagonal[row].at[s][t] = (low + high) * exchange + time_step / 3 * reactions->at[s][t];
        }
        lower[row].at[s][s] -= rate;
        upper[row].at[s][s] += rate;
        diagonal[row].at[s][s] += 1.0;
    }
}

NOINLINE static void form_line(int i, int j, int k, int direction) {
    const long stride = strides[direction];
    for (int row = 0; row < CELLS; row++) {
        const long cell = row * stride;
        form_row(row, &conductivity[i][j][k] + cell, (&drift[i][j][k])[cell][direction], stride,
                 &reaction[i][j][k] + cell);
        rhs[row] = (&change[i][j][k])[cell];
    }
}

NOINLINE static void eliminate_line(void) {
    for (int row = 0; row < CELLS; row++) {
        if (row > 0) {
            multiply_subtract(&diagonal[row], &lower[row], &upper[row - 1]);
            apply_subtract(&rhs[row], &lower[row], &rhs[row - 1]);
        }
        invert(&diagonal[row]);
        const Block above = upper[row];
        const Columns right = rhs[row];
        multiply(&upper[row], &diagonal[row], &above);
        apply(&rhs[row], &diagonal[row], &right);
    }
}

NOINLINE static void substitute_line(Columns* first, long stride) {
    first[(CELLS - 1) * stride] = rhs[CELLS - 1];
    for (int row = CELLS - 2; row >= 0; row--) {
        apply_subtract(&rhs[row], &upper[row], &rhs[row + 1]);
        first[row * stride] = rhs[row];
    }
}

NOINLINE static void solve_x_lines(void) {
    for (int j = 1; j <= CELLS; j++)
        for (int k = 1; k <= CELLS; k++) {
            form_line(1, j, k, 0);
            eliminate_line();
            substitute_line(&change[1][j][k], strides[0]);
        }
}

NOINLINE static void solve_y_lines(void) {
    for (int i = 1; i <= CELLS; i++)
        for (int k = 1; k <= CELLS; k++) {
            form_line(i, 1, k, 1);
            eliminate_line();
            substitute_line(&change[i][1][k], strides[1]);
        }
}

NOINLINE static void solve_z_lines(void) {
    for (int i = 1; i <= CELLS; i++)
        for (int j = 1; j <= CELLS; j++) {
            form_line(i, j, 1, 2);
            eliminate_line();
            substitute_line(&change[i][j][1], strides[2]);
        }
}

NOINLINE static void add_change(void) {
    for (int i = 1; i <= CELLS; i++)
        for (int j = 1; j <= CELLS; j++)
            for (int k = 1; k <= CELLS; k++)
                for (int s = 0; s < SPECIES; s++)
                    for (int c = 0; c < CASES; c++)
                        concentration[i][j][k].at[s][c] += time_step * change[i][j][k].at[s][c];
}

/* Root mean square of a load case of a field. */
NOINLINE static double norm(Columns (*field)[WIDTH][WIDTH], int load_case) {
    double sum = 0;
    for (int i = 1; i <= CELLS; i++)
        for (int j = 1; j <= CELLS; j++)
            for (int k = 1; k <= CELLS; k++)
                for (int s = 0; s < SPECIES; s++)
                    sum += field[i][j][k].at[s][load_case] * field[i][j][k].at[s][load_case];
    return sqrt(sum / ((double)CELLS * CELLS * CELLS * SPECIES));
}

/* The largest deviation of a load case from its exact solution. */
NOINLINE static double largest_error(int load_case) {
    double largest = 0;
    for (int i = 1; i <= CELLS; i++)
        for (int j = 1; j <= CELLS; j++)
            for (int k = 1; k <= CELLS; k++)
                for (int s = 0; s < SPECIES; s++) {
                    const double error = fabs(concentration[i][j][k].at[s][load_case] -
                                              exact[i][j][k].at[s][load_case]);
                    largest = error > largest ? error : largest;
                }
    return largest;
}

int main(int count, char** arguments) {
    const long steps = work_steps(count, arguments, 78);
    set_coefficients();
    set_exact_solution();
    set_source();
    for (long step = 0; step < steps; step++) {
        compute_rhs(concentration);
        solve_x_lines();
        solve_y_lines();
        solve_z_lines();
        add_change();
    }
    compute_rhs(concentration);
    printf("line_solver: %ld steps on %d^3 cells\n", steps, CELLS);
    for (int c = 0; c < CASES; c++)
        printf("load case %d: residual %.6e, norm %.9f, error %.6e\n", c + 1, norm(change, c),
               norm(concentration, c), largest_error(c));
    return 0;
}
