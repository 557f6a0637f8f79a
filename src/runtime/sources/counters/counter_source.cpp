// The sources of counter readings, and the simplest of them.
//
// `dummy` needs no hardware: readings are numbered over all threads, from 0 on, and every counter
// reads that number modulo 10. It shows when readings are taken, and allows trying a configuration.
#include "counters/counter_source.hpp"

#include <algorithm>

namespace vftrace {
namespace {

std::uint64_t readings;

bool read_dummy(SourceThread&, std::span<std::int64_t> values) {
    const std::uint64_t number = __atomic_fetch_add(&readings, 1, __ATOMIC_RELAXED);
    std::fill(values.begin(), values.end(), static_cast<std::int64_t>(number % 10));
    return true;
}

}  // namespace

constexpr CounterSource dummy_source = {
    .name = "dummy",
    .prepare = [](const std::vector<HardwareCounter>&) { return std::string(); },
    .begin_thread = [](SourceThread&) { return true; },
    .read = read_dummy,
    .read_other = read_dummy,
    .end_thread = [](SourceThread&) {}};

const CounterSource* counter_source(std::string_view name) {
    for (const CounterSource* source : {&dummy_source, &papi_source, &perf_source})
        if (source->name == name)
            return source;
    return nullptr;
}

}  // namespace vftrace
