// Names of the kernel's performance events, as the perf command uses them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace vftrace {

// The fields of perf_event_attr that choose an event.
struct PerfEvent {
    std::uint32_t type;
    std::uint64_t config;
    bool user_only = false;    // :u
    bool kernel_only = false;  // :k
};

// "cycles", "page-faults", "L1-dcache-load-misses", "r01c2" (raw, hexadecimal), each optionally
// followed by :u or :k; case matters only for :u and :k. Nothing if there is no such event.
std::optional<PerfEvent> perf_event(std::string_view name);

// The known name that is most similar to this one, empty if none is.
std::string_view similar_perf_event(std::string_view name);

}  // namespace vftrace
