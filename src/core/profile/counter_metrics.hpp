// The metrics of hardware counters (collate/counter_figures.hpp), by their names in files.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace vftrace {

inline std::string exclusive_metric(const CounterName& counter) {
    return "hwprof." + counter.symbol;
}
inline std::string inclusive_metric(const CounterName& counter) {
    return "hwprof." + counter.symbol + ".inclusive";
}
inline constexpr const char* counted_time = "hwprof.T";

// Sets CounterName::metric and RunInfo::counted_time_metric from the metrics that the profile has.
void find_metrics_of_counters(Profile& profile);

}  // namespace vftrace
