// Turns sums over several runs of a program into means.
#pragma once

#include <cstddef>

#include "profile/profile.hpp"

namespace vftrace {

// Divides all sums over `runs` runs.
void make_means(Profile& sum, std::size_t runs);

}  // namespace vftrace
