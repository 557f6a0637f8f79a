// Explicit Lagrangian hydrodynamics on an unstructured mesh of hexahedra: the nodes move with the
// gas, energy and pressure belong to the elements. Loops over elements gather the data of nodes and
// call small functions: volume, areas, shape-function derivatives, hourglass control, equation of
// state.
//
//   hydrodynamics [SECONDS]
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "work_scale.h"

constexpr int side = 16, node_side = side + 1;
constexpr int elements = side * side * side, nodes = node_side * node_side * node_side;
constexpr double heat_ratio = 1.4, courant = 0.3;

// The nodes of the elements, and for each node the element corners that meet there, as 8 * element
// + corner, from first_corner[node] on.
static int element_nodes[elements][8], first_corner[nodes + 1], node_corners[8 * elements];
static bool held[nodes][3];  // the axes along which a wall holds a node

static double position[nodes][3], velocity[nodes][3], mean_velocity[nodes][3], node_mass[nodes];
static double corner_force[elements][8][3], node_force[nodes][3];
static double mass[elements], volume[elements], energy[elements], pressure[elements],
    time_limit[elements];

// The corners of the faces, in the order in which their normals point outwards.
static const int faces[6][4] = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4},
                                {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};
// The ways in which the corners can move without a mean gradient of the velocity.
static const double hourglass_modes[4][8] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                             {1, -1, -1, 1, -1, 1, 1, -1},
                                             {1, -1, 1, -1, 1, -1, 1, -1},
                                             {-1, 1, -1, 1, 1, -1, 1, -1}};

NOINLINE static void gather(const double (*field)[3], int element, double (*corners)[3]) {
    for (int c = 0; c < 8; c++)
        for (int axis = 0; axis < 3; axis++)
            corners[c][axis] = field[element_nodes[element][c]][axis];
}

// The area of a face times its outward normal.
NOINLINE static void face_normal(const double (*at)[3], const int* face, double* normal) {
    double a[3], b[3];
    for (int axis = 0; axis < 3; axis++) {
        a[axis] = at[face[2]][axis] - at[face[0]][axis];
        b[axis] = at[face[3]][axis] - at[face[1]][axis];
    }
    normal[0] = 0.5 * (a[1] * b[2] - a[2] * b[1]);
    normal[1] = 0.5 * (a[2] * b[0] - a[0] * b[2]);
    normal[2] = 0.5 * (a[0] * b[1] - a[1] * b[0]);
}

