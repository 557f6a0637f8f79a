// Molecular dynamics of a metal by the embedded-atom method, with cell lists: densities and forces
// of pairs of atoms come from spline tables, by an interpolation of about 8 ns that is called three
// times for every pair within reach.
//
//   molecular_dynamics [SECONDS]
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "work_scale.h"

// Lengths in lattice constants, energies and masses in those of one atom.
constexpr int lattice_cells = 9, atoms = 4 * lattice_cells * lattice_cells * lattice_cells;
constexpr double box = lattice_cells, cutoff = 1.36, time_step = 0.0006, temperature = 2.1;
constexpr int cells = 6;  // along each axis, each at least as wide as the cutoff
static_assert(box / cells >= cutoff);

struct Vector {
    double x, y, z;
};

// A function for arguments from `low`, represented by cubics on equal intervals.
constexpr int intervals = 2000;
struct Table {
    double low, intervals_per_unit, coefficients[intervals][4];
};

struct ValueAndSlope {
    double value, slope;
};

static Table pair_table, density_table, embedding_table;

static Vector position[atoms], velocity[atoms], force[atoms];
static double density[atoms], embedding_slope[atoms];

// The atoms of cell c: from cell_start[c] to cell_start[c + 1] in cell_atoms.
static int cell_start[cells * cells * cells + 1], cell_atoms[atoms], cell_of[atoms];

NOINLINE static ValueAndSlope interpolate(const Table& table, double x) {
    const double scaled = (x - table.low) * table.intervals_per_unit;
    int interval = static_cast<int>(scaled);
    interval = interval < 0 ? 0 : interval >= intervals ? intervals - 1 : interval;
    const double t = scaled - interval;
    const double* c = table.coefficients[interval];
    return {c[0] + t * (c[1] + t * (c[2] + t * c[3])),
            (c[1] + t * (2 * c[2] + t * 3 * c[3])) * table.intervals_per_unit};
}

// Cubics through values and slopes at the ends of each interval.
NOINLINE static void fill_table(Table& table, double low, double high,
                                ValueAndSlope (*function)(double)) {
    const double width = (high - low) / intervals;
    table.low = low;
    table.intervals_per_unit = 1 / width;
    for (int i = 0; i < intervals; i++) {
        const ValueAndSlope a = function(low + i * width), b = function(low + (i + 1) * width);
        const double rise = b.value - a.value, start = a.slope * width, end = b.slope * width;
        double* c = table.coefficients[i];
        c[0] = a.value;
        c[1] = start;
        c[2] = 3 * rise - 2 * start - end;
        c[3] = start + end - 2 * rise;
    }
}

// An inverse power that goes smoothly to zero at the cutoff.
NOINLINE static ValueAndSlope cut_power(double r, int power) {
    const double value = std::pow(r, -power), slope = -power * value / r;
    const double start = 0.8 * cutoff, t = (r - start) / (cutoff - start);
    if (t <= 0)
        return {value, slope};
    if (t >= 1)
        return {0, 0};
    const double fade = 1 - t * t * t * (10 - t * (15 - 6 * t)),
                 fade_slope = -30 * t * t * (1 - t) * (1 - t) / (cutoff - start);
    return {value * fade, slope * fade + value * fade_slope};
}
NOINLINE static ValueAndSlope repulsion(double r) { return cut_power(r, 9); }
NOINLINE static ValueAndSlope electron_density(double r) { return cut_power(r, 6); }
NOINLINE static ValueAndSlope embedding_energy(double density) {
    const double root = std::sqrt(density);
    return {-39.4 * root, -0.5 * 39.4 / root};
}

NOINLINE static double random_uniform() {
    static std::uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<double>(state >> 11) * 0x1p-53;
}

// A face-centred cubic crystal, with each atom slightly displaced.
NOINLINE static void place_atoms() {
    static const Vector basis[] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    Vector* atom = position;
    for (int i = 0; i < lattice_cells; i++)
        for (int j = 0; j < lattice_cells; j++)
            for (int k = 0; k < lattice_cells; k++)
                for (const Vector& b : basis)
                    *atom++ = {i + b.x + 0.02 * random_uniform(), j + b.y + 0.02 * random_uniform(),
                               k + b.z + 0.02 * random_uniform()};
}

