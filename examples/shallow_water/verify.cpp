// Checks of the solver against known results. See verify.hpp.
#include "verify.hpp"

#include "diagnostics.hpp"
#include "scenarios.hpp"

#include <cmath>
#include <cstdio>
#include <initializer_list>

namespace shallow_water {

namespace {

// Only the first process has values to check; the others always pass.
bool report(const char* what, double value, double limit) {
    if (!is_first_process()) {
        return true;
    }
    const bool passed = value <= limit;  // false for NaN as well
    std::printf("%-56s %10.3e  limit %8.1e  %s\n", what, value, limit, passed ? "ok" : "FAILED");
    return passed;
}

void run_until(Solver& solver, double end_time) {
    while (solver.time() < end_time) {
        solver.step(end_time);
    }
}

// Mean error of the depth along the channel, against Stoker's solution.
double dam_break_error(int cells, Direction direction) {
    constexpr double end_time = 6.0;
    Solver solver = make_dam_break(cells, direction);
    run_until(solver, end_time);
    const Lake channel = solver.gather_lake();
    const bool along_x = direction == Direction::x;
    const int length = along_x ? channel.grid.nx : channel.grid.ny;
    double sum = 0.0;
    for (int k = 1; k <= length; k++) {
        const double distance = along_x ? channel.grid.x(k) : channel.grid.y(k);
        const double depth = along_x ? channel.state.h(k, 2) : channel.state.h(2, k);
        sum += std::abs(depth - dam_break_depth(distance, end_time));
    }
    return sum / cells;
}

bool verify_lake_at_rest() {
    Solver solver = make_lake_at_rest(64, 48);
    run_until(solver, 10.0);
    return report("lake at rest: largest speed, m/s", diagnose(solver.gather_lake()).max_speed,
                  1e-12);
}

bool verify_dam_break() {
    bool passed = true;
    for (const Direction direction : {Direction::x, Direction::y}) {
        const double coarse = dam_break_error(200, direction);
        const double fine = dam_break_error(400, direction);
        const bool along_x = direction == Direction::x;
        passed &= report(along_x ? "dam break along x: L1 error of the depth, 400 cells, m"
                                 : "dam break along y: L1 error of the depth, 400 cells, m",
                         fine, 0.012);
        passed &= report("  ratio to the error of 200 cells", fine / coarse, 0.7);
    }
    return passed;
}

bool verify_conservation() {
    Solver solver = make_drop(64, 64);
    const Diagnostics before = diagnose(solver.gather_lake());
    run_until(solver, 20.0);
    const Diagnostics after = diagnose(solver.gather_lake());
    bool passed = report("drop: relative change of the mass",
                         std::abs(after.mass - before.mass) / before.mass, 1e-13);
    passed &= report("drop: energy in the end / at the start", after.energy / before.energy, 1.0);
    return passed;
}

}  // namespace

bool verify() {
    const bool lake = verify_lake_at_rest();
    const bool dam = verify_dam_break();
    const bool conservation = verify_conservation();
    return lake && dam && conservation;
}

}  // namespace shallow_water
