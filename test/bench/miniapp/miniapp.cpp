// A typical scientific mini-application in C++: gas of many materials on a mesh of triangles, heat
// by conjugate gradients, particles; templates, iterators, small getters. More than 500 functions,
// from some that are called 10^8 times to some that are called once; two threads, each of which has
// a part of the domain. Its result is always the same.
//
//   miniapp [STEPS]
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "materials.hpp"
#include "mesh.hpp"
#include "particles.hpp"
#include "sparse.hpp"

namespace mini {

struct State {
    Field<double> density, energy, pressure, speed, temperature;
    Field<std::size_t> material;
};

static State initial_state(const Mesh& mesh, Random& random) {
    const std::size_t n = mesh.cells();
    State state{Field<double>(n, 1), Field<double>(n, 1),   Field<double>(n, 0),
                Field<double>(n, 0), Field<double>(n, 300), spread_materials(n, random)};
    for (std::size_t cell : Range(n)) {
        state.density[cell] = 0.5 + random.uniform();
        state.energy[cell] = 1 + length(mesh.centre(cell));
    }
    return state;
}

static void equations_of_state(State& state) {
    for (std::size_t cell : Range(state.density.size())) {
        const MaterialFunctions& material = materials[state.material[cell]];
        const double density = state.density[cell];
        state.pressure[cell] = material.pressure(density, state.energy[cell]);
        state.speed[cell] = material.sound_speed(density, state.pressure[cell]);
    }
}

// Brings every tenth cell to the pressure of its neighbours.
static void relax(const Mesh& mesh, State& state, std::size_t phase) {
    for (std::size_t cell = phase % 10; cell < mesh.cells(); cell += 10) {
        double sum = state.pressure[cell], count = 1;
        for (int i = 0; i < 3; i++)
            if (const std::uint32_t other = mesh.neighbour(cell, i); other != no_cell) {
                sum += state.pressure[other];
                count++;
            }
        state.energy[cell] =
            materials[state.material[cell]].energy_at(state.density[cell], sum / count);
    }
}

static double flux(const Mesh& mesh, const State& state, std::size_t cell, int side) {
    const std::uint32_t other = mesh.neighbour(cell, side);
    if (other == no_cell)
        return 0;
    const double difference = state.pressure[other] - state.pressure[cell];
    const double fastest = std::max(state.speed[other], state.speed[cell]);
    return mesh.edge(cell, side) * difference / (1 + fastest);
}

static void transport(const Mesh& mesh, State& state, double step, Field<double>& change) {
    for (std::size_t cell : Range(mesh.cells())) {
        double sum = 0;
        for (int side = 0; side < 3; side++)
            sum += flux(mesh, state, cell, side);
        change[cell] = step * sum;
    }
    for (std::size_t cell : Range(mesh.cells()))
        state.energy[cell] += change[cell];
}

static double step_limit(const Mesh& mesh, const State& state) {
    double limit = 1;
    for (std::size_t cell : Range(mesh.cells()))
        limit = std::min(limit, std::sqrt(mesh.area(cell)) / state.speed[cell]);
    return limit;
}

static void heat_by_particles(const Mesh& mesh, const Particles& particles, State& state) {
    for (std::size_t i : Range(particles.count())) {
        const std::size_t cell = i * 7919 % mesh.cells();
        const double distance = length(mesh.centre(cell) - particles.position(i));
        state.temperature[cell] += 1e-3 / (1e-2 + distance);
    }
}

static double simulate(unsigned part, int steps) {
    Random random(part + 1);
    const Mesh mesh(121, random);
    State state = initial_state(mesh, random);
    const SparseMatrix matrix = diffusion_matrix(mesh, 1e-4);
    Particles particles(8000, random);
    Field<double> change(mesh.cells()), right(mesh.cells());
    double result = 0;
    for (int step = 0; step < steps; step++) {
        equations_of_state(state);
        relax(mesh, state, static_cast<std::size_t>(step));
        transport(mesh, state, 0.1 * step_limit(mesh, state), change);
        particles.step(1e-3);
        heat_by_particles(mesh, particles, state);
        for (std::size_t cell : Range(mesh.cells()))
            right[cell] = mesh.area(cell) * state.temperature[cell];
        result += solve(matrix, right, state.temperature, 12);
    }
    for (std::size_t cell : Range(mesh.cells()))
        result += state.energy[cell] + state.temperature[cell];
    return result + particles.energy();
}

}  // namespace mini

int main(int count, char** arguments) {
    const int steps = count > 1 ? std::atoi(arguments[1]) : 150;
    double other = 0;
    std::thread second([&] { other = mini::simulate(1, steps); });
    const double own = mini::simulate(0, steps);
    second.join();
    std::printf("%.9g\n", own + other);
    return 0;
}