NOINLINE static Vector total_momentum() {
    Vector sum{0, 0, 0};
    for (const Vector& v : velocity)
        sum = {sum.x + v.x, sum.y + v.y, sum.z + v.z};
    return sum;
}

NOINLINE static double kinetic_energy() {
    double sum = 0;
    for (const Vector& v : velocity)
        sum += 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z);
    return sum;
}

// Random velocities without total momentum, with twice the energy: the lattice takes half of it.
NOINLINE static void set_velocities() {
    for (Vector& v : velocity)
        v = {random_uniform() - 0.5, random_uniform() - 0.5, random_uniform() - 0.5};
    const Vector momentum = total_momentum();
    for (Vector& v : velocity)
        v = {v.x - momentum.x / atoms, v.y - momentum.y / atoms, v.z - momentum.z / atoms};
    const double scale = std::sqrt(2 * 1.5 * temperature * atoms / kinetic_energy());
    for (Vector& v : velocity)
        v = {v.x * scale, v.y * scale, v.z * scale};
}

NOINLINE static int cell_at(const Vector& p) {
    constexpr double per_unit = cells / box;
    const int i = static_cast<int>(p.x * per_unit), j = static_cast<int>(p.y * per_unit),
              k = static_cast<int>(p.z * per_unit);
    return (i * cells + j) * cells + k;
}

// Counting sort of the atoms by the cells that they are in.
NOINLINE static void build_cells() {
    for (int c = 0; c <= cells * cells * cells; c++)
        cell_start[c] = 0;
    for (int a = 0; a < atoms; a++) {
        const int cell = cell_at(position[a]);
        cell_of[a] = cell;
        cell_start[cell + 1]++;
    }
    for (int c = 0; c < cells * cells * cells; c++)
        cell_start[c + 1] += cell_start[c];
    for (int a = atoms - 1; a >= 0; a--)
        cell_atoms[--cell_start[cell_of[a] + 1]] = a;  // turns the ends of cells into their starts
    for (int c = 0; c < cells * cells * cells; c++)
        cell_start[c] = cell_start[c + 1];
    cell_start[cells * cells * cells] = atoms;
}

// The cell at an offset from another, and the shift of its periodic image there.
NOINLINE static int neighbour_cell(int i, int j, int k, const int* offset, Vector& shift) {
    const int at[3] = {i + offset[0], j + offset[1], k + offset[2]};
    double boxes[3];
    int cell = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int around = at[axis] < 0 ? -1 : at[axis] >= cells ? 1 : 0;
        boxes[axis] = around * box;
        cell = cell * cells + at[axis] - around * cells;
    }
    shift = {boxes[0], boxes[1], boxes[2]};
    return cell;
}

// The electron density that the atoms of two cells contribute to each other; each pair once.
NOINLINE static void add_densities(int one, int other, const Vector& shift) {
    for (int m = cell_start[one]; m < cell_start[one + 1]; m++) {
        const int a = cell_atoms[m];
        const Vector p{position[a].x - shift.x, position[a].y - shift.y, position[a].z - shift.z};
        for (int n = one == other ? m + 1 : cell_start[other]; n < cell_start[other + 1]; n++) {
            const int b = cell_atoms[n];
            const double dx = p.x - position[b].x, dy = p.y - position[b].y,
                         dz = p.z - position[b].z, squared = dx * dx + dy * dy + dz * dz;
            if (squared >= cutoff * cutoff)
                continue;
            const double contribution = interpolate(density_table, std::sqrt(squared)).value;
            density[a] += contribution;
            density[b] += contribution;
        }
    }
}

// The forces that the atoms of two cells exert on each other; returns their pairs' energy.
NOINLINE static double add_forces(int one, int other, const Vector& shift) {
    double energy = 0;
    for (int m = cell_start[one]; m < cell_start[one + 1]; m++) {
        const int a = cell_atoms[m];
        const Vector p{position[a].x - shift.x, position[a].y - shift.y, position[a].z - shift.z};
        for (int n = one == other ? m + 1 : cell_start[other]; n < cell_start[other + 1]; n++) {
            const int b = cell_atoms[n];
            const double dx = p.x - position[b].x, dy = p.y - position[b].y,
                         dz = p.z - position[b].z, squared = dx * dx + dy * dy + dz * dz;
            if (squared >= cutoff * cutoff)
                continue;
            const double r = std::sqrt(squared);
            const ValueAndSlope pair = interpolate(pair_table, r);
            const double density_slope = interpolate(density_table, r).slope;
            const double pull =
                (pair.slope + (embedding_slope[a] + embedding_slope[b]) * density_slope) / r;
            energy += pair.value;
            force[a] = {force[a].x - pull * dx, force[a].y - pull * dy, force[a].z - pull * dz};
            force[b] = {force[b].x + pull * dx, force[b].y + pull * dy, force[b].z + pull * dz};
        }
    }
    return energy;
}

