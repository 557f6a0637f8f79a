// Checks of the solver against what is known without it.
#pragma once

namespace shallow_water {

// Runs all checks and prints a line for each. Returns whether all passed.
bool verify();

}  // namespace shallow_water