NOINLINE static double face_area(const double (*at)[3], const int* face) {
    double n[3];
    face_normal(at, face, n);
    return std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

NOINLINE static double triple_product(const double* a, const double* b, const double* c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// From three parts around the diagonal between the corners 0 and 6.
NOINLINE static double element_volume(const double (*at)[3]) {
    static const int parts[3][3] = {{1, 2, 5}, {4, 5, 7}, {3, 7, 2}};
    double diagonal[3], sum = 0;
    for (int axis = 0; axis < 3; axis++)
        diagonal[axis] = at[6][axis] - at[0][axis];
    for (const int* part : parts) {
        double a[3], b[3];
        for (int axis = 0; axis < 3; axis++) {
            a[axis] = at[part[0]][axis] - at[0][axis];
            b[axis] = at[part[1]][axis] - at[part[2]][axis];
        }
        sum += triple_product(diagonal, a, b);
    }
    return sum / 6;
}

// The derivatives of the volume by the positions of the corners; divided by the volume they are
// those of the shape functions in the middle.
NOINLINE static void shape_derivatives(const double (*at)[3], double (*b)[3]) {
    for (int c = 0; c < 8; c++)
        b[c][0] = b[c][1] = b[c][2] = 0;
    for (const int* face : faces) {
        double normal[3];
        face_normal(at, face, normal);
        for (int i = 0; i < 4; i++)
            for (int axis = 0; axis < 3; axis++)
                b[face[i]][axis] += 0.25 * normal[axis];
    }
}

NOINLINE static double characteristic_length(const double (*at)[3], double volume_here) {
    double largest = 0;
    for (const int* face : faces) {
        const double area = face_area(at, face);
        largest = area > largest ? area : largest;
    }
    return volume_here / largest;
}

// The relative growth rate of the volume.
NOINLINE static double divergence(const double (*b)[3], const double (*v)[3], double volume_here) {
    double sum = 0;
    for (int c = 0; c < 8; c++)
        sum += b[c][0] * v[c][0] + b[c][1] * v[c][1] + b[c][2] * v[c][2];
    return sum / volume_here;
}

NOINLINE static double equation_of_state(double density, double specific_energy) {
    return (heat_ratio - 1) * density * (specific_energy > 1e-9 ? specific_energy : 1e-9);
}

NOINLINE static double sound_speed(double density, double pressure_here) {
    return std::sqrt(heat_ratio * pressure_here / density);
}

// An extra pressure where the gas is compressed, so that shocks are spread over a few elements.
NOINLINE static double artificial_viscosity(double density, double sound, double length,
                                            double rate) {
    const double jump = rate < 0 ? -rate * length : 0;
    return density * jump * (0.25 * sound + 1.5 * jump);
}

NOINLINE static void add_pressure_forces(const double (*b)[3], double total_pressure,
                                         double (*force)[3]) {
    for (int c = 0; c < 8; c++)
        for (int axis = 0; axis < 3; axis++)
            force[c][axis] = total_pressure * b[c][axis];
}

// One of the modes, minus the part of it that a constant gradient causes in a distorted element.
NOINLINE static void hourglass_shape(const double* mode, const double (*at)[3],
                                     const double (*b)[3], double volume_here, double* shape) {
    double place[3] = {};
    for (int c = 0; c < 8; c++)
        for (int axis = 0; axis < 3; axis++)
            place[axis] += mode[c] * at[c][axis];
    for (int axis = 0; axis < 3; axis++)
        place[axis] /= volume_here;
    for (int c = 0; c < 8; c++)
        shape[c] = mode[c] - b[c][0] * place[0] - b[c][1] * place[1] - b[c][2] * place[2];
}

// Damps the motion that does not strain the element on average.
NOINLINE static void add_hourglass_forces(const double (*at)[3], const double (*v)[3],
                                          const double (*b)[3], double volume_here, double damping,
                                          double (*force)[3]) {
    for (const double* mode : hourglass_modes) {
        double shape[8], motion[3] = {};
        hourglass_shape(mode, at, b, volume_here, shape);
        for (int c = 0; c < 8; c++)
            for (int axis = 0; axis < 3; axis++)
                motion[axis] += shape[c] * v[c][axis];
        for (int c = 0; c < 8; c++)
            for (int axis = 0; axis < 3; axis++)
                force[c][axis] -= damping * shape[c] * motion[axis];
    }
}

// Volumes and pressures at the current positions of the nodes.
NOINLINE static void update_states() {
    for (int e = 0; e < elements; e++) {
        double at[8][3];
        gather(position, e, at);
        volume[e] = element_volume(at);
        pressure[e] = equation_of_state(mass[e] / volume[e], energy[e] / mass[e]);
    }
}

// The forces of elements on their corners, and the largest allowed time step.
NOINLINE static void compute_forces() {
    for (int e = 0; e < elements; e++) {
        double at[8][3], v[8][3], b[8][3];
        gather(position, e, at);
        gather(velocity, e, v);
        shape_derivatives(at, b);
        const double density = mass[e] / volume[e], sound = sound_speed(density, pressure[e]),
                     length = characteristic_length(at, volume[e]),
                     rate = divergence(b, v, volume[e]),
                     viscosity = artificial_viscosity(density, sound, length, rate);
        add_pressure_forces(b, pressure[e] + viscosity, corner_force[e]);
        add_hourglass_forces(at, v, b, volume[e], 0.05 * density * sound * length * length,
                             corner_force[e]);
        time_limit[e] = length / (sound + std::fabs(rate) * length);
    }
}

NOINLINE static double stable_time_step() {
    double shortest = time_limit[0];
    for (int e = 1; e < elements; e++)
        shortest = time_limit[e] < shortest ? time_limit[e] : shortest;
    return courant * shortest;
}

NOINLINE static void sum_forces() {
    for (int n = 0; n < nodes; n++) {
        double sum[3] = {};
        for (int i = first_corner[n]; i < first_corner[n + 1]; i++)
            for (int axis = 0; axis < 3; axis++)
                sum[axis] += corner_force[node_corners[i] / 8][node_corners[i] % 8][axis];
        for (int axis = 0; axis < 3; axis++)
            node_force[n][axis] = held[n][axis] ? 0 : sum[axis];
    }
}

NOINLINE static void move_nodes(double time_step) {
    for (int n = 0; n < nodes; n++)
        for (int axis = 0; axis < 3; axis++) {
            const double gain = time_step * node_force[n][axis] / node_mass[n];
            mean_velocity[n][axis] = velocity[n][axis] + 0.5 * gain;
            velocity[n][axis] += gain;
            position[n][axis] += time_step * velocity[n][axis];
        }
}

// The elements lose the work that their forces did on the nodes: the total energy is conserved.
NOINLINE static void update_energies(double time_step) {
    for (int e = 0; e < elements; e++) {
        double v[8][3], work = 0;
        gather(mean_velocity, e, v);
        for (int c = 0; c < 8; c++)
            for (int axis = 0; axis < 3; axis++)
                work += corner_force[e][c][axis] * v[c][axis];
        energy[e] -= time_step * work;
    }
}

// A unit cube between walls. The elements are numbered in no particular order.
NOINLINE static void make_mesh() {
    for (int n = 0; n < nodes; n++) {
        const int place[3] = {n % node_side, n / node_side % node_side,
                              n / (node_side * node_side)};
        for (int axis = 0; axis < 3; axis++) {
            position[n][axis] = static_cast<double>(place[axis]) / side;
            held[n][axis] = place[axis] == 0 || place[axis] == side;
        }
    }
    for (int e = 0; e < elements; e++) {
        const int cell = (e * 1237 + 5) % elements;
        const int corner =
            (cell / (side * side) * node_side + cell / side % side) * node_side + cell % side;
        for (int c = 0; c < 8; c++)
            element_nodes[e][c] = corner + ((c + 1) / 2 % 2) + (c / 2 % 2) * node_side +
                                  (c / 4) * node_side * node_side;
    }
}

// Finds, by counting, the element corners that meet at each node.
NOINLINE static void find_corners() {
    for (int i = 0; i < 8 * elements; i++)
        first_corner[element_nodes[i / 8][i % 8]]++;
    for (int n = 0; n < nodes; n++)
        first_corner[n + 1] += first_corner[n];
    for (int i = 8 * elements - 1; i >= 0; i--)
        node_corners[--first_corner[element_nodes[i / 8][i % 8]]] = i;
}

// Gas at rest, with a hot and dense place in one corner.
NOINLINE static void set_gas() {
    for (int e = 0; e < elements; e++) {
        double at[8][3], squared = 0;
        gather(position, e, at);
        for (int axis = 0; axis < 3; axis++)
            squared += std::pow(0.5 * (at[0][axis] + at[6][axis]) - 0.2, 2);
        const double heat = std::exp(-squared / 0.03);
        mass[e] = element_volume(at) * (1 + 0.2 * heat);
        energy[e] = mass[e] * 2.5 * (1 + heat);
        for (int c = 0; c < 8; c++)
            node_mass[element_nodes[e][c]] += mass[e] / 8;
    }
}

NOINLINE static double internal_energy() {
    double sum = 0;
    for (int e = 0; e < elements; e++)
        sum += energy[e];
    return sum;
}

NOINLINE static double kinetic_energy() {
    double sum = 0;
    for (int n = 0; n < nodes; n++)
        for (int axis = 0; axis < 3; axis++)
            sum += 0.5 * node_mass[n] * velocity[n][axis] * velocity[n][axis];
    return sum;
}

int main(int count, char** arguments) {
    const long steps = work_steps(count, arguments, 350);
    make_mesh();
    find_corners();
    set_gas();
    const double total = internal_energy();
    double time = 0;
    for (long step = 0; step < steps; step++) {
        update_states();
        compute_forces();
        const double time_step = stable_time_step();
        sum_forces();
        move_nodes(time_step);
        update_energies(time_step);
        time += time_step;
    }
    const double internal = internal_energy(), kinetic = kinetic_energy();
    double volumes = 0;
    update_states();
    for (double v : volume)
        volumes += v;
    std::printf("hydrodynamics: %ld steps of %d elements, time %.9f\n", steps, elements, time);
    std::printf("energy: internal %.9f, kinetic %.9e, relative change %.1e\n", internal, kinetic,
                (internal + kinetic - total) / total);
    std::printf("volume %.12f, pressures %.9f to %.9f\n", volumes,
                *std::min_element(pressure, pressure + elements),
                *std::max_element(pressure, pressure + elements));
    return 0;
}
