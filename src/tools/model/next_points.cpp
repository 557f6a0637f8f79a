#include "model/next_points.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace vftrace {

std::vector<std::vector<double>> candidate_points(const std::vector<std::vector<double>>& runs) {
    std::vector<std::set<double>> values(runs.front().size());
    for (const std::vector<double>& run : runs)
        for (std::size_t i = 0; i < run.size(); i++)
            values[i].insert(run[i]);
    std::vector<double> smallest;
    for (const std::set<double>& of_parameter : values)
        smallest.push_back(*of_parameter.begin());
    std::set<std::vector<double>> candidates;
    const auto add = [&](std::size_t parameter, double value) {
        // Sizes are whole numbers if those measured are.
        if (std::all_of(values[parameter].begin(), values[parameter].end(),
                        [](double one) { return one == std::round(one); }))
            value = std::round(value);
        if (value <= 0 || values[parameter].contains(value))
            return;
        std::vector<double> point = smallest;
        point[parameter] = value;
        candidates.insert(std::move(point));
    };
    for (std::size_t i = 0; i < values.size(); i++) {
        const std::vector<double> sorted(values[i].begin(), values[i].end());
        if (sorted.size() < 2)
            continue;
        const double step =
            std::pow(sorted.back() / sorted.front(), 1 / static_cast<double>(sorted.size() - 1));
        add(i, sorted.back() * step);
        add(i, sorted.back() * step * step);
        add(i, sorted.front() / step);
        for (std::size_t k = 0; k + 1 < sorted.size(); k++)
            add(i, std::sqrt(sorted[k] * sorted[k + 1]));
    }
    return {candidates.begin(), candidates.end()};
}

std::vector<NextPoint> next_points(const std::vector<std::vector<double>>& candidates,
                                   std::size_t intervals, const MetricModels& models,
                                   std::size_t limit) {
    std::vector<NextPoint> result;
    for (std::size_t i = 0; i < candidates.size(); i++) {
        NextPoint next{candidates[i], std::nan(""), 0};
        double weights = 0, noise = 0;
        const auto add = [&](const PathModel& model) {
            if (model.intervals.empty())
                return;
            const Interval& here = model.intervals[intervals + i];
            const double weight = std::max(model.expected(), 0.0);
            // Without formula any further point helps; nothing is known about the value there.
            const double doubt = !std::isfinite(here.to) || !(here.value > 0)
                                     ? 1
                                     : std::min(1.0, (here.to - here.from) / 2 / here.value);
            next.doubt += weight * doubt;
            noise += weight * model.noise;
            weights += weight;
        };
        for (const PathModelRow& row : models.rows)
            add(row.model);
        if (models.program) {
            add(*models.program);
            const Interval& here = models.program->intervals[intervals + i];
            next.cost = std::isnan(here.value) ? here.from : here.value;
        }
        if (!(weights > 0))
            continue;
        next.doubt /= weights;
        if (next.doubt > noise / weights)
            result.push_back(next);
    }
    std::sort(result.begin(), result.end(), [](const NextPoint& a, const NextPoint& b) {
        const auto gain = [](const NextPoint& one) {
            return one.cost > 0 ? one.doubt * one.doubt / one.cost : one.doubt;
        };
        return gain(a) > gain(b);
    });
    result.resize(std::min(limit, result.size()));
    return result;
}

}  // namespace vftrace
