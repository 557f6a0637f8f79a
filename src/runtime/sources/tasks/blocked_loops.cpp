// Reports tasks that block their event loop, by reading the frames of threads.
#include "tasks/blocked_loops.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "base/guarded.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "base/text.hpp"
#include "config/options.hpp"
#include "queries/live_lines.hpp"
#include "record/open_calls.hpp"
#include "service/service_thread.hpp"
#include "tree/call_tree.hpp"
#include "tree/grafts.hpp"
#include "tree/upcalls.hpp"
#include "tree/visit_nodes.hpp"

namespace vftrace {
namespace {

bool wanted;
bool of_children;  // also in children of fork
std::int64_t limit_ns;

// A running task, as seen at one look.
struct Run {
    const Node* node;  // the graft; with `call`, which counts its calls, it identifies the run
    std::uint64_t call;
    std::int64_t lasts;    // ticks
    std::uint64_t closed;  // ticks of the node's earlier calls
    std::int64_t inside;   // ticks of runs inside this one that have ended, as far as seen
    bool is_reported;
    const Node* inside_now;  // of the innermost call in the run
};

// By ThreadRecord::number; outermost run first. Used by the service thread only.
std::vector<std::vector<Run>>* runs_of_threads;

const char* type_of(const Node& graft) {
    return region_name(reinterpret_cast<const Node*>(called_path(graft).key)->key);
}

std::vector<Run> open_runs(const ThreadRecord& record, std::uint64_t now) {
    std::vector<Run> runs;
    visit_open_calls_of(
        record, open_calls(record, *process_record, now),
        [&](const Frame& frame, const Node& node, const Node*, const OpenCalls& calls) {
            if (runs_task(called_path(node)))
                runs.push_back({&node, relaxed(node.calls), calls.time_since(seen_start_of(frame)),
                                relaxed(node.inclusive_ticks), 0, false, &node});
            else if (!runs.empty())
                runs.back().inside_now = &node;
        });
    return runs;
}

// ", in compare < search": the calls in the run, the innermost first; "" if there are none.
std::string place_in(const Run& run) {
    constexpr std::size_t most = 8;
    std::string text;
    std::size_t calls = 0;
    for (const std::string& name : lifecycle_calls.names_of_path(run.inside_now)) {
        if (name == type_of(*run.node))
            break;
        if (++calls > most)
            return text + " < ...";
        text += (text.empty() ? ", in " : " < ") + name;
    }
    return text;
}

// Reports a run once if it has lasted long without the runs inside it, and once more when it is
// over.
void report(const ThreadRecord& thread, Run& run, std::int64_t ticks, bool is_over) {
    const double seconds = seconds_per_tick() * static_cast<double>(ticks - run.inside);
    const bool is_long = 1e9 * seconds >= static_cast<double>(limit_ns);
    if (is_over ? !run.is_reported && !is_long : run.is_reported || !is_long)
        return;
    run.is_reported = true;
    std::string text = is_over ? "event loop was blocked by " : "event loop blocked by ";
    text += type_of(*run.node);
    append_format(text, " for %.2f s", seconds);
    if (!is_over)
        text += place_in(run);
    print_live_line(thread, text);
}

void look_at(const ThreadRecord& thread, std::uint64_t now) {
    if (thread.number >= runs_of_threads->size())
        runs_of_threads->resize(thread.number + std::size_t{1});
    std::vector<Run>& known = (*runs_of_threads)[thread.number];
    const std::vector<Run> seen = open_runs(thread, now);
    std::size_t same = 0;
    for (; same < known.size() && same < seen.size() && known[same].node == seen[same].node &&
           known[same].call == seen[same].call;
         same++) {
        known[same].lasts = seen[same].lasts;
        known[same].inside_now = seen[same].inside_now;
    }
    while (known.size() > same) {
        Run& over = known.back();
        // Not less than what was reported, although waits for the trace are subtracted at the end
        // of a run.
        const std::int64_t ticks = std::max(
            over.lasts, plausible_ticks(relaxed(over.node->inclusive_ticks) - over.closed));
        report(thread, over, ticks, true);
        known.pop_back();
        if (!known.empty())
            known.back().inside += ticks;
    }
    known.insert(known.end(), seen.begin() + static_cast<std::ptrdiff_t>(same), seen.end());
    if (!known.empty())
        report(thread, known.back(), known.back().lasts, false);
}

void look_at_all() {
    if (!runs_of_threads)
        runs_of_threads = new std::vector<std::vector<Run>>;
    const std::uint64_t now = tree_ticks();
    visit_threads([&](const ThreadRecord& thread) { look_at(thread, now); });
}

void look() {
    run_guarded([] { look_at_all(); });
}

TimedWork work = {.interval_ns = 0, .run = look};

}  // namespace

void prepare_blocked_loops(const Options& options) {
    prepare_live_lines(options);
    const LiveScope scope = live_scope();
    of_children = scope == LiveScope::all;
    wanted = options.task_active && scope != LiveScope::nothing && options.task_blocked_after > 0;
    constexpr double shortest = 0.05, longest = 1e6, second = 1e9;
    limit_ns = static_cast<std::int64_t>(second *
                                         std::clamp(options.task_blocked_after, shortest, longest));
    // Short enough to report the ends of runs without a noticeable delay.
    constexpr std::int64_t most_ns = 50'000'000;
    work.interval_ns = static_cast<std::uint64_t>(std::min(limit_ns / 5, most_ns));
}

void start_blocked_loops() {
    if (!wanted || (process_record->forked && !of_children))
        return;
    if (const int error = every(work))
        message("task.blocked_after: cannot start the thread that watches event loops: %s",
                std::strerror(error));
}

void forget_blocked_loops() { runs_of_threads = nullptr; }

void end_blocked_loops() {
    if (runs_of_threads)
        look();
    runs_of_threads = nullptr;
}

}  // namespace vftrace
