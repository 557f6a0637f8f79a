#include "model/point_grid.hpp"

#include <utility>

namespace vftrace {

PointGrid::PointGrid(const std::vector<std::vector<double>>& runs, std::uint32_t parameters) {
    std::map<std::vector<double>, std::uint32_t> known;
    for (const std::vector<double>& run : runs) {
        std::vector<double> point = runs.front();
        for (std::size_t i = 0; i < point.size(); i++)
            if (parameters >> i & 1)
                point[i] = run[i];
        known.try_emplace(std::move(point), 0);
    }
    for (auto& [point, index] : known) {
        index = static_cast<std::uint32_t>(points_.size());
        points_.push_back(point);
    }
    for (const std::vector<double>& run : runs) {
        std::vector<double> point = runs.front();
        for (std::size_t i = 0; i < point.size(); i++)
            if (parameters >> i & 1)
                point[i] = run[i];
        point_of_.push_back(known.at(point));
    }
    lines_.resize(runs.front().size());
    for (std::size_t parameter = 0; parameter < lines_.size(); parameter++) {
        std::map<std::vector<double>, std::vector<std::uint32_t>> by_others;
        for (std::uint32_t i = 0; i < points_.size(); i++) {
            std::vector<double> others = points_[i];
            others[parameter] = 0;
            by_others[std::move(others)].push_back(i);
        }
        for (auto& [others, line] : by_others)
            if (line.size() > 1)
                lines_[parameter].push_back(std::move(line));
    }
}

const std::vector<double>& PointGrid::column(const Factor& factor) const {
    const Exponents& e = factor.exponents;
    const std::uint32_t key =
        factor.parameter << 24 | static_cast<std::uint32_t>(e.numerator + 128) << 16 |
        static_cast<std::uint32_t>(e.denominator) << 8 | static_cast<std::uint32_t>(e.log);
    std::vector<double>& known = columns_[key];
    if (known.empty())
        for (const std::vector<double>& point : points_)
            known.push_back(e(point[factor.parameter]));
    return known;
}

}  // namespace vftrace
