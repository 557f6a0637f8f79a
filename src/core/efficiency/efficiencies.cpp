#include "efficiency/efficiencies.hpp"

#include <algorithm>
#include <regex.h>

#include "efficiency/figure_list.hpp"
#include "efficiency/openmp_times.hpp"
#include "efficiency/region_times.hpp"
#include "efficiency/useful_time.hpp"

namespace vftrace {
namespace {

double of_gpu_calls(const Profile& profile, const std::vector<bool>& is_inside) {
    double sum = 0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if ((is_inside.empty() || is_inside[i]) && !(profile.paths[i].flags & path_paused) &&
            profile.functions[profile.paths[i].function].kind == NodeKind::gpu)
            sum += static_cast<double>(profile.paths[i].exclusive_ns);
    return sum;
}

// Figures of the ranks' times outside MPI. In means, a rank is weighted by its number of
// processors.
struct Balance {
    double sum = 0, mean = 0, most = 0, most_of_host = 0;
    double elapsed = 0, waiting = 0, most_with_waiting = 0;
    std::size_t ranks = 0, hosts = 0;
};

Balance balance_of(const std::vector<RankTime>& ranks) {
    Balance balance;
    balance.ranks = ranks.size();
    std::vector<const RankTime*> by_host;
    double processors = 0;
    for (const RankTime& rank : ranks) {
        by_host.push_back(&rank);
        balance.sum += rank.processors * rank.outside();
        processors += rank.processors;
        balance.most = std::max(balance.most, rank.outside());
        balance.elapsed = std::max(balance.elapsed, rank.elapsed);
        balance.waiting += rank.waiting;
        balance.most_with_waiting =
            std::max(balance.most_with_waiting, rank.outside() + rank.waiting);
    }
    std::stable_sort(by_host.begin(), by_host.end(),
                     [](const RankTime* a, const RankTime* b) { return a->host < b->host; });
    for (std::size_t i = 0; i < by_host.size();) {
        double sum = 0, of_host = 0;
        const std::size_t first = i;
        for (; i < by_host.size() && by_host[i]->host == by_host[first]->host; i++) {
            sum += by_host[i]->processors * by_host[i]->outside();
            of_host += by_host[i]->processors;
        }
        balance.hosts++;
        balance.most_of_host = std::max(balance.most_of_host, sum / of_host);
    }
    balance.mean = balance.sum / processors;
    return balance;
}

void add_mpi_figures(const Balance& balance, int depth, FigureList& figures) {
    figures.add(Efficiency::load_balance, depth, balance.mean, balance.most);
    if (balance.hosts > 1) {
        figures.add(Efficiency::load_balance_inside, depth + 1, balance.most_of_host, balance.most);
        figures.add(Efficiency::load_balance_across, depth + 1, balance.mean, balance.most_of_host);
    }
    figures.add(Efficiency::communication, depth, balance.most, balance.elapsed);
    if (!(balance.waiting > 0))
        return;
    const double at_least = std::min(balance.most_with_waiting, balance.elapsed);
    figures.add(Efficiency::serialisation, depth + 1, balance.most, at_least, Bound::at_most);
    figures.add(Efficiency::transfer, depth + 1, at_least, balance.elapsed, Bound::at_least);
}

void add_openmp_figures(const OpenmpTimes& times, int depth, FigureList& figures) {
    const Bound of_rest = times.imbalance_is_bound ? Bound::at_least : Bound::exact;
    const Bound of_balance = times.imbalance_is_bound ? Bound::at_most : Bound::exact;
    const double balanced = times.work + times.serial, unequal = balanced + times.imbalance;
    figures.add(Efficiency::openmp_load_balance, depth, balanced, unequal, of_balance);
    figures.add(Efficiency::openmp_scheduling, depth, unequal, times.all(), of_rest);
    figures.add(Efficiency::openmp_serialisation, depth, times.work, balanced);
}

void add_gpu_figures(const Profile& profile, double elapsed, FigureList& figures) {
    double sum = 0, most = 0, most_with_copies = 0;
    for (const GpuDeviceFigures& gpu : profile.gpu_devices) {
        const auto kernels = static_cast<double>(gpu.kernel_ns);
        const auto copies = static_cast<double>(gpu.copy_ns - gpu.overlap_ns);
        sum += kernels;
        most = std::max(most, kernels);
        most_with_copies = std::max(most_with_copies, kernels + std::max(copies, 0.0));
    }
    const auto gpus = static_cast<double>(profile.gpu_devices.size());
    if (!(sum > 0))
        return;
    figures.add(Efficiency::gpu, 0, sum, gpus * elapsed);
    figures.add(Efficiency::gpu_load_balance, 1, sum / gpus, most);
    figures.add(Efficiency::gpu_communication, 1, most, most_with_copies);
    figures.add(Efficiency::gpu_orchestration, 1, most_with_copies, elapsed);
}

RegionEfficiency efficiency_of(const Profile& profile, const std::vector<bool>& is_inside,
                               UsefulTime& useful) {
    RegionEfficiency region;
    RegionTimes times = times_of_region(profile, is_inside);
    region.remark = times.remark;
    if (times.ranks.empty())
        return region;
    region.ranks = static_cast<std::uint32_t>(times.ranks.size());
    region.processors = times.ranks.size();
    const bool has_openmp =
        std::any_of(profile.parallel_regions.begin(), profile.parallel_regions.end(),
                    [&](const ParallelRegion& parallel) {
                        return is_inside.empty() || is_inside[parallel.path];
                    });
    OpenmpTimes openmp;
    if (has_openmp) {
        openmp = is_inside.empty()
                     ? openmp_times_of_run(profile, times.ranks)
                     : openmp_times_of_region(profile, times.ranks.front(), is_inside);
        if (!openmp.remark.empty())
            region.remark = openmp.remark;
        if (openmp.processors > 0)
            region.processors = openmp.processors;
    }
    const Balance balance = balance_of(times.ranks);
    region.elapsed_ns = static_cast<std::int64_t>(balance.elapsed);
    const bool openmp_is_known = has_openmp && openmp.processors > 0;
    const bool has_mpi = balance.ranks > 1;
    const auto processors = static_cast<double>(region.processors);
    // If teams have different sizes, the time of a larger team has more weight.
    const double outside = openmp_is_known ? openmp.all() : balance.sum;
    const double work = openmp_is_known ? openmp.work : balance.sum;
    const double gpu_calls = std::min(of_gpu_calls(profile, is_inside), work);
    const bool all_is_known = !has_openmp || openmp_is_known;
    if (all_is_known)
        useful = {work - gpu_calls, balance.elapsed, region.processors};

    FigureList figures(region.figures);
    const int parts = int{has_mpi} + int{openmp_is_known} + int{gpu_calls > 0};
    const int below = all_is_known ? 1 : 0;
    if (all_is_known && parts > 0)
        figures.add(Efficiency::parallel, 0, work - gpu_calls, processors * balance.elapsed);
    const bool has_parts = parts > 1 || !all_is_known;
    if (has_mpi) {
        if (has_parts)
            figures.add(Efficiency::mpi, below, outside, processors * balance.elapsed);
        add_mpi_figures(balance, has_parts ? below + 1 : below, figures);
    }
    if (openmp_is_known) {
        if (has_parts)
            figures.add(Efficiency::openmp, below, work, outside);
        add_openmp_figures(openmp, has_parts ? below + 1 : below, figures);
    }
    if (gpu_calls > 0)
        figures.add(Efficiency::offload, below, work - gpu_calls, work);
    if (is_inside.empty())
        add_gpu_figures(profile, balance.elapsed, figures);
    return region;
}

class Expression {
  public:
    explicit Expression(const char* text)
        : valid_(text && regcomp(&compiled_, text, REG_EXTENDED | REG_NOSUB) == 0) {}
    ~Expression() {
        if (valid_)
            regfree(&compiled_);
    }
    Expression(const Expression&) = delete;
    Expression& operator=(const Expression&) = delete;

