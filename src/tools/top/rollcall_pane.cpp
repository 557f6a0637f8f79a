// The pane of a job: which ranks are at the same place, and since when. It groups them in the same
// way as `vftrace rollcall` (rollcall/roll_call.hpp).
#include <algorithm>

#include <fmt/core.h>

#include "rollcall/roll_call.hpp"
#include "top/pane_rows.hpp"

namespace vftrace {
namespace {

// The number of innermost functions of a path that distinguish places.
constexpr std::size_t levels = 8;

// The main thread of the process, which usually calls MPI; otherwise the first thread that is in a
// call.
const LiveThread* shown_thread(const LiveModel& model, std::uint32_t process) {
    const LiveThread* shown = nullptr;
    for (const ModelThread& thread : model.threads) {
        if (thread.process != process || !thread.now.in_use)
            continue;
        if (thread.now.tid == model.processes[process].facts.own_pid)
            return &thread.now;
        if (!shown && !thread.now.open.empty())
            shown = &thread.now;
    }
    return shown;
}

std::string place_of(const LiveModel& model, const ViewState& view, const LiveThread& thread) {
    std::vector<std::string> names;
    if (thread.open.empty())
        return "";
    for (std::uint32_t path = thread.open.back().path;
         path != no_path && model.names->paths[path].parent != no_path;
         path = model.names->paths[path].parent)
        names.push_back(shown_name(model, view, path));
    return place_text(names, levels);
}

Activity activity_of(const LiveModel& model, const LiveThread& thread) {
    if (thread.paused)
        return Activity::not_recorded;
    if (thread.open.empty())
        return Activity::unknown;
    return model.names->function_of(thread.open.back().path).time_in == TimeIn::mpi
               ? Activity::waits
               : Activity::computes;
}

const char* word_of(Activity activity) {
    switch (activity) {
    case Activity::waits:
        return "MPI";
    case Activity::computes:
        return "code";
    case Activity::not_recorded:
        return "paused";
    default:
        return "";
    }
}

std::uint32_t number_of(const ModelProcess& process, std::uint32_t index) {
    return process.facts.uses_mpi ? process.facts.rank : index;
}

}  // namespace

void PaneMaker::rollcall(PaneTable& table) const {
    RollCall call;
    std::vector<double> calls(model.processes.size(), 0.0);  // per second, by process
    std::vector<std::string> places(model.processes.size());
    std::vector<Activity> activities(model.processes.size(), Activity::unknown);
    for (std::uint32_t i = 0; i < model.processes.size(); i++) {
        const ModelProcess& process = model.processes[i];
        RankPlace place{number_of(process, i), process.facts.host, "", Activity::unknown, 0, false};
        if (process.presence != Presence::running) {
            place.path = fmt::format("({})", vftrace::word_of(process.presence));
        } else if (const LiveThread* const thread = shown_thread(model, i)) {
            place.path = place_of(model, view, *thread);
            place.activity = activity_of(model, *thread);
            if (!thread->open.empty()) {
                place.seconds = thread->open.back().seconds;
                place.at_least = thread->open.back().at_least;
            }
        }
        const Totals sum = totals_in(table.span, process.total, process.before, process.marked);
        calls[i] = table.span_seconds > 0 ? static_cast<double>(sum.calls) / table.span_seconds : 0;
        places[i] = place.path;
        activities[i] = place.activity;
        call.add(place);
    }
    call.sort();
    std::vector<RowFigures> shown;
    for (std::uint32_t i = 0; i < call.groups().size(); i++) {
        const PlaceGroup& group = call.groups()[i];
        if (!search.matches(group.path))
            continue;
        RowFigures row;
        row.subject = i;
        row.numbers[0] = group.count;
        for (std::size_t process = 0; process < places.size(); process++)
            if (places[process] == group.path && activities[process] == group.activity)
                row.numbers[3] += calls[process];
        row.numbers[4] = group.least;
        row.numbers[5] = group.most;
        shown.push_back(row);
    }
    set_rows(table, view, shown, first, count, [&](const RowFigures& row, std::size_t column) {
        const PlaceGroup& group = call.groups()[row.subject];
        const std::string_view id = table.kind->columns[column].id;
        if (id == "which")
            return text_of(group.ranges);
        if (id == "since")
            return std::string(group.at_least ? ">=" : "");
        if (id == "activity")
            return std::string(word_of(group.activity));
        if (id == "in")
            return group.path.empty() ? std::string("(no recorded function)") : group.path;
        return std::string();
    });
}

}  // namespace vftrace
