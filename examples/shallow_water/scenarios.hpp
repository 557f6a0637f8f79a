// Initial states of runs, and the analytic solution of one of them.
#pragma once

#include "solver.hpp"

namespace shallow_water {

// A drop on a lake with a shoal and an island, surrounded by walls.
Solver make_drop(int nx, int ny);

// The same lake without the drop: nothing may move.
Solver make_lake_at_rest(int nx, int ny);

// A dam across a channel of 100 m length, which breaks at time 0. The channel runs along x or y.
enum class Direction { x, y };
Solver make_dam_break(int cells, Direction direction);

// The depth at a distance (m) from the dam of make_dam_break and a time (s) after it broke, before
// the waves reach an end: J. J. Stoker, Water Waves, 1957, section 10.8.
double dam_break_depth(double distance, double time);

}  // namespace shallow_water
