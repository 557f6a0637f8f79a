// The time stepping: boundary conditions, time step, and calls of the kernel.
#pragma once

#include "field.hpp"

namespace shallow_water {

enum class Boundary {
    wall,      // reflects: nothing flows out
    periodic,  // what leaves on one side enters on the other
};

class Solver {
  public:
    // All depths are zero at first; set them through state() and bed() before the first step.
    Solver(const Grid& grid, Boundary boundary);

    const Grid& grid() const { return grid_; }
    State& state() { return state_; }
    const State& state() const { return state_; }
    Field<double>& bed() { return bed_; }
    const Field<double>& bed() const { return bed_; }
    double time() const { return time_; }

    // Advances by one stable time step, but not beyond end_time (seconds).
    void step(double end_time);

  private:
    double stable_time_step() const;
    void fill_halo();

    Grid grid_;
    Boundary boundary_;
    State state_;
    State next_;
    Field<double> bed_;
    double time_ = 0.0;
};

}  // namespace shallow_water
