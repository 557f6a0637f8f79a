// Checks of the solver against known results.
#pragma once

namespace shallow_water {

// Runs all checks and prints a line for each. Returns whether all passed.
bool verify();

}  // namespace shallow_water
