// How much energy the processors of the host consume while the program runs: the source `energy`.
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/clock.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "host_signals/powercap.hpp"
#include "service/service_thread.hpp"
#include "tree/side_tables.hpp"
#include "tree/source.hpp"

namespace vftrace {
namespace {

// So short that no counter gets half way around: small ones count to 60 kJ.
constexpr std::uint64_t interval_ns = 10'000'000'000;

struct Counter {
    PowerZone zone;
    std::uint64_t* values = nullptr;  // joules and time; of this process
    std::uint64_t last = 0;           // microjoules
    std::uint64_t sum = 0;
    std::uint64_t start_ns = 0;
};

constexpr SideColumn columns[] = {{MetricId::energy_joules, 0, SideValue::real},
                                  {MetricId::energy_time}};

std::vector<Counter>* counters;  // nullptr: none

void read_counters() {
    for (Counter& counter : *counters) {
        const auto now = counter.values ? read_counter(counter.zone) : std::nullopt;
        if (!now)
            continue;  // the earlier values stay
        counter.sum += energy_between(counter.last, *now, counter.zone.range);
        counter.last = *now;
        constexpr double microjoule = 1e-6;
        set_shared(counter.values[0],
                   std::bit_cast<std::uint64_t>(microjoule * static_cast<double>(counter.sum)));
        set_shared(counter.values[1], monotonic_ns() - counter.start_ns);
    }
}

TimedWork work = {.interval_ns = interval_ns, .run = read_counters};

// Reports once what cannot be read, and forgets it.
void check(std::vector<Counter>& found, const std::string& system_files) {
    std::string unreadable, why;
    std::size_t readable = 0;
    for (Counter& counter : found)
        if (read_counter(counter.zone)) {
            if (&found[readable] != &counter)
                found[readable] = std::move(counter);
            readable++;
        } else if (unreadable.empty()) {
            unreadable = counter.zone.counter;
            why = access(unreadable.c_str(), R_OK) != 0 ? std::strerror(errno)
                                                        : "its content is not a number";
        }
    if (found.empty())
        message_of(Speaker::job, "energy.active: there are no energy counters in %s/class/powercap",
                   system_files.c_str());
    else if (!unreadable.empty())
        message_of(
            Speaker::job,
            "energy.active: %s: %s; %zu of %zu energy counters can be read (see man vftrace-run)",
            unreadable.c_str(), why.c_str(), readable, found.size());
    found.resize(readable);
}

void prepare(const Options& options) {
    if (!options.energy_active)
        return;
    counters = new std::vector<Counter>;
    for (PowerZone& zone : power_zones(options.energy_system_files))
        counters->push_back({.zone = std::move(zone)});
    check(*counters, options.energy_system_files);
}

}  // namespace

constexpr Source energy_source = {
    .prepare = prepare,
    .process_begins =
        [] {
            if (!counters || counters->empty())
                return;
            for (Counter& counter : *counters) {
                const auto now = read_counter(counter.zone);
                counter.values =
                    now ? new_process_values(columns, counter.zone.name.c_str()) : nullptr;
                counter.last = now.value_or(0);
                counter.sum = 0;
                counter.start_ns = monotonic_ns();
            }
            if (const int error = every(work))
                message("energy.active: cannot start the thread that reads the energy counters: %s",
                        std::strerror(error));
        },
    .forget_parent =
        [] {
            if (counters)
                for (Counter& counter : *counters)
                    counter.values = nullptr;
        },
    .finish =
        [](ThreadState*) {
            if (counters)
                read_counters();
        }};

}  // namespace vftrace
