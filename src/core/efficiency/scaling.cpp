// How the efficiencies of several runs of a program compare.
#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/text.hpp"
#include "efficiency/figure_list.hpp"
#include "efficiency/useful_time.hpp"

namespace vftrace {
namespace {

// Of all paths outside MPI; 0: not known.
struct Counted {
    double instructions = 0, cycles = 0, seconds = 0;
};

struct Run {
    RegionEfficiency efficiency;
    UsefulTime useful;
    Counted counted;
};

// Their names in sources of counters (perf, PAPI).
constexpr std::string_view names_of_instructions[] = {"instructions", "PAPI_TOT_INS"};
constexpr std::string_view names_of_cycles[] = {"cycles", "cpu-cycles", "PAPI_TOT_CYC"};

template <std::size_t size>
std::uint32_t metric_of_counter(const RunInfo& run, const std::string_view (&names)[size]) {
    for (const CounterName& counter : run.counters)
        for (const std::string_view name : names)
            if (equal_ignoring_case(counter.name, name))
                return counter.metric;
    return no_index;
}

// Whether MPI functions have separate counts: if they do not read the counters, what is counted in
// them belongs to their callers.
bool counts_mpi_apart(const Profile& profile) {
    std::vector<bool> has_values(profile.paths.size(), false);
    for (const MetricValue& value : profile.metric_values)
        if (value.metric == profile.run.counted_time_metric)
            has_values[value.path] = true;
    double whole = 0, missing = 0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const auto ns = static_cast<double>(profile.paths[i].exclusive_ns);
        whole += ns;
        if (profile.functions[profile.paths[i].function].kind == NodeKind::mpi && !has_values[i])
            missing += ns;
    }
    constexpr double negligible = 0.001;
    return missing <= negligible * whole;
}

Counted counted_outside_mpi(const Profile& profile) {
    Counted counted;
    if (profile.run.counted_time_metric == no_index || !counts_mpi_apart(profile))
        return counted;
    const std::uint32_t instructions = metric_of_counter(profile.run, names_of_instructions);
    const std::uint32_t cycles = metric_of_counter(profile.run, names_of_cycles);
    for (const MetricValue& value : profile.metric_values) {
        if (profile.functions[profile.paths[value.path].function].kind == NodeKind::mpi)
            continue;
        if (value.metric == instructions)
            counted.instructions += value.value;
        if (value.metric == cycles)
            counted.cycles += value.value;
        if (value.metric == profile.run.counted_time_metric)
            counted.seconds += value.value / 1e9;
    }
    return counted;
}

void move_below(std::vector<EfficiencyFigure>& figures) {
    for (EfficiencyFigure& figure : figures)
        if (!figure.id.starts_with("gpu"))
            figure.depth++;
}

// 0 if one is not known.
double ratio(double part, double whole) { return part > 0 && whole > 0 ? part / whole : 0; }

void add_computation(Run& run, const Run& reference, Scaling scaling) {
    std::vector<EfficiencyFigure>& figures = run.efficiency.figures;
    FigureList list(figures);
    const double more_work = scaling == Scaling::strong
                                 ? 1.0
                                 : static_cast<double>(run.useful.processors) /
                                       static_cast<double>(reference.useful.processors);
    const double computation = ratio(more_work * reference.useful.useful, run.useful.useful);
    if (!(computation > 0))
        return;
    if (run.efficiency.find("parallel") == nullptr) {  // one processor: nothing to lose
        std::vector<EfficiencyFigure> others = std::move(figures);
        figures.clear();
        list.add(Efficiency::parallel, 0, run.useful.useful,
                 run.useful.elapsed * static_cast<double>(run.useful.processors));
        figures.insert(figures.end(), others.begin(), others.end());
    }
    const double parallel = run.efficiency.find("parallel")->value;
    move_below(figures);
    std::vector<EfficiencyFigure> below = std::move(figures);
    figures.clear();
    list.add_ratio(Efficiency::global, 0, parallel * computation);
    const auto gpu = std::find_if(below.begin(), below.end(), [](const EfficiencyFigure& figure) {
        return figure.id.starts_with("gpu");
    });
    figures.insert(figures.end(), below.begin(), gpu);
    list.add_ratio(Efficiency::computation, 1, computation);
    const Counted &now = run.counted, &then = reference.counted;
    const auto add_known = [&](Efficiency id, double value) {
        if (value > 0)
            list.add_ratio(id, 2, value);
    };
    add_known(Efficiency::instructions, more_work * ratio(then.instructions, now.instructions));
    add_known(Efficiency::ipc,
              ratio(ratio(now.instructions, now.cycles), ratio(then.instructions, then.cycles)));
    add_known(Efficiency::frequency,
              ratio(ratio(now.cycles, now.seconds), ratio(then.cycles, then.seconds)));
    figures.insert(figures.end(), gpu, below.end());
}

}  // namespace

std::vector<RegionEfficiency> scaling_efficiencies(std::span<const Profile* const> profiles,
                                                   Scaling scaling,
                                                   std::vector<std::uint32_t>& order) {
    std::vector<Run> runs(profiles.size());
    for (std::size_t i = 0; i < runs.size(); i++) {
        runs[i].efficiency = efficiency_of_run(*profiles[i], runs[i].useful);
        runs[i].counted = counted_outside_mpi(*profiles[i]);
    }
    order.resize(runs.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return runs[a].efficiency.processors < runs[b].efficiency.processors;
    });
    std::vector<RegionEfficiency> result;
    for (const std::uint32_t i : order) {
        const Run& reference = runs[order.front()];
        Run run = runs[i];
        if (run.useful.processors > 0 && reference.useful.processors > 0)
            add_computation(run, reference, scaling);
        result.push_back(std::move(run.efficiency));
    }
    return result;
}

}  // namespace vftrace
