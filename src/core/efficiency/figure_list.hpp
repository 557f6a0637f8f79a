// The efficiencies of one region while they are computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "efficiency/efficiencies.hpp"

namespace vftrace {

enum class Efficiency : std::uint8_t {
#define VFTRACE_EFFICIENCY(id, title, explanation) id,
#include "efficiency/figures.inc"
#undef VFTRACE_EFFICIENCY
};

inline constexpr struct {
    std::string_view id, title, explanation;
} efficiency_rows[] = {
#define VFTRACE_EFFICIENCY(id, title, explanation) {#id, title, explanation},
#include "efficiency/figures.inc"
#undef VFTRACE_EFFICIENCY
};

class FigureList {
  public:
    explicit FigureList(std::vector<EfficiencyFigure>& figures) : figures_(figures) {}

    // Adds a part of a whole, or nothing if the whole is 0. A part that rounding has made larger
    // than its whole counts as the whole.
    void add(Efficiency id, int depth, double part, double whole, Bound bound = Bound::exact) {
        if (whole > 0)
            add_ratio(id, depth, std::clamp(part / whole, 0.0, 1.0), bound);
    }
    // Adds a value that may exceed 1.
    void add_ratio(Efficiency id, int depth, double value, Bound bound = Bound::exact) {
        const auto& row = efficiency_rows[static_cast<std::size_t>(id)];
        figures_.push_back(
            {row.id, row.title, value, static_cast<std::uint8_t>(depth), bound, row.explanation});
    }

  private:
    std::vector<EfficiencyFigure>& figures_;
};

}  // namespace vftrace
