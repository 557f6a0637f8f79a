/* Heat from a source that moves through a cube, by implicit time steps: conjugate gradients on a
   3-D grid, preconditioned by V-cycles of multigrid. Smoother, residual, restriction and
   prolongation work on whole grids: about half a millisecond per call on the finest, well below a
   microsecond on the coarsest.

     multigrid [SECONDS] */
#include <math.h>
#include <string.h>

#include "work_scale.h"

enum { LEVELS = 5, FINEST = 64 }; /* cells along each edge: 64, 32, 16, 8, 4 */
enum { RED, BLACK };

/* The index of a cell in the fields of its grid. */
#define CELL(grid, i, j, k)                                                                        \
    (((size_t)(i) * (grid)->width + (size_t)(j)) * (grid)->width + (size_t)(k))

/* The cells of one level, with a layer around them in which fields are zero. */
typedef struct {
    int cells;
    size_t width;    /* of a row with both its outer cells */
    double exchange; /* with each neighbour in a time step */
    double *solution, *rhs, *residual;
} Grid;

static const double time_step = 0.02;
static Grid grids[LEVELS];
static double *temperature, *wanted, *rest, *direction, *product;
static double profile[3][FINEST + 2]; /* of the source along each axis */

NOINLINE static double* new_field(const Grid* grid) {
    double* const field = calloc(grid->width * grid->width * grid->width, sizeof *field);
    if (!field) {
        fprintf(stderr, "multigrid: not enough memory\n");
        exit(1);
    }
    return field;
}

NOINLINE static void make_grids(void) {
    for (int level = 0; level < LEVELS; level++) {
        Grid* const grid = &grids[level];
        grid->cells = FINEST >> level;
        grid->width = (size_t)grid->cells + 2;
        grid->exchange = time_step * grid->cells * grid->cells;
        grid->solution = new_field(grid);
        grid->rhs = new_field(grid);
        grid->residual = new_field(grid);
    }
    temperature = new_field(&grids[0]);
    wanted = new_field(&grids[0]);
    rest = new_field(&grids[0]);
    direction = new_field(&grids[0]);
    product = new_field(&grids[0]);
}

NOINLINE static void clear(const Grid* grid, double* field) {
    memset(field, 0, grid->width * grid->width * grid->width * sizeof *field);
}

/* y = (1 - time step * Laplacian) * x */
NOINLINE static void apply_operator(const Grid* grid, const double* x, double* y) {
    const size_t row = grid->width, plane = row * row;
    const double c = grid->exchange, diagonal = 1.0 + 6.0 * c;
    for (int i = 1; i <= grid->cells; i++)
        for (int j = 1; j <= grid->cells; j++)
            for (int k = 1; k <= grid->cells; k++) {
                const size_t n = CELL(grid, i, j, k);
                y[n] = diagonal * x[n] - c * (x[n - plane] + x[n + plane] + x[n - row] +
                                              x[n + row] + x[n - 1] + x[n + 1]);
            }
}

NOINLINE static void compute_residual(Grid* grid) {
    const size_t row = grid->width, plane = row * row;
    const double c = grid->exchange, diagonal = 1.0 + 6.0 * c;
    const double* const x = grid->solution;
    for (int i = 1; i <= grid->cells; i++)
        for (int j = 1; j <= grid->cells; j++)
            for (int k = 1; k <= grid->cells; k++) {
                const size_t n = CELL(grid, i, j, k);
                grid->residual[n] = grid->rhs[n] - diagonal * x[n] +
                                    c * (x[n - plane] + x[n + plane] + x[n - row] + x[n + row] +
                                         x[n - 1] + x[n + 1]);
            }
}

/* Half a Gauss-Seidel sweep, over the cells of one colour of a chessboard. */
NOINLINE static void smooth(Grid* grid, int colour) {
    const size_t row = grid->width, plane = row * row;
    const double c = grid->exchange, inverse = 1.0 / (1.0 + 6.0 * c);
    double* const x = grid->solution;
    for (int i = 1; i <= grid->cells; i++)
        for (int j = 1; j <= grid->cells; j++)
            for (int k = 1 + (i + j + colour) % 2; k <= grid->cells; k += 2) {
                const size_t n = CELL(grid, i, j, k);
                x[n] = inverse * (grid->rhs[n] + c * (x[n - plane] + x[n + plane] + x[n - row] +
                                                      x[n + row] + x[n - 1] + x[n + 1]));
            }
}

/* The coarser level's right-hand side: means of the residual, the transpose of prolong(). */
NOINLINE static void restrict_residual(const Grid* fine, Grid* coarse) {
    static const double weight[4] = {0.125, 0.375, 0.375, 0.125};
    for (int i = 1; i <= coarse->cells; i++)
        for (int j = 1; j <= coarse->cells; j++)
            for (int k = 1; k <= coarse->cells; k++) {
                double sum = 0;
                for (int a = 0; a < 4; a++)
                    for (int b = 0; b < 4; b++) {
                        const double* const from =
                            &fine->residual[CELL(fine, 2 * i - 2 + a, 2 * j - 2 + b, 2 * k - 2)];
                        sum += weight[a] * weight[b] *
                               (weight[0] * (from[0] + from[3]) + weight[1] * (from[1] + from[2]));
                    }
                coarse->rhs[CELL(coarse, i, j, k)] = sum;
            }
}

