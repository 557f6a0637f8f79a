#include "counters/perf_events.hpp"

#include <charconv>
#include <iterator>
#include <linux/perf_event.h>
#include <vector>

#include "base/text.hpp"
#include "config/advice.hpp"

namespace vftrace {
namespace {

struct NamedEvent {
    std::string_view name;
    std::uint32_t type;
    std::uint64_t config;
};
constexpr NamedEvent events[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
};

// Events of caches have names of two parts: which cache, and what happened there.
struct NamePart {
    std::string_view name;
    std::uint64_t config;
};
constexpr NamePart caches[] = {
    {"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
    {"LLC", PERF_COUNT_HW_CACHE_LL},        {"dTLB", PERF_COUNT_HW_CACHE_DTLB},
    {"iTLB", PERF_COUNT_HW_CACHE_ITLB},     {"branch", PERF_COUNT_HW_CACHE_BPU},
    {"node", PERF_COUNT_HW_CACHE_NODE}};

constexpr std::uint64_t happening(std::uint64_t operation, std::uint64_t result) {
    return operation << 8 | result << 16;
}
constexpr NamePart happenings[] = {
    {"-loads", happening(PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    {"-load-misses", happening(PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    {"-stores", happening(PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    {"-store-misses", happening(PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    {"-prefetches", happening(PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    {"-prefetch-misses",
     happening(PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS)}};

std::optional<PerfEvent> cache_event(std::string_view name) {
    for (const NamePart& cache : caches) {
        if (name.size() <= cache.name.size() ||
            !equal_ignoring_case(name.substr(0, cache.name.size()), cache.name))
            continue;
        for (const NamePart& what : happenings)
            if (equal_ignoring_case(name.substr(cache.name.size()), what.name))
                return PerfEvent{PERF_TYPE_HW_CACHE, cache.config | what.config};
    }
    return std::nullopt;
}

// "r01c2": an event from the processor's manual, as one number.
std::optional<PerfEvent> raw_event(std::string_view name) {
    if (name.size() < 2 || name[0] != 'r')
        return std::nullopt;
    std::uint64_t config = 0;
    const char* end = name.data() + name.size();
    const auto [stopped_at, error] = std::from_chars(name.data() + 1, end, config, 16);
    if (error != std::errc() || stopped_at != end)
        return std::nullopt;
    return PerfEvent{PERF_TYPE_RAW, config};
}

std::optional<PerfEvent> event_without_modifier(std::string_view name) {
    for (const NamedEvent& event : events)
        if (equal_ignoring_case(name, event.name))
            return PerfEvent{event.type, event.config};
    if (std::optional<PerfEvent> event = cache_event(name))
        return event;
    return raw_event(name);
}

}  // namespace

std::optional<PerfEvent> perf_event(std::string_view name) {
    const std::size_t colon = name.rfind(':');
    const std::string_view modifier =
        colon == std::string_view::npos ? std::string_view() : name.substr(colon);
    std::optional<PerfEvent> event = event_without_modifier(name.substr(0, colon));
    if (!event)
        return event;
    if (modifier == ":u")
        event->user_only = true;
    else if (modifier == ":k")
        event->kernel_only = true;
    else if (!modifier.empty())
        return std::nullopt;
    return event;
}

std::string_view similar_perf_event(std::string_view name) {
    std::vector<std::string_view> known;
    for (const NamedEvent& event : events)
        known.push_back(event.name);
    return closest(name, known);
}

}  // namespace vftrace
