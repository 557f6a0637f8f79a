#include "report/region_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>

#include "base/index_table.hpp"
#include "base/text_hash.hpp"
#include "record/metrics.hpp"

namespace vftrace {
namespace {

constexpr double ns = 1e-9;

// The member of a row that holds a metric, and its unit there.
struct SampledFigure {
    MetricId metric;
    double RegionReportRow::*member;
    double unit = 1;
};
constexpr SampledFigure sampled_figures[] = {
    {MetricId::region_sync_runtime, &RegionReportRow::sync_runtime_s, ns},
    {MetricId::region_package_energy, &RegionReportRow::package_energy_J},
    {MetricId::region_dram_energy, &RegionReportRow::dram_energy_J},
    {MetricId::region_gpu_energy, &RegionReportRow::gpu_energy_J},
    {MetricId::region_cycles, &RegionReportRow::cycles},
    {MetricId::region_reference_cycles, &RegionReportRow::reference_cycles},
    {MetricId::region_sticker, &RegionReportRow::sticker_Hz},
    {MetricId::region_gpu_frequency, &RegionReportRow::gpu_frequency_Hz}};

constexpr std::string_view source_prefix = "region.", hint_prefix = "region.time_hint_";

// Adds the figures of two regions that have the same name.
void add(double& sum, double value) { sum = sum == sum ? sum + value : value; }

void add_value(RegionReportRow& row, const Metric& metric, double value) {
    const std::string_view name = metric.name;
    if (!name.starts_with(source_prefix))
        return;
    if (name.starts_with(hint_prefix)) {
        for (std::size_t i = 0; i < region_hint_words.size(); i++)
            if (name.substr(hint_prefix.size()) == region_hint_words[i])
                add(row.hint_s[i], ns * value);
        return;
    }
    for (const SampledFigure& figure : sampled_figures)
        if (name == row_of(figure.metric).name) {
            double& known = row.*figure.member;
            if (row_of(figure.metric).reduction == Reduction::sum)
                add(known, figure.unit * value);
            else
                known = figure.unit * value;
            return;
        }
    row.signals.emplace_back(name.substr(source_prefix.size()), value);
}

// The part for one host of a list that is sorted by host and machine.
template <class Row>
std::span<const Row> rows_of(const std::vector<Row>& rows, const RegionFigures& host) {
    const auto is_before = [](const auto& a, const auto& b) {
        return std::tie(a.host, a.machine) < std::tie(b.host, b.machine);
    };
    const auto first = std::lower_bound(rows.begin(), rows.end(), host, is_before);
    const auto end = std::upper_bound(first, rows.end(), host, is_before);
    return {first, end};
}

class ReportOfHost {
  public:
    explicit ReportOfHost(const Profile& profile) : profile_(profile) {}

    // `host`: any row of that host.
    RegionReportHost make(const RegionFigures& host, std::string name) {
        RegionReportHost report;
        report.name = std::move(name);
        const std::span<const RegionFigures> exact = rows_of(profile_.regions, host);
        for (const RegionFigures& figures : exact)
            if (figures.part == RegionPart::application)
                processes_ = static_cast<double>(figures.processes);
        for (const RegionFigures& figures : exact)
            add_exact(report, figures);
        std::sort(row_of_id_.begin(), row_of_id_.end());
        for (const RegionMetric& value : rows_of(profile_.region_metrics, host))
            add_sampled(report, value);
        report.unmarked.runtime_s = report.application.runtime_s;
        for (const RegionReportRow& region : report.regions)
            report.unmarked.runtime_s -= region.runtime_s;
        // Threads may have been in different regions at the same time.
        report.unmarked.runtime_s = std::max(report.unmarked.runtime_s, 0.0);
        for (RegionReportRow* total : {&report.epoch, &report.application})
            if (total->is_known(total->sync_runtime_s))
                total->sync_runtime_s = total->runtime_s;
        std::stable_sort(report.regions.begin(), report.regions.end(),
                         [](const RegionReportRow& a, const RegionReportRow& b) {
                             return a.runtime_s != b.runtime_s ? a.runtime_s > b.runtime_s
                                                               : a.name < b.name;
                         });
        return report;
    }