/* Adds the coarser level's solution, by linear interpolation between the middles of its cells. */
NOINLINE static void prolong(Grid* fine, const Grid* coarse) {
    const size_t row = coarse->width, plane = row * row;
    for (int i = 1; i <= fine->cells; i++)
        for (int j = 1; j <= fine->cells; j++) {
            const double* const near = &coarse->solution[CELL(coarse, (i + 1) / 2, (j + 1) / 2, 0)];
            const double* const above = i % 2 ? near - plane : near + plane;
            const size_t beside = j % 2 ? -row : row;
            double* const to = &fine->solution[CELL(fine, i, j, 0)];
            for (int k = 1; k <= fine->cells; k++) {
                const size_t n = (size_t)(k + 1) / 2, m = k % 2 ? n - 1 : n + 1;
                to[k] +=
                    (27 * near[n] + 9 * (near[m] + near[n + beside] + above[n]) +
                     3 * (near[m + beside] + above[m] + above[n + beside]) + above[m + beside]) /
                    64;
            }
        }
}

/* Enough sweeps back and forth to solve the coarsest level well. */
NOINLINE static void solve_coarsest(Grid* grid) {
    for (int sweep = 0; sweep < 8; sweep++) {
        smooth(grid, sweep < 4 ? RED : BLACK);
        smooth(grid, sweep < 4 ? BLACK : RED);
    }
}

/* From a solution of zero; the sweeps afterwards run the other way, to be symmetric. */
NOINLINE static void v_cycle(int level) {
    Grid* const grid = &grids[level];
    clear(grid, grid->solution);
    if (level == LEVELS - 1) {
        solve_coarsest(grid);
        return;
    }
    smooth(grid, RED);
    smooth(grid, BLACK);
    compute_residual(grid);
    restrict_residual(grid, &grids[level + 1]);
    v_cycle(level + 1);
    prolong(grid, &grids[level + 1]);
    smooth(grid, BLACK);
    smooth(grid, RED);
}

NOINLINE static double dot(const Grid* grid, const double* x, const double* y) {
    double sum = 0;
    for (size_t n = 0; n < grid->width * grid->width * grid->width; n++)
        sum += x[n] * y[n];
    return sum;
}

/* y += a * x */
NOINLINE static void axpy(const Grid* grid, double a, const double* x, double* y) {
    for (size_t n = 0; n < grid->width * grid->width * grid->width; n++)
        y[n] += a * x[n];
}

/* y = x + b * y */
NOINLINE static void xpby(const Grid* grid, const double* x, double b, double* y) {
    for (size_t n = 0; n < grid->width * grid->width * grid->width; n++)
        y[n] = x[n] + b * y[n];
}

NOINLINE static const double* precondition(const double* residual) {
    Grid* const grid = &grids[0];
    memcpy(grid->rhs, residual, grid->width * grid->width * grid->width * sizeof *residual);
    v_cycle(0);
    return grid->solution;
}

/* A spot that circles in the cube. */
NOINLINE static void set_profiles(double time) {
    const double centre[3] = {0.5 + 0.3 * cos(time), 0.5 + 0.3 * sin(time),
                              0.5 + 0.2 * sin(0.7 * time)};
    for (int axis = 0; axis < 3; axis++)
        for (int i = 1; i <= FINEST; i++) {
            const double away = (i - 0.5) / FINEST - centre[axis];
            profile[axis][i] = exp(-30.0 * away * away);
        }
}

/* wanted = temperature + time step * source */
NOINLINE static void add_source(const Grid* grid) {
    for (int i = 1; i <= grid->cells; i++)
        for (int j = 1; j <= grid->cells; j++)
            for (int k = 1; k <= grid->cells; k++) {
                const size_t n = CELL(grid, i, j, k);
                wanted[n] = temperature[n] +
                            time_step * 100.0 * profile[0][i] * profile[1][j] * profile[2][k];
            }
}

/* Preconditioned conjugate gradients; returns the residual relative to the right-hand side. */
NOINLINE static double solve(int iterations) {
    const Grid* const grid = &grids[0];
    double before = 0;
    apply_operator(grid, temperature, rest);
    xpby(grid, wanted, -1.0, rest);
    for (int iteration = 0; iteration < iterations; iteration++) {
        const double* const scaled = precondition(rest);
        const double squared = dot(grid, rest, scaled);
        xpby(grid, scaled, iteration ? squared / before : 0.0, direction);
        before = squared;
        apply_operator(grid, direction, product);
        const double length = squared / dot(grid, direction, product);
        axpy(grid, length, direction, temperature);
        axpy(grid, -length, product, rest);
    }
    return sqrt(dot(grid, rest, rest) / dot(grid, wanted, wanted));
}

NOINLINE static double mean(const Grid* grid, const double* field) {
    double sum = 0;
    for (size_t n = 0; n < grid->width * grid->width * grid->width; n++)
        sum += field[n];
    return sum / pow(grid->cells, 3);
}

int main(int count, char** arguments) {
    const long steps = work_steps(count, arguments, 36);
    double residual = 0;
    make_grids();
    for (long step = 1; step <= steps; step++) {
        set_profiles((double)step * time_step);
        add_source(&grids[0]);
        residual = solve(6);
    }
    printf("multigrid: %ld steps on %d^3 cells\n", steps, FINEST);
    printf("relative residual %.6e\n", residual);
    printf("temperature: mean %.9f, norm %.9f, in the middle %.9f\n", mean(&grids[0], temperature),
           sqrt(dot(&grids[0], temperature, temperature) / pow(FINEST, 3)),
           temperature[CELL(&grids[0], FINEST / 2, FINEST / 2, FINEST / 2)]);
    return 0;
}
