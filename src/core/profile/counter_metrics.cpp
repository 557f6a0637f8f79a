#include "profile/counter_metrics.hpp"

#include <string_view>

namespace vftrace {
namespace {

std::uint32_t metric_named(const Profile& profile, std::string_view name) {
    for (std::uint32_t i = 0; i < profile.metrics.size(); i++)
        if (profile.metrics[i].name == name)
            return i;
    return no_index;
}

}  // namespace

void find_metrics_of_counters(Profile& profile) {
    for (CounterName& counter : profile.run.counters)
        counter.metric = metric_named(profile, exclusive_metric(counter));
    profile.run.counted_time_metric = metric_named(profile, counted_time);
}

}  // namespace vftrace
