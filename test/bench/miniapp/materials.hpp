// Many materials, each with separate functions, which make the mini-application's list of functions
// long. The numbers of cells of materials follow Zipf's law.
#pragma once

#include <array>
#include <utility>

#include "vectors.hpp"

namespace mini {

inline constexpr std::size_t material_count = 160;

template <std::size_t N>
struct Material {
    static constexpr double gamma = 1.2 + 0.005 * static_cast<double>(N);
    static constexpr double stiffness = 0.1 + 0.01 * static_cast<double>(N % 7);

    // By a series: materials differ in the number of terms.
    static double pressure(double density, double energy) {
        double sum = 0, term = (gamma - 1) * density * energy;
        for (std::size_t i = 1; i < 4 + N % 9; i++) {
            sum += term;
            term *= stiffness * density / static_cast<double>(i);
        }
        return sum;
    }
    static double sound_speed(double density, double pressure) {
        return std::sqrt(gamma * (pressure + stiffness) / density);
    }
    // Energy at which the pressure is `wanted`, by Newton's method.
    static double energy_at(double density, double wanted) {
        double energy = 1;
        for (std::size_t i = 0; i < 3 + N % 3; i++) {
            const double here = pressure(density, energy);
            const double slope = (pressure(density, energy + 1e-4) - here) * 1e4;
            energy -= (here - wanted) / slope;
        }
        return energy;
    }
};

struct MaterialFunctions {
    double (*pressure)(double density, double energy);
    double (*sound_speed)(double density, double pressure);
    double (*energy_at)(double density, double wanted);
};

template <std::size_t... N>
constexpr std::array<MaterialFunctions, sizeof...(N)>
make_materials(std::integer_sequence<std::size_t, N...>) {
    return {MaterialFunctions{Material<N>::pressure, Material<N>::sound_speed,
                              Material<N>::energy_at}...};
}
inline constexpr auto materials =
    make_materials(std::make_integer_sequence<std::size_t, material_count>{});

// The material of each cell: number k has 1 / (k + 1) of the cells that number 0 has, but at least
// one.
inline Field<std::size_t> spread_materials(std::size_t cells, Random& random) {
    std::array<double, material_count> until{};
    double sum = 0;
    for (std::size_t k : Range(material_count))
        until[k] = sum += 1.0 / static_cast<double>(k + 1);
    Field<std::size_t> result(cells);
    for (std::size_t cell : Range(cells)) {
        std::size_t k = cell;
        if (cell >= material_count) {
            const double drawn = random.uniform() * sum;
            for (k = 0; until[k] < drawn && k + 1 < material_count;)
                k++;
        }
        result[cell] = k;
    }
    return result;
}

}  // namespace mini