// Half of a cell's neighbours, and itself: the other half has it as a neighbour.
static const int half_stencil[14][3] = {{0, 0, 0},   {0, 0, 1},  {0, 1, -1}, {0, 1, 0},  {0, 1, 1},
                                        {1, -1, -1}, {1, -1, 0}, {1, -1, 1}, {1, 0, -1}, {1, 0, 0},
                                        {1, 0, 1},   {1, 1, -1}, {1, 1, 0},  {1, 1, 1}};

NOINLINE static void compute_densities() {
    for (double& d : density)
        d = 0;
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++)
            for (int k = 0; k < cells; k++)
                for (const int* offset : half_stencil) {
                    Vector shift;
                    const int other = neighbour_cell(i, j, k, offset, shift);
                    add_densities((i * cells + j) * cells + k, other, shift);
                }
}

// Returns the energy of all atoms in the density around them.
NOINLINE static double embed_atoms() {
    double energy = 0;
    for (int a = 0; a < atoms; a++) {
        const ValueAndSlope embedding = interpolate(embedding_table, density[a]);
        energy += embedding.value;
        embedding_slope[a] = embedding.slope;
    }
    return energy;
}

// Returns the energy of all pairs.
NOINLINE static double compute_forces() {
    for (Vector& f : force)
        f = {0, 0, 0};
    double energy = 0;
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++)
            for (int k = 0; k < cells; k++)
                for (const int* offset : half_stencil) {
                    Vector shift;
                    const int other = neighbour_cell(i, j, k, offset, shift);
                    energy += add_forces((i * cells + j) * cells + k, other, shift);
                }
    return energy;
}

NOINLINE static void advance_velocities(double time) {
    for (int a = 0; a < atoms; a++) {
        velocity[a].x += time * force[a].x;
        velocity[a].y += time * force[a].y;
        velocity[a].z += time * force[a].z;
    }
}

// Back into the box, from less than a box away.
NOINLINE static void wrap(Vector& p) {
    p.x += p.x < 0 ? box : p.x >= box ? -box : 0;
    p.y += p.y < 0 ? box : p.y >= box ? -box : 0;
    p.z += p.z < 0 ? box : p.z >= box ? -box : 0;
}

NOINLINE static void advance_positions(double time) {
    for (int a = 0; a < atoms; a++) {
        position[a].x += time * velocity[a].x;
        position[a].y += time * velocity[a].y;
        position[a].z += time * velocity[a].z;
        wrap(position[a]);
    }
}

// Returns the potential energy.
NOINLINE static double evaluate() {
    build_cells();
    compute_densities();
    const double embedding = embed_atoms();
    return embedding + compute_forces();
}

int main(int count, char** arguments) {
    const long steps = work_steps(count, arguments, 190);
    fill_table(pair_table, 0.4, cutoff, repulsion);
    fill_table(density_table, 0.4, cutoff, electron_density);
    fill_table(embedding_table, 20, 1000, embedding_energy);
    place_atoms();
    for (Vector& p : position)
        wrap(p);
    set_velocities();
    double potential = evaluate();
    const double energy = potential + kinetic_energy();
    for (long step = 0; step < steps; step++) {
        advance_velocities(0.5 * time_step);
        advance_positions(time_step);
        potential = evaluate();
        advance_velocities(0.5 * time_step);
    }
    const double kinetic = kinetic_energy();
    const Vector momentum = total_momentum();
    std::printf("molecular_dynamics: %ld steps of %d atoms\n", steps, atoms);
    std::printf("energy of an atom: potential %.9f, kinetic %.9f\n", potential / atoms,
                kinetic / atoms);
    std::printf("relative change of the total energy: %.3e\n",
                (potential + kinetic - energy) / std::fabs(energy));
    std::printf("momentum of an atom: %.1e\n",
                (std::fabs(momentum.x) + std::fabs(momentum.y) + std::fabs(momentum.z)) / atoms);
    return 0;
}