  private:
    RegionReportRow& region_of(RegionReportHost& report, const RegionFigures& figures) {
        const std::string& name = profile_.functions[figures.function].name;
        const auto next = static_cast<std::uint32_t>(report.regions.size());
        const std::uint32_t row = by_name_.find_or_add(
            text_hash(name), next, [&](std::uint32_t i) { return report.regions[i].name == name; });
        if (row == next)
            report.regions.emplace_back().name = name;
        row_of_id_.emplace_back(figures.id, row);
        return report.regions[row];
    }

    void add_exact(RegionReportHost& report, const RegionFigures& figures) {
        if (figures.part == RegionPart::region &&
            (figures.entries <= 0 || figures.function >= profile_.functions.size()))
            return;
        RegionReportRow& row = figures.part == RegionPart::application ? report.application
                               : figures.part == RegionPart::epoch     ? report.epoch
                                                                       : region_of(report, figures);
        row.runtime_s += ns * static_cast<double>(figures.runtime_ns) / processes_;
        row.count += figures.entries / processes_;
        if (figures.part == RegionPart::epoch)
            report.has_epochs = true;
        if (figures.part == RegionPart::application) {
            row.overhead_s = ns * static_cast<double>(figures.overhead_ns) / processes_;
            row.peak_bytes = static_cast<double>(figures.peak_bytes);
        }
    }

    void add_sampled(RegionReportHost& report, const RegionMetric& value) {
        const Metric& metric = profile_.metrics[value.metric];
        switch (value.part) {
        case RegionPart::unmarked:
            return add_value(report.unmarked, metric, value.value);
        case RegionPart::epoch:
            return add_value(report.epoch, metric, value.value);
        case RegionPart::application:
            return add_value(report.application, metric, value.value);
        case RegionPart::region:
            const auto found = std::lower_bound(row_of_id_.begin(), row_of_id_.end(),
                                                std::pair{value.id, std::uint32_t{0}});
            if (found != row_of_id_.end() && found->first == value.id)
                add_value(report.regions[found->second], metric, value.value);
        }
    }

    const Profile& profile_;
    double processes_ = 1;
    IndexTable by_name_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> row_of_id_;  // of the region
};

// Signals without samples in a region are 0 there.
void fill_in(RegionReportRow& row, const RegionReportRow& whole) {
    const auto fill = [](double& value, double of_whole) {
        if (std::isnan(value) && !std::isnan(of_whole))
            value = 0;
    };
    for (const SampledFigure& figure : sampled_figures)
        fill(row.*figure.member, whole.*figure.member);
    if (row.is_known(whole.sticker_Hz))
        row.sticker_Hz = whole.sticker_Hz;
    for (std::size_t i = 0; i < row.hint_s.size(); i++)
        fill(row.hint_s[i], whole.hint_s[i]);
    for (const auto& [name, value] : whole.signals)
        if (std::none_of(row.signals.begin(), row.signals.end(),
                         [&, &wanted = name](const auto& one) { return one.first == wanted; }))
            row.signals.emplace_back(name, 0.0);
}

}  // namespace

bool has_region_report(const Profile& profile) { return !profile.regions.empty(); }

std::vector<RegionReportHost> region_report(const Profile& profile) {
    std::vector<RegionReportHost> hosts;
    const RegionFigures* last = nullptr;  // rows are sorted by host and machine
    std::size_t of_name = 0;
    for (const RegionFigures& figures : profile.regions) {
        if (last && last->host == figures.host && last->machine == figures.machine)
            continue;
        of_name = last && last->host == figures.host ? of_name + 1 : 1;
        last = &figures;
        std::string name = figures.host;
        if (of_name > 1)
            name += " (" + std::to_string(of_name) + ")";
        hosts.push_back(ReportOfHost(profile).make(figures, std::move(name)));
        RegionReportHost& host = hosts.back();
        for (RegionReportRow& region : host.regions)
            fill_in(region, host.application);
        fill_in(host.unmarked, host.application);
        fill_in(host.epoch, host.application);
    }
    return hosts;
}

}  // namespace vftrace
