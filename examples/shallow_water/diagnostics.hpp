// Diagnostics of a state for monitoring a run: mass, energy, speed, and a checksum.
#pragma once

#include "solver.hpp"

#include <cstdint>
#include <string>

namespace shallow_water {

struct Diagnostics {
    double mass = 0.0;         // volume of the water, m^3
    double energy = 0.0;       // kinetic and potential, divided by the density
    double max_speed = 0.0;    // m/s
    double surface_min = 0.0;  // lowest and highest height of the surface where it is wet, m
    double surface_max = 0.0;
};

Diagnostics diagnose(const Lake& lake);

// A number that differs for any two states that differ by more than about 1e-9 m in a depth, and
// is the same for every order of summation.
std::uint64_t checksum(const State& state);

// Writes the surface, from its lowest (black) to its highest (white), as a PGM image. Dry cells are
// black. Throws std::runtime_error if the file cannot be written.
void write_image(const Lake& lake, const std::string& path);

}  // namespace shallow_water
