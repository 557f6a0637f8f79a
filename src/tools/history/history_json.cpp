#include "findings/findings.hpp"
#include "history/history_text.hpp"
#include "profile/json_writer.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

void write_head(const RunHistory& history, JsonWriter& json) {
    json.key("format").string("vftrace-history");
    json.key("version").integer(1);
    json.key("application").string(history.filter.application);
    json.key("branch").string(history.filter.branch);
    json.key("runs_not_judged").unsigned_integer(history.disturbed);
    json.key("fewest_runs").unsigned_integer(history.fewest_runs);
}

void write_members(const StoredRun& run, JsonWriter& json) {
    json.key("run").integer(run.id);
    json.key("start_unix_ns").integer(run.start_unix_ns);
    json.key("commit").string(run.commit);
}

void write_runs(const RunHistory& history, JsonWriter& json) {
    json.key("runs").begin_array();
    for (const StoredRun& run : history.runs) {
        json.begin_object(Layout::compact);
        write_members(run, json);
        json.key("branch").string(run.branch);
        json.key("host").string(run.host);
        json.key("ranks").unsigned_integer(run.ranks);
        json.key("threads").unsigned_integer(run.threads);
        json.key("seconds").number(run.seconds);
        json.key("processor_seconds").number(run.processor_seconds);
        json.key("waiting_share").number(run.waiting_share);
        json.key("stolen_share").number(run.stolen_share);
        json.key("quality").string(word_of(static_cast<Grade>(run.quality)));
        json.key("findings").unsigned_integer(run.findings);
        json.key("judged").boolean(!run.was_disturbed());
        json.end_object();
    }
    json.end_array();
}

void write_points(const char* key, const std::vector<ChangePoint>& points,
                  const RunHistory& history, JsonWriter& json) {
    json.key(key).begin_array();
    for (const ChangePoint& point : points) {
        json.begin_object(Layout::compact);
        write_members(history.runs[point.index], json);
        json.key("before").number(point.before);
        json.key("after").number(point.after);
        json.key("runs_since").unsigned_integer(point.seen);
        json.end_object();
    }
    json.end_array();
}

}  // namespace

void write_history_json(const RunHistory& history, OutputFile& out) {
    JsonWriter json(out);
    json.begin_object();
    write_head(history, json);
    write_runs(history, json);
    json.key("time_changes").begin_array();
    for (const RunTimeChange& change : history.times) {
        json.begin_object(Layout::compact);
        write_members(change.run, json);
        json.key("seconds_before").number(change.before);
        json.key("seconds_after").number(change.after);
        json.key("runs_since").unsigned_integer(change.seen);
        json.key("functions").begin_array(Layout::compact);
        for (const FunctionChange& function : change.functions) {
            json.begin_object(Layout::compact);
            json.key("function").string(function.name);
            json.key("own_seconds_before").number(function.before);
            json.key("own_seconds_after").number(function.after);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.key("call_changes").begin_array();
    for (const CallsChange& change : history.calls) {
        json.begin_object(Layout::compact);
        write_members(change.run, json);
        json.key("function").string(change.function);
        json.key("calls_before").unsigned_integer(change.before);
        json.key("calls_after").unsigned_integer(change.after);
        json.key("runs_since").unsigned_integer(change.seen);
        json.end_object();
    }
    json.end_array();
    json.key("functions_with_other_calls").unsigned_integer(history.calls_in_all);
    json.end_object();
    out.write("\n");
}

void write_history_json(const RunHistory& history, const FunctionHistory& function,
                        OutputFile& out) {
    JsonWriter json(out);
    json.begin_object();
    write_head(history, json);
    json.key("function").string(function.name);
    json.key("figures").begin_array();
    for (std::size_t i = 0; i < history.runs.size(); i++) {
        const std::optional<StoredFigures>& figures = function.figures[i];
        if (!figures)
            continue;
        json.begin_object(Layout::compact);
        write_members(history.runs[i], json);
        json.key("own_seconds").number(figures->own_seconds);
        json.key("total_seconds").number(figures->total_seconds);
        json.key("calls");
        figures->calls ? json.unsigned_integer(*figures->calls) : json.null();
        json.key("judged").boolean(!history.runs[i].was_disturbed());
        json.end_object();
    }
    json.end_array();
    write_points("time_changes", function.times, history, json);
    write_points("call_changes", function.calls, history, json);
    json.end_object();
    out.write("\n");
}

}  // namespace vftrace
