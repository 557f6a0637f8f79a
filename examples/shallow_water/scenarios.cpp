// Initial states of runs. See scenarios.hpp.
#include "scenarios.hpp"

#include "kernel.hpp"

#include <algorithm>
#include <cmath>

namespace shallow_water {

namespace {

constexpr double lake_size = 100.0;  // m
constexpr double lake_surface = 2.0;
constexpr double depth_behind_dam = 2.0;
constexpr double depth_before_dam = 0.5;
constexpr double channel_length = 100.0;

// A smooth hill of the given height and width around a point.
double hill(double x, double y, double height, double width) {
    return height * std::exp(-(x * x + y * y) / (width * width));
}

Solver make_lake(int nx, int ny, double drop_height) {
    Solver solver({nx, ny, lake_size / nx, lake_size / ny}, Boundary::wall);
    const Grid& grid = solver.grid();
    for (int j = 1; j <= grid.ny; j++) {
        for (int i = 1; i <= grid.nx; i++) {
            const double x = grid.x(i);
            const double y = grid.y(j);
            const double shoal = hill(x - 30.0, y - 65.0, 1.2, 15.0);
            const double island = hill(x - 70.0, y - 70.0, 3.0, 10.0);
            const double surface = lake_surface + hill(x - 40.0, y - 30.0, drop_height, 6.0);
            solver.bed()(i, j) = shoal + island;
            solver.state().h(i, j) = std::max(0.0, surface - solver.bed()(i, j));
        }
    }
    return solver;
}

// The state between the two waves of a broken dam.
struct MiddleState {
    double depth;
    double speed;
    double shock_speed;
};

// The rarefaction wave gives the speed 2 (c_behind - c) for a depth, the shock another one that
// grows with the depth: they agree at one depth, found by bisection.
MiddleState solve_middle_state() {
    const double c_behind = std::sqrt(gravity * depth_behind_dam);
    double low = depth_before_dam;
    double high = depth_behind_dam;
    double depth = 0.0;
    double speed = 0.0;
    for (int i = 0; i < 100; i++) {
        depth = 0.5 * (low + high);
        speed = 2.0 * (c_behind - std::sqrt(gravity * depth));
        const double behind_shock =
            (depth - depth_before_dam) *
            std::sqrt(0.5 * gravity * (depth + depth_before_dam) / (depth * depth_before_dam));
        (behind_shock < speed ? low : high) = depth;
    }
    return {depth, speed, speed * depth / (depth - depth_before_dam)};
}

}  // namespace

Solver make_drop(int nx, int ny) { return make_lake(nx, ny, 1.0); }

Solver make_lake_at_rest(int nx, int ny) { return make_lake(nx, ny, 0.0); }

Solver make_dam_break(int cells, Direction direction) {
    constexpr int width = 4;  // cells across the channel
    const bool along_x = direction == Direction::x;
    const double size = channel_length / cells;
    constexpr double middle = 0.5 * channel_length;
    Solver solver(along_x ? Grid{cells, width, size, size, -middle, 0.0}
                          : Grid{width, cells, size, size, 0.0, -middle},
                  Boundary::wall);
    const Grid& grid = solver.grid();
    for (int j = 1; j <= grid.ny; j++) {
        for (int i = 1; i <= grid.nx; i++) {
            const double distance = along_x ? grid.x(i) : grid.y(j);
            solver.state().h(i, j) = distance < 0.0 ? depth_behind_dam : depth_before_dam;
        }
    }
    return solver;
}

double dam_break_depth(double distance, double time) {
    static const MiddleState middle = solve_middle_state();
    const double c_behind = std::sqrt(gravity * depth_behind_dam);
    const double speed = distance / time;
    if (speed < -c_behind) {
        return depth_behind_dam;
    }
    if (speed < middle.speed - std::sqrt(gravity * middle.depth)) {
        const double c = (2.0 * c_behind - speed) / 3.0;
        return c * c / gravity;
    }
    return speed < middle.shock_speed ? middle.depth : depth_before_dam;
}

}  // namespace shallow_water
