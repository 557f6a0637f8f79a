// An efficiency of the whole run is low.
#include <algorithm>

#include "base/text.hpp"
#include "efficiency/efficiencies.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double low = 0.7;

// A host that waits in calls of CUDA while kernels run loses nothing, and a GPU that has little to
// do may be all that the program needs: other rules know more about GPUs.
bool is_about_gpus(const EfficiencyFigure& figure) {
    return figure.id == "offload" || figure.id.substr(0, 3) == "gpu";
}

}  // namespace

// Of the figures that are low, those without a low factor: they say most about the cause.
void find_low_efficiency(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const std::vector<RegionEfficiency> regions = efficiencies(run.profile);
    if (regions.empty())
        return;
    const std::vector<EfficiencyFigure>& figures = regions.front().figures;
    const auto is_low = [](const EfficiencyFigure& figure) {
        return figure.is_known() && figure.bound != Bound::at_least && figure.value < low;
    };
    for (std::size_t i = 0; i < figures.size(); i++) {
        const EfficiencyFigure& figure = figures[i];
        bool has_low_factor = false;
        for (std::size_t k = i + 1; k < figures.size() && figures[k].depth > figure.depth; k++)
            has_low_factor |= is_low(figures[k]);
        const double saved = (1 - figure.value) * run.elapsed_s;
        if (!is_low(figure) || has_low_factor || is_about_gpus(figure) ||
            !run.is_worth_it(saved, 1 - low))
            continue;
        RunFinding finding = run.finding(rule, saved);
        std::string name(figure.title);
        if (name.find("fficiency") == std::string::npos)
            name += " (efficiency)";
        finding.sentence = format("%s is %s%.2f.", name.c_str(),
                                  figure.bound == Bound::at_most ? "at most " : "", figure.value);
        finding.reason = figure.explanation;
        finding.confidence = Confidence::certain;
        finding.next_step =
            "\"vftrace report --efficiency FILE\" shows all efficiencies, of "
            "regions as well, and \"--imbalances\" the paths in which ranks differ.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
