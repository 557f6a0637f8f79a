// The time stepping. See solver.hpp.
#include "solver.hpp"

#include "kernel.hpp"
#include "regions.hpp"

#include <algorithm>

namespace shallow_water {

namespace {

// The halo in x, then the walls in y with the corners; the other halo rows come from neighbours. A
// wall mirrors; sign is -1 for the momentum across it, otherwise 1.
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

void fill_walls_y(Field<double>& field, double sign) {
    const int last = field.ny();
    const bool has_lower_wall = is_first_process();
    const bool has_upper_wall = is_last_process();
    for (int i = 0; i <= field.nx() + 1; i++) {
        if (has_lower_wall) {
            field(i, 0) = sign * field(i, 1);
        }
        if (has_upper_wall) {
            field(i, last + 1) = sign * field(i, last);
        }
    }
}

}  // namespace

Solver::Solver(const Grid& lake, Boundary boundary)
    : lake_grid_(lake), grid_(part_of_this_process(lake)), boundary_(boundary), state_(grid_),
      next_(grid_), bed_(grid_) {}

HaloExchange Solver::start_halo() {
    REGION("halo");
    fill_halo_x(state_.h, boundary_, 1.0);
    fill_halo_x(state_.hu, boundary_, -1.0);
    fill_halo_x(state_.hv, boundary_, 1.0);
    fill_halo_x(bed_, boundary_, 1.0);
    if (boundary_ == Boundary::wall) {
        fill_walls_y(state_.h, 1.0);
        fill_walls_y(state_.hu, 1.0);
        fill_walls_y(state_.hv, -1.0);
        fill_walls_y(bed_, 1.0);
    }
    return HaloExchange({&state_.h, &state_.hu, &state_.hv, &bed_},
                        boundary_ == Boundary::periodic);
}

// Half of what is stable in one dimension: keeps depths positive (CFL condition).
double Solver::stable_time_step() const {
    constexpr double courant_number = 0.5;
    const double rate =
        largest_of_all(sw_max_wave_rate(grid_.nx, grid_.ny, grid_.dx, grid_.dy, state_.h.data(),
                                        state_.hu.data(), state_.hv.data()));
    return rate > 0.0 ? courant_number / rate : 1.0;
}

void Solver::step(double end_time) {
    if (is_late_) {
        compute_in_vain();  // the others wait to agree on the time step
        const double dt = std::min(stable_time_step(), end_time - time_);
        compute_in_vain();  // neighbours wait for rows
        HaloExchange halo = start_halo();
        advance(halo, dt);
        return;
    }
    HaloExchange halo = start_halo();
    // The time step does not need the halo, so the rows can travel meanwhile.
    advance(halo, std::min(stable_time_step(), end_time - time_));
}

// Its results are overwritten.
void Solver::compute_in_vain() {
    REGION("in vain");
    constexpr int sweeps = 30;
    for (int i = 0; i < sweeps; i++) {
        sw_sweep_x(grid_.nx, grid_.ny, 0.0, state_.h.data(), state_.hu.data(), state_.hv.data(),
                   bed_.data(), next_.h.data(), next_.hu.data(), next_.hv.data());
    }
}

void Solver::advance(HaloExchange& halo, double dt) {
    {
        REGION("halo");
        halo.wait();
    }
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

Lake Solver::gather_lake() const {
    Lake lake(is_first_process() ? lake_grid_ : Grid{});
    lake.state.h = gather(state_.h, lake_grid_);
    lake.state.hu = gather(state_.hu, lake_grid_);
    lake.state.hv = gather(state_.hv, lake_grid_);
    lake.bed = gather(bed_, lake_grid_);
    return lake;
}

}  // namespace shallow_water