    bool matches(const std::string& text) const {
        return valid_ && regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
    }

  private:
    regex_t compiled_{};
    bool valid_;
};

bool can_be_region(const Function& function) {
    return function.kind == NodeKind::function || function.kind == NodeKind::region ||
           function.kind == NodeKind::section;
}

}  // namespace

const EfficiencyFigure* RegionEfficiency::find(std::string_view id) const {
    const auto found =
        std::find_if(figures.begin(), figures.end(),
                     [&](const EfficiencyFigure& figure) { return figure.id == id; });
    return found == figures.end() ? nullptr : &*found;
}

RegionEfficiency efficiency_of_run(const Profile& profile, UsefulTime& useful) {
    return efficiency_of(profile, {}, useful);
}

std::vector<RegionEfficiency> efficiencies(const Profile& profile, const char* regions) {
    UsefulTime useful;
    std::vector<RegionEfficiency> all = {efficiency_of_run(profile, useful)};
    const Expression expression(regions);
    for (std::uint32_t i = 0; i < profile.functions.size(); i++) {
        const Function& function = profile.functions[i];
        if (!can_be_region(function) ||
            !(expression.matches(function.display) || expression.matches(function.name)))
            continue;
        const std::vector<bool> is_inside = paths_of_region(profile, i);
        if (std::find(is_inside.begin(), is_inside.end(), true) == is_inside.end())
            continue;
        RegionEfficiency& region = all.emplace_back(efficiency_of(profile, is_inside, useful));
        region.region = function.display;
        region.function = i;
    }
    return all;
}

}  // namespace vftrace
