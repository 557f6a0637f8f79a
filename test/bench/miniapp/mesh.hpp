// An unstructured mesh of triangles: neighbours are stored.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "vectors.hpp"

namespace mini {

inline constexpr std::uint32_t no_cell = 0xffffffff;

class Mesh {
  public:
    // A square of `side` x `side` points that are not aligned; cells in random order.
    Mesh(std::size_t side, Random& random);

    std::size_t cells() const { return corners_.size(); }
    const Point<double>& corner(std::size_t cell, int i) const {
        return points_[corners_[cell][static_cast<std::size_t>(i)]];
    }
    std::uint32_t neighbour(std::size_t cell, int i) const {
        return neighbours_[cell][static_cast<std::size_t>(i)];
    }
    Point<double> centre(std::size_t cell) const {
        return (1.0 / 3.0) * (corner(cell, 0) + corner(cell, 1) + corner(cell, 2));
    }
    double area(std::size_t cell) const {
        return 0.5 * std::fabs(cross(corner(cell, 1) - corner(cell, 0),
                                     corner(cell, 2) - corner(cell, 0)));
    }
    // Of the edge from corner i to the next one.
    double edge(std::size_t cell, int i) const {
        return length(corner(cell, (i + 1) % 3) - corner(cell, i));
    }

  private:
    void connect();

    std::vector<Point<double>> points_;
    std::vector<std::array<std::uint32_t, 3>> corners_, neighbours_;
};

inline Mesh::Mesh(std::size_t side, Random& random) {
    const double step = 1.0 / static_cast<double>(side - 1);
    for (std::size_t j : Range(side))
        for (std::size_t i : Range(side))
            points_.emplace_back((static_cast<double>(i) + 0.3 * random.uniform()) * step,
                                 (static_cast<double>(j) + 0.3 * random.uniform()) * step);
    for (std::size_t j : Range(side - 1))
        for (std::size_t i : Range(side - 1)) {
            const auto a = static_cast<std::uint32_t>(j * side + i);
            const auto up = static_cast<std::uint32_t>(a + side);
            corners_.push_back({a, a + 1, up});
            corners_.push_back({a + 1, up + 1, up});
        }
    for (std::size_t i = corners_.size() - 1; i > 0; i--)
        std::swap(corners_[i],
                  corners_[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
    connect();
}

inline void Mesh::connect() {
    struct Edge {
        std::uint64_t points;
        std::uint32_t cell;
        std::uint32_t side;
    };
    std::vector<Edge> edges;
    for (std::size_t cell : Range(cells()))
        for (std::uint32_t i = 0; i < 3; i++) {
            const std::uint64_t a = corners_[cell][i], b = corners_[cell][(i + 1) % 3];
            edges.push_back(
                {std::min(a, b) << 32 | std::max(a, b), static_cast<std::uint32_t>(cell), i});
        }
    std::sort(edges.begin(), edges.end(),
              [](const Edge& a, const Edge& b) { return a.points < b.points; });
    neighbours_.assign(cells(), {no_cell, no_cell, no_cell});
    for (std::size_t i = 1; i < edges.size(); i++)
        if (edges[i].points == edges[i - 1].points) {
            neighbours_[edges[i].cell][edges[i].side] = edges[i - 1].cell;
            neighbours_[edges[i - 1].cell][edges[i - 1].side] = edges[i].cell;
        }
}

}  // namespace mini
