// The time stepping. See solver.hpp.
#include "solver.hpp"

#include "kernel.hpp"
#include "regions.hpp"

#include <algorithm>

namespace shallow_water {

namespace {

// The halo in x, then in y with the corners: a parallel version replaces the sides that touch a
// neighbour by an exchange. A wall mirrors; sign is -1 for the momentum across it, else 1.
void fill_halo_x(Field<double>& field, Boundary boundary, double sign) {
    const int last = field.nx();
    for (int j = 1; j <= field.ny(); j++) {
        if (boundary == Boundary::wall) {
            field(0, j) = sign * field(1, j);
            field(last + 1, j) = sign * field(last, j);
        } else {
            field(0, j) = field(last, j);
            field(last + 1, j) = field(1, j);
        }
    }
}

void fill_halo_y(Field<double>& field, Boundary boundary, double sign) {
    const int last = field.ny();
    for (int i = 0; i <= field.nx() + 1; i++) {
        if (boundary == Boundary::wall) {
            field(i, 0) = sign * field(i, 1);
            field(i, last + 1) = sign * field(i, last);
        } else {
            field(i, 0) = field(i, last);
            field(i, last + 1) = field(i, 1);
        }
    }
}

}  // namespace

Solver::Solver(const Grid& grid, Boundary boundary)
    : grid_(grid), boundary_(boundary), state_(grid), next_(grid), bed_(grid) {}

void Solver::fill_halo() {
    REGION("halo");
    fill_halo_x(state_.h, boundary_, 1.0);
    fill_halo_x(state_.hu, boundary_, -1.0);
    fill_halo_x(state_.hv, boundary_, 1.0);
    fill_halo_x(bed_, boundary_, 1.0);
    fill_halo_y(state_.h, boundary_, 1.0);
    fill_halo_y(state_.hu, boundary_, 1.0);
    fill_halo_y(state_.hv, boundary_, -1.0);
    fill_halo_y(bed_, boundary_, 1.0);
}

// Half of what is stable in one dimension: keeps depths positive (CFL condition).
double Solver::stable_time_step() const {
    constexpr double courant_number = 0.5;
    const double rate = sw_max_wave_rate(grid_.nx, grid_.ny, grid_.dx, grid_.dy, state_.h.data(),
                                         state_.hu.data(), state_.hv.data());
    return rate > 0.0 ? courant_number / rate : 1.0;
}

void Solver::step(double end_time) {
    fill_halo();
    const double dt = std::min(stable_time_step(), end_time - time_);
    next_ = state_;
    {
        REGION("sweeps");
        sw_sweep_x(grid_.nx, grid_.ny, dt / grid_.dx, state_.h.data(), state_.hu.data(),
                   state_.hv.data(), bed_.data(), next_.h.data(), next_.hu.data(), next_.hv.data());
        sw_sweep_y(grid_.nx, grid_.ny, dt / grid_.dy, state_.h.data(), state_.hu.data(),
                   state_.hv.data(), bed_.data(), next_.h.data(), next_.hu.data(), next_.hv.data());
    }
    swap(state_.h, next_.h);
    swap(state_.hu, next_.hu);
    swap(state_.hv, next_.hv);
    time_ += dt;
}

}  // namespace shallow_water
