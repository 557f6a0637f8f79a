#include "export/left_out.hpp"

#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "base/saturating.hpp"
#include "base/text.hpp"

namespace vftrace {
namespace {

struct LeftOut {
    std::string thread;
    std::uint64_t events;
};

std::string time_text(std::int64_t ns) {
    const auto number = static_cast<double>(ns);
    return ns < 1'000         ? fmt::format("{} ns", ns)
           : ns < 1'000'000   ? fmt::format("{:.3g} us", number * 1e-3)
           : ns < 999'500'000 ? fmt::format("{:.3g} ms", number * 1e-6)
                              : fmt::format("{:.4g} s", number * 1e-9);
}

}  // namespace

std::string thread_label(const VfdFile& file, std::uint32_t thread) {
    const VfdThreadInfo& info = file.threads()[thread];
    if (thread == 0)
        return "main thread";
    if (info.openmp_worker)
        return fmt::format("OpenMP worker {}", thread);
    return info.name.empty() ? fmt::format("thread {}", thread)
                             : fmt::format("{} (thread {})", info.name, thread);
}

std::string text_on_left_out(std::span<const NamedTrace> traces) {
    constexpr std::size_t most_threads = 6;
    std::vector<LeftOut> threads;
    std::uint64_t sum = 0;
    std::int64_t interval_ns = 0;
    bool unknown = false;
    for (const NamedTrace& trace : traces) {
        const VfdFile& file = *trace.file;
        interval_ns = std::max(interval_ns, std::int64_t{file.header().numbers.interval_ns});
        unknown = unknown || file.hides_what_was_left_out();
        for (std::uint32_t i = 0; i < file.threads().size(); i++) {
            const std::uint64_t events = file.left_out_events(i);
            if (events == 0)
                continue;
            const bool several = file.threads().size() > 1;
            threads.push_back({several && !trace.rank.empty()
                                   ? fmt::format("{}, {}", trace.rank, thread_label(file, i))
                               : trace.rank.empty() ? thread_label(file, i)
                                                    : trace.rank,
                               events});
            add_saturating(sum, events);
        }
    }
    if (unknown)
        return fmt::format("entries and exits were left out, because at most one in {} was "
                           "recorded; their number is not known",
                           time_text(interval_ns));
    if (threads.empty())
        return {};
    std::stable_sort(threads.begin(), threads.end(),
                     [](const LeftOut& a, const LeftOut& b) { return a.events > b.events; });
    std::string text =
        fmt::format("{} entries and exits were left out, because at most one in {} was recorded",
                    sum, time_text(interval_ns));
    const std::size_t shown = threads.size() <= most_threads ? threads.size() : most_threads - 1;
    for (std::size_t i = 0; i < shown; i++) {
        text += fmt::format("{} {}: {}", i == 0 ? ":" : ";", threads[i].thread, threads[i].events);
        sum -= threads[i].events;
    }
    if (shown < threads.size())
        text += fmt::format("; {} further threads: {}", threads.size() - shown, sum);
    return text;
}

std::string text_on_reconstructed(const ReplayedCall& call) {
    return call.several ? "perhaps several calls" : "at least " + time_text(call.least_ns);
}

}  // namespace vftrace
