// All operations of wrappers/mpi_functions.txt, for the generated wrappers.
#pragma once

#include "mpi/collectives.hpp"
#include "mpi/completion.hpp"
#include "mpi/environment.hpp"
#include "mpi/one_sided.hpp"
#include "mpi/point_to_point.hpp"
