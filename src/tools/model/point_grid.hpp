// The points at which runs were made, and data about them that all paths need, computed once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/scaling_model.hpp"

namespace vftrace {

class PointGrid {
  public:
    // Runs are at the same point if these parameters, bits by index, are equal; the others count as
    // equal and have the values of the first run.
    PointGrid(const std::vector<std::vector<double>>& runs, std::uint32_t parameters);

    const std::vector<std::vector<double>>& points() const { return points_; }
    std::span<const std::uint32_t> point_of_runs() const { return point_of_; }
    // Values of a factor, by point.
    const std::vector<double>& column(const Factor& factor) const;
    // Lists of two or more points that differ only in this parameter.
    const std::vector<std::vector<std::uint32_t>>& lines(std::uint32_t parameter) const {
        return lines_[parameter];
    }

  private:
    std::vector<std::vector<double>> points_;
    std::vector<std::uint32_t> point_of_;
    std::vector<std::vector<std::vector<std::uint32_t>>> lines_;  // by parameter
    mutable std::map<std::uint32_t, std::vector<double>> columns_;
};

}  // namespace vftrace
