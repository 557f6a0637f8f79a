// Diagnostics of a state for monitoring a run. See diagnostics.hpp.
#include "diagnostics.hpp"

#include "kernel.hpp"
#include "regions.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace shallow_water {

namespace {

// A sum with separately accumulated rounding errors (A. Neumaier, ZAMM 54, 1974): the mass of many
// cells must not seem to change only because of the summation.
class AccurateSum {
  public:
    void add(double value) {
        const double sum = sum_ + value;
        const bool sum_is_larger = std::abs(sum_) >= std::abs(value);
        error_ += sum_is_larger ? (sum_ - sum) + value : (value - sum) + sum_;
        sum_ = sum;
    }
    double value() const { return sum_ + error_; }

  private:
    double sum_ = 0.0;
    double error_ = 0.0;
};

}  // namespace

Diagnostics diagnose(const Lake& lake) {
    REGION("diagnostics");
    const State& state = lake.state;
    AccurateSum volume;
    AccurateSum energy;
    Diagnostics result;
    result.surface_min = std::numeric_limits<double>::max();
    result.surface_max = std::numeric_limits<double>::lowest();
    for (int j = 1; j <= lake.grid.ny; j++) {
        for (int i = 1; i <= lake.grid.nx; i++) {
            const double h = state.h(i, j);
            volume.add(h);
            if (h <= dry_depth) {
                continue;
            }
            const double u = state.hu(i, j) / h;
            const double v = state.hv(i, j) / h;
            const double bed = lake.bed(i, j);
            energy.add(0.5 * h * (u * u + v * v) + gravity * h * (0.5 * h + bed));
            result.max_speed = std::max(result.max_speed, std::hypot(u, v));
            result.surface_min = std::min(result.surface_min, h + bed);
            result.surface_max = std::max(result.surface_max, h + bed);
        }
    }
    result.mass = volume.value() * lake.grid.cell_area();
    result.energy = energy.value() * lake.grid.cell_area();
    return result;
}

std::uint64_t checksum(const State& state) {
    std::uint64_t sum = 0;
    for (int j = 1; j <= state.h.ny(); j++) {
        for (int i = 1; i <= state.h.nx(); i++) {
            const auto cell = static_cast<std::uint64_t>(j) * 1000003U + static_cast<unsigned>(i);
            sum += static_cast<std::uint64_t>(std::llround(state.h(i, j) * 1e9)) * (2 * cell + 1);
        }
    }
    return sum;
}

void write_image(const Lake& lake, const std::string& path) {
    const Grid& grid = lake.grid;
    const Diagnostics range = diagnose(lake);
    const double height = range.surface_max - range.surface_min;
    std::ofstream file(path, std::ios::binary);
    file << "P5\n" << grid.nx << ' ' << grid.ny << "\n255\n";
    for (int j = grid.ny; j >= 1; j--) {
        for (int i = 1; i <= grid.nx; i++) {
            const double h = lake.state.h(i, j);
            const double above = h + lake.bed(i, j) - range.surface_min;
            const bool visible = h > dry_depth && height > 0.0;
            file.put(static_cast<char>(visible ? std::lround(255.0 * above / height) : 0));
        }
    }
    file.flush();
    if (!file) {
        throw std::runtime_error("cannot write " + path);
    }
}

}  // namespace shallow_water
