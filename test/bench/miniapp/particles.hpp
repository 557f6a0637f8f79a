// Particles that repel each other, found by boxes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "vectors.hpp"

namespace mini {

class Particles {
  public:
    Particles(std::size_t count, Random& random)
        : boxes_per_side_(static_cast<std::size_t>(std::sqrt(static_cast<double>(count) / 4))),
          reach_(1.0 / static_cast<double>(boxes_per_side_)), velocity_(count), force_(count) {
        for (std::size_t i = 0; i < count; i++)
            position_.emplace_back(random.uniform(), random.uniform());
    }

    std::size_t count() const { return position_.size(); }
    const Point<double>& position(std::size_t i) const { return position_[i]; }

    void step(double time) {
        sort_into_boxes();
        for (std::size_t i : Range(count()))
            force_[i] = force_on(i);
        move(time);
    }
    double energy() const {
        double sum = 0;
        for (std::size_t i : Range(count()))
            sum += dot(velocity_[i], velocity_[i]);
        return sum;
    }

  private:
    std::size_t box_number(double x) const {
        const double box = std::clamp(x, 0.0, 1.0) / reach_;
        return std::min(static_cast<std::size_t>(box), boxes_per_side_ - 1);
    }
    std::size_t box_of(const Point<double>& point) const {
        return box_number(point.y()) * boxes_per_side_ + box_number(point.x());
    }
    void sort_into_boxes() {
        first_.assign(boxes_per_side_ * boxes_per_side_, none);
        next_.assign(count(), none);
        for (std::size_t i : Range(count())) {
            std::uint32_t& first = first_[box_of(position_[i])];
            next_[i] = first;
            first = static_cast<std::uint32_t>(i);
        }
    }
    Point<double> repulsion(const Point<double>& a, const Point<double>& b) const {
        const double x = a.x() - b.x(), y = a.y() - b.y(), square = x * x + y * y;
        if (square >= reach_ * reach_ || square == 0)
            return {};
        const double distance = std::sqrt(square);
        return ((reach_ - distance) / (distance + 0.01 * reach_)) * Point<double>(x, y);
    }
    Point<double> force_in_box(std::size_t i, std::size_t box) const {
        Point<double> sum;
        for (std::uint32_t other = first_[box]; other != none; other = next_[other])
            sum += repulsion(position_[i], position_[other]);
        return sum;
    }
    Point<double> force_on(std::size_t i) const {
        Point<double> sum;
        const std::size_t x = box_number(position_[i].x()), y = box_number(position_[i].y());
        for (std::size_t v = y - (y > 0); v <= std::min(y + 1, boxes_per_side_ - 1); v++)
            for (std::size_t u = x - (x > 0); u <= std::min(x + 1, boxes_per_side_ - 1); u++)
                sum += force_in_box(i, v * boxes_per_side_ + u);
        return sum;
    }
    void move(double time) {
        for (std::size_t i : Range(count())) {
            velocity_[i] += time * force_[i];
            const Point<double> moved = position_[i] + time * velocity_[i];
            position_[i] = {std::clamp(moved.x(), 0.0, 1.0), std::clamp(moved.y(), 0.0, 1.0)};
        }
    }

    static constexpr std::uint32_t none = 0xffffffff;
    std::size_t boxes_per_side_;
    double reach_;
    std::vector<Point<double>> position_;
    Field<Point<double>> velocity_, force_;
    std::vector<std::uint32_t> first_, next_;
};

}  // namespace mini
