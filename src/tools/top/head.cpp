#include "top/head.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "top/pane_rows.hpp"

namespace vftrace {

HeadFigures head_figures(const LiveModel& model, TimeSpan wanted) {
    const TimeSpan span = span_shown(model, wanted);
    const double seconds = seconds_of(model, span);
    HeadFigures head;
    head.elapsed = model.elapsed;
    head.processes = static_cast<std::uint32_t>(model.processes.size());
    head.running = model.running();
    head.paths = model.now.calls.empty() ? 0 : model.now.calls.size() - 1;
    Totals sum;
    for (const ModelProcess& process : model.processes) {
        sum += totals_in(span, process.total, process.before, process.marked);
        if (process.presence == Presence::running)
            head.threads += process.threads;
        head.filtered = std::max(head.filtered, process.filtered);
        head.uses_mpi = head.uses_mpi || process.facts.uses_mpi;
        head.ranks = std::max(head.ranks, process.facts.ranks);
    }
    if (!model.processes.empty()) {
        const LiveFacts& first = model.processes.front().facts;
        head.program =
            model.processes.size() == 1
                ? fmt::format("{} ({})", first.application, first.pid)
                : fmt::format("{} ({} processes)", first.application, model.processes.size());
        if (!first.host.empty())
            head.program += " on " + first.host;
    }
    const double all = sum.all_seconds();
    head.calls_per_second = seconds > 0 ? static_cast<double>(sum.calls) / seconds : 0;
    for (std::size_t i = 0; i < times_in && all > 0; i++)
        head.shares[i] = 100 * sum.seconds[i] / all;
    head.overhead = all > 0 ? 100 * sum.overhead / all : 0;
    return head;
}

}  // namespace vftrace
