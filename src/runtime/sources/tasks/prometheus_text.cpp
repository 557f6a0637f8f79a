// The figures of tasks in the text exposition format of Prometheus.
#include "tasks/task_prometheus.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace vftrace {
namespace {

double seconds(double ns) { return ns / 1e9; }

struct PrometheusMetric {
    const char *name, *type, *help;
    double (*value)(const LiveTaskRank& rank);
};
constexpr PrometheusMetric metrics[] = {
    {"vftrace_task_exec_seconds_total", "counter",
     "Time in runs of tasks of this type, without tasks that they created.",
     [](const LiveTaskRank& rank) { return seconds(rank.own_ns); }},
    {"vftrace_task_with_children_seconds_total", "counter",
     "Time in runs of tasks of this type and of the tasks that they created.",
     [](const LiveTaskRank& rank) { return seconds(rank.with_children_ns); }},
    {"vftrace_task_wall_seconds_total", "counter",
     "Time from creation to end of tasks that have ended.",
     [](const LiveTaskRank& rank) { return seconds(rank.wall_ns); }},
    {"vftrace_task_paused_seconds_total", "counter",
     "Time from pauses to the next run of tasks that have ended.",
     [](const LiveTaskRank& rank) { return seconds(rank.paused_ns); }},
    {"vftrace_task_longest_seconds", "gauge", "Longest time in runs of one task.",
     [](const LiveTaskRank& rank) { return seconds(rank.longest_ns); }},
    {"vftrace_task_longest_run_seconds", "gauge", "Longest run of a task without a pause.",
     [](const LiveTaskRank& rank) { return seconds(rank.longest_run_ns); }},
    {"vftrace_task_calls_total", "counter", "Tasks that were created.",
     [](const LiveTaskRank& rank) { return static_cast<double>(rank.created); }},
    {"vftrace_task_completed_total", "counter", "Tasks that were completed.",
     [](const LiveTaskRank& rank) { return static_cast<double>(rank.completed); }},
    {"vftrace_task_failed_total", "counter", "Tasks that failed.",
     [](const LiveTaskRank& rank) { return static_cast<double>(rank.failed); }},
    {"vftrace_task_cancelled_total", "counter", "Tasks that were cancelled.",
     [](const LiveTaskRank& rank) { return static_cast<double>(rank.cancelled); }},
    {"vftrace_task_stillborn_total", "counter", "Tasks that ended without having run.",
     [](const LiveTaskRank& rank) { return static_cast<double>(rank.stillborn); }},
    {"vftrace_task_pauses_total", "counter", "Pauses of tasks.",
     [](const LiveTaskRank& rank) { return static_cast<double>(rank.pauses); }},
    {"vftrace_task_alive", "gauge", "Tasks that have not ended.",
     [](const LiveTaskRank& rank) { return static_cast<double>(rank.alive()); }}};

void add_label(std::string& labels, const char* name, std::string_view value) {
    labels += labels.empty() ? '{' : ',';
    labels += name;
    labels += "=\"";
    while (!value.empty()) {
        const CodePoint next = first_code_point(value);
        if (!next.valid)
            labels += replacement_character;
        else if (value[0] == '\n')
            labels += "\\n";
        else if (value[0] == '\\' || value[0] == '"')
            (labels += '\\') += value[0];
        else
            labels += value.substr(0, next.bytes);
        value.remove_prefix(next.bytes);
    }
    labels += '"';
}

std::string labels_of(const LiveTaskRank& rank, const std::string* process) {
    const TaskTypeName name = parts_of(rank.name);
    std::string labels;
    add_label(labels, "function", name.type);
    add_label(labels, "file", name.file);
    add_label(labels, "line", name.line);
    if (process)
        add_label(labels, "rank", *process);
    return labels + '}';
}

}  // namespace

std::string prometheus_text(const std::vector<LiveTaskRank>& ranks, const std::string* rank) {
    const CLocale decimal_points;
    std::vector<std::string> labels;
    labels.reserve(ranks.size());
    for (const LiveTaskRank& each : ranks)
        labels.push_back(labels_of(each, rank));
    std::string text;
    for (const PrometheusMetric& metric : metrics) {
        append_format(text, "# HELP %s %s\n# TYPE %s %s\n", metric.name, metric.help, metric.name,
                      metric.type);
        for (std::size_t i = 0; i < ranks.size(); i++)
            append_format(text, "%s%s %.15g\n", metric.name, labels[i].c_str(),
                          metric.value(ranks[i]));
    }
    return text;
}

}  // namespace vftrace
