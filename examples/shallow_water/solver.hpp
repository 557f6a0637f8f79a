// The time stepping: boundary conditions, time step, and calls of the kernel.
#pragma once

#include "field.hpp"
#include "processes.hpp"

namespace shallow_water {

enum class Boundary {
    wall,      // reflects: nothing flows out
    periodic,  // what leaves on one side enters on the other
};

// The whole lake, for what is computed from all cells at once.
struct Lake {
    explicit Lake(const Grid& all) : grid(all), state(all), bed(all) {}

    Grid grid;
    State state;
    Field<double> bed;
};

class Solver {
  public:
    // All depths are zero at first; set them through state() and bed() before the first step.
    // Throws std::invalid_argument if the lake has fewer rows than there are processes.
    Solver(const Grid& lake, Boundary boundary);

    // Of this process: its part of the lake.
    const Grid& grid() const { return grid_; }
    State& state() { return state_; }
    const State& state() const { return state_; }
    Field<double>& bed() { return bed_; }
    const Field<double>& bed() const { return bed_; }
    double time() const { return time_; }

    // Returns the lake to the first process, and a lake without cells to the others.
    Lake gather_lake() const;

    // From now on this process computes several times as much as it must, and sends its rows only
    // after that: an example of a process that others wait for. The results do not change.
    void be_late() { is_late_ = true; }

    // Advances by one stable time step, but not beyond end_time (seconds).
    void step(double end_time);

  private:
    double stable_time_step() const;
    HaloExchange start_halo();
    void compute_in_vain();
    void advance(HaloExchange& halo, double dt);

    Grid lake_grid_;
    Grid grid_;
    Boundary boundary_;
    State state_;
    State next_;
    Field<double> bed_;
    double time_ = 0.0;
    bool is_late_ = false;
};

}  // namespace shallow_water
