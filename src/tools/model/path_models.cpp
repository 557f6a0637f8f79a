#include "model/path_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace vftrace {
namespace {

// Intervals at other points than the target are only for paths that matter: of thousands of paths
// they would take most of the time.
constexpr double share_for_intervals = 0.005;

// For a figure that the program does not have, the share of every path counts.
bool has_share(std::span<const double> path, std::span<const double> program, double least_share) {
    for (std::size_t run = 0; run < path.size(); run++)
        if (std::isnan(program[run]) || path[run] >= least_share * program[run])
            return true;
    return false;
}

LeadingTerm order_of(const PathModel& model) {
    if (!model.bound)
        return growth(model.model);
    const std::vector<double>& powers = model.bound->powers;
    return {std::accumulate(powers.begin(), powers.end(), 0.0), 0};
}

bool comes_first(const PathModelRow& a, const PathModelRow& b, ModelOrder order) {
    switch (order) {
    case ModelOrder::growth:
        return a.growth() > b.growth();
    case ModelOrder::factor:
        return a.factor() > b.factor();
    case ModelOrder::predicted:
        return a.model.expected() > b.model.expected();
    case ModelOrder::measured:
        return a.model.largest > b.model.largest;
    case ModelOrder::order:
        break;
    }
    const LeadingTerm here = order_of(a.model), there = order_of(b.model);
    return here == there ? a.growth() > b.growth() : there < here;
}

}  // namespace

double PathModelRow::factor() const {
    if (model.largest > 0)
        return model.expected() / model.largest;
    return model.expected() > 0 ? std::numeric_limits<double>::infinity() : 1.0;
}

MetricModels model_paths(const RunTable& table, std::size_t metric, const Modeller& modeller,
                         double least_share, ModelOrder order, const AllowedFor& allowed) {
    MetricModels result;
    const std::vector<double>& program = table.program()[metric];
    result.program = modeller.model(program, AllowedParameters::all(modeller.parameters().size()));
    for (std::uint32_t i = 0; i < table.paths().size(); i++) {
        const std::vector<double>& values = table.paths()[i].values[metric];
        const auto runs = static_cast<std::uint32_t>(
            std::count_if(values.begin(), values.end(), [](double v) { return !std::isnan(v); }));
        if (runs == 0)
            continue;
        // The root is not a function; further figures do not have values for paths without them.
        if (std::all_of(values.begin(), values.end(), [](double v) { return !(v > 0); }))
            continue;
        if (!has_share(values, program, least_share)) {
            result.below_share++;
            continue;
        }
        if (std::optional<PathModel> model =
                modeller.model(values, allowed(i), has_share(values, program, share_for_intervals)))
            result.rows.push_back({i, runs, std::move(*model)});
        else
            result.in_too_few_runs++;
    }
    std::stable_sort(
        result.rows.begin(), result.rows.end(),
        [order](const PathModelRow& a, const PathModelRow& b) { return comes_first(a, b, order); });
    return result;
}

}  // namespace vftrace
