#include "findings/resource_figures.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "record/metrics.hpp"

namespace vftrace {
namespace {

constexpr double ns = 1e-9;

enum class Total : bool { sum, largest };

double total_of(const Profile& profile, MetricId wanted, Total how = Total::sum) {
    double total = std::numeric_limits<double>::quiet_NaN();
    const auto add = [&](const auto& values, std::uint32_t metric) {
        for (const auto& value : values)
            if (value.metric == metric)
                total = !(total == total)   ? value.value
                        : how == Total::sum ? total + value.value
                                            : std::max(total, value.value);
    };
    const MetricRow& row = row_of(wanted);
    for (std::uint32_t i = 0; i < profile.metrics.size(); i++)
        if (profile.metrics[i].name == row.name && profile.metrics[i].scope == row.scope) {
            add(profile.rank_metrics, i);
            add(profile.host_metrics, i);
        }
    return total;
}

}  // namespace

ResourceFigures::ResourceFigures(const Profile& profile)
    : user_s(ns * total_of(profile, MetricId::process_user)),
      system_s(ns * total_of(profile, MetricId::process_system)),
      minor_faults(total_of(profile, MetricId::process_minor_faults)),
      major_faults(total_of(profile, MetricId::process_major_faults)),
      voluntary_switches(total_of(profile, MetricId::process_voluntary_switches)),
      involuntary_switches(total_of(profile, MetricId::process_involuntary_switches)),
      read_bytes(total_of(profile, MetricId::io_rchar)),
      written_bytes(total_of(profile, MetricId::io_wchar)),
      read_calls(total_of(profile, MetricId::io_syscr)),
      write_calls(total_of(profile, MetricId::io_syscw)),
      from_storage(total_of(profile, MetricId::io_read_bytes)),
      to_storage(total_of(profile, MetricId::io_write_bytes)),
      waiting_s(ns * total_of(profile, MetricId::processors_waiting)),
      migrations(total_of(profile, MetricId::processors_migrations)),
      allowed(total_of(profile, MetricId::processors_allowed, Total::largest)),
      host_processors(total_of(profile, MetricId::processors_count)),
      host_s(ns * total_of(profile, MetricId::processors_time)),
      host_idle_s(ns * total_of(profile, MetricId::processors_idle)),
      host_stolen_s(ns * total_of(profile, MetricId::processors_stolen)) {}

double ResourceFigures::small_calls_s() const {
    constexpr double slow_call_s = 2e-6;
    const double calls = (are_small(read_calls, read_bytes) ? read_calls : 0) +
                         (are_small(write_calls, written_bytes) ? write_calls : 0);
    return std::min(calls * slow_call_s, system_s);
}

double ResourceFigures::minor_faults_s() const {
    constexpr double fault_s = 1e-6;
    return std::min(minor_faults * fault_s, system_s);
}

double ResourceFigures::slow_minor_faults_s() const {
    constexpr double fault_s = 4e-6;
    return std::min(minor_faults * fault_s, system_s);
}

bool ResourceFigures::faults_prevail() const {
    constexpr double many_times = 10;
    return minor_faults >=
           many_times * (read_calls + write_calls + voluntary_switches + involuntary_switches);
}

}  // namespace vftrace
