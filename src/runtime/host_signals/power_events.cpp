// The PMU `power` of the kernel: energy of packages, system-wide.
#include "host_signals/power_events.hpp"

#include <cerrno>
#include <charconv>

#include "base/text.hpp"
#include "host_signals/counter_sum.hpp"
#include "host_signals/kernel_file.hpp"
#include "host_signals/perf_event.hpp"
#include "host_signals/processors.hpp"

namespace vftrace {
namespace {

class PowerEvents : public SignalSource {
  public:
    explicit PowerEvents(double scale) : scale_(scale) {}

    bool add(PerfDescriptor& event) {
        std::uint64_t now = 0;
        if (!event.read(&now, sizeof now))
            return false;
        counters_.push_back({std::move(event), CounterSum(now)});
        return true;
    }

    void read(double /*now_s*/, std::span<double> values) override {
        for (std::size_t i = 0; i < counters_.size(); i++) {
            std::uint64_t now = 0;
            values[i] = counters_[i].event.read(&now, sizeof now)
                            ? scale_ * static_cast<double>(counters_[i].sum.after(now))
                            : unknown_value;
        }
    }

  private:
    struct Counter {
        PerfDescriptor event;
        CounterSum sum;
    };
    std::vector<Counter> counters_;
    double scale_;  // joules per count
};

// "event=0x02": the only field that the events of this PMU have.
std::optional<std::uint64_t> config_of(std::string_view text) {
    constexpr std::string_view field = "event=0x";
    std::uint64_t config = 0;
    if (!text.starts_with(field))
        return std::nullopt;
    const char* const end = text.data() + text.size();
    const auto [stopped_at, error] = std::from_chars(text.data() + field.size(), end, config, 16);
    if (error != std::errc() || stopped_at != end)
        return std::nullopt;
    return config;
}

// "0,24" or "0-1": one processor of each package.
std::vector<std::uint32_t> processors_in(std::string_view mask) {
    std::vector<std::uint32_t> processors;
    for (const std::string_view item : split(mask, ',')) {
        const std::size_t dash = item.find('-');
        const auto first = number_behind(item.substr(0, dash), "");
        const auto last = dash == item.npos ? first : number_behind(item.substr(dash + 1), "");
        for (std::uint32_t next = first.value_or(1); first && last && next <= *last; next++)
            processors.push_back(next);
    }
    return processors;
}

}  // namespace

FoundParts find_power_event(const HostFiles& files, const std::string& event, const char* signal) {
    FoundParts found;
    const std::string folder = files.system + "/bus/event_source/devices/power";
    const auto type = number_in_file(folder + "/type");
    const auto config = config_of(first_line(folder + "/events/" + event));
    const auto scale = real_in_text(first_line(folder + "/events/" + event + ".scale"));
    if (!type || !config || !scale)
        return found;
    const Processors processors(files.system);
    auto source = std::make_unique<PowerEvents>(*scale);
    int error = 0;
    for (const std::uint32_t processor : processors_in(first_line(folder + "/cpumask"))) {
        perf_event_attr attributes{};
        attributes.type = static_cast<std::uint32_t>(*type);
        attributes.config = *config;
        constexpr pid_t all_threads = -1;
        constexpr int no_group = -1;
        PerfDescriptor opened(attributes, all_threads, static_cast<int>(processor), no_group);
        if (!opened || !source->add(opened)) {
            found.unreadable.push_back(processors.package_of(processor));
            if (error == 0)
                error = errno;
        } else {
            found.parts.push_back(processors.package_of(processor));
        }
    }
    constexpr int paranoid_for_whole_machine = 0;
    if (!found.is_whole())
        found.problems.push_back({format(
            "%s: the event power/%s/: %s (see man vftrace-run)", signal, event.c_str(),
            why_no_perf_event(error, files.processes, paranoid_for_whole_machine).c_str())});
    if (!found.parts.empty())
        found.source = std::move(source);
    return found;
}

}  // namespace vftrace
