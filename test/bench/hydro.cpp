// Sound waves in a box of n x n x n cells, run to a fixed time: an explicit scheme whose time step
// shrinks with the cells, so the work grows like n^4, as that of LULESH does.
//
//   hydro N
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Box {
    std::size_t n;
    std::vector<double> pressure, x, y, z;  // velocities on the faces before the cells

    explicit Box(std::size_t cells)
        : n(cells), pressure(cells * cells * cells, 1), x(pressure.size()), y(x), z(x) {}
    std::size_t at(std::size_t i, std::size_t j, std::size_t k) const {
        return (i * n + j) * n + k;
    }
};

__attribute__((noinline)) void start(Box& box) {
    for (std::size_t i = 0; i < box.n; i++)
        for (std::size_t j = 0; j < box.n; j++)
            for (std::size_t k = 0; k < box.n; k++) {
                const double r = std::hypot(double(i), double(j), double(k)) / double(box.n);
                box.pressure[box.at(i, j, k)] = 1 + std::exp(-20 * r * r);
            }
}

// The largest time step that keeps the scheme stable: it looks at all cells.
__attribute__((noinline)) double time_step(const Box& box) {
    double fastest = 0;
    for (std::size_t i = 0; i < box.pressure.size(); i++)
        fastest =
            std::max(fastest, 1 + std::abs(box.x[i]) + std::abs(box.y[i]) + std::abs(box.z[i]));
    return 0.3 / (fastest * double(box.n));
}

__attribute__((noinline)) void accelerate(Box& box, double dt) {
    const double factor = dt * double(box.n);
    for (std::size_t i = 1; i < box.n; i++)
        for (std::size_t j = 1; j < box.n; j++)
            for (std::size_t k = 1; k < box.n; k++) {
                const std::size_t here = box.at(i, j, k);
                box.x[here] -= factor * (box.pressure[here] - box.pressure[box.at(i - 1, j, k)]);
                box.y[here] -= factor * (box.pressure[here] - box.pressure[box.at(i, j - 1, k)]);
                box.z[here] -= factor * (box.pressure[here] - box.pressure[box.at(i, j, k - 1)]);
            }
}

__attribute__((noinline)) void compress(Box& box, double dt) {
    const double factor = dt * double(box.n);
    for (std::size_t i = 0; i + 1 < box.n; i++)
        for (std::size_t j = 0; j + 1 < box.n; j++)
            for (std::size_t k = 0; k + 1 < box.n; k++) {
                const std::size_t here = box.at(i, j, k);
                box.pressure[here] -= factor * (box.x[box.at(i + 1, j, k)] - box.x[here] +
                                                box.y[box.at(i, j + 1, k)] - box.y[here] +
                                                box.z[box.at(i, j, k + 1)] - box.z[here]);
            }
}

// The faces of the box: n^2 work.
__attribute__((noinline)) void reflect(Box& box) {
    for (std::size_t i = 0; i < box.n; i++)
        for (std::size_t j = 0; j < box.n; j++)
            box.x[box.at(0, i, j)] = box.y[box.at(i, 0, j)] = box.z[box.at(i, j, 0)] = 0;
}

int main(int, char** arguments) {
    Box box(static_cast<std::size_t>(std::atoi(arguments[1])));
    start(box);
    int steps = 0;
    for (double time = 0; time < 0.5; steps++) {
        const double dt = time_step(box);
        accelerate(box, dt);
        reflect(box);
        compress(box, dt);
        time += dt;
    }
    std::printf("%d steps, %.12g\n", steps, box.pressure[0]);
}
