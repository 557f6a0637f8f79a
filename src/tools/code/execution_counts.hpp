// How often the instructions of a function ran, in proportion to each other, from samples.
#pragma once

#include <vector>

#include "code/function_loops.hpp"

namespace vftrace {

// For each instruction of the function: the time of its basic block, in ns, divided by the number
// of the block's instructions. Instructions of a block run equally often, but samples are at those
// that take long; instructions of different blocks are taken to need the same time on average.
std::vector<double> execution_counts(const AnnotatedFunction& function);

}  // namespace vftrace
