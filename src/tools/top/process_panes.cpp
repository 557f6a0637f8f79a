// Panes about execution: threads, ranks, messages, GPUs, open calls.
#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/core.h>

#include "record/message_figures.hpp"
#include "top/pane_rows.hpp"

namespace vftrace {
namespace {

constexpr double none_open = -1;

// "worker-12" and "worker-3" become "worker-*".
std::string like_name(const LiveThread& thread) {
    if (thread.name.empty())
        return thread.is_worker ? "(OpenMP)" : thread.number == 0 ? "(main)" : "(unnamed)";
    std::string name;
    for (char c : thread.name) {
        const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (!digit)
            name += c;
        else if (name.empty() || name.back() != '*')
            name += '*';
    }
    return name;
}

const OpenCall* innermost(const LiveThread& thread) {
    return thread.open.empty() ? nullptr : &thread.open.back();
}

// The first thread of a process, which determines where the process is.
const ModelThread* first_thread(const LiveModel& model, std::uint32_t process) {
    for (const ModelThread& thread : model.threads)
        if (thread.process == process && thread.now.number == 0)
            return &thread;
    return nullptr;
}

// Sets the shares of the recorded time, starting with this column.
void set_shares(RowFigures& row, std::size_t column, const Totals& totals) {
    const double all = totals.all_seconds();
    for (std::size_t i = 0; i < times_in; i++)
        row.numbers[column + i] = all > 0 ? 100 * totals.seconds[i] / all : 0;
}

double rate_of(std::uint64_t now, std::uint64_t then, double seconds) {
    return seconds > 0 && now > then ? static_cast<double>(now - then) / seconds : 0;
}

// "waits: pipe"; of several threads "3 running, 2 waits", without what they wait for.
std::string states_of(const std::vector<const ModelThread*>& threads) {
    if (threads.size() == 1)
        return threads.front()->now.state;
    std::map<std::string, int> counts;
    for (const ModelThread* thread : threads)
        if (!thread->now.state.empty())
            counts[thread->now.state.substr(0, thread->now.state.find(':'))]++;
    std::string text;
    for (const auto& [state, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, state);
    return text;
}

}  // namespace

void PaneMaker::threads(PaneTable& table) const {
    // If threads are merged, several of them are in one row.
    struct Row {
        std::vector<const ModelThread*> threads;
        std::string process, name;
    };
    std::map<std::pair<std::string, std::uint32_t>, Row> rows;
    for (std::uint32_t i = 0; i < model.threads.size(); i++) {
        const ModelThread& thread = model.threads[i];
        if (!thread.now.in_use && !view.merged_threads && table.span == TimeSpan::interval)
            continue;
        const std::string like = like_name(thread.now);
        Row& row = view.merged_threads ? rows[{like, 0}] : rows[{"", i}];
        row.threads.push_back(&thread);
        row.name = view.merged_threads ? like : thread.now.name;
        if (row.name.empty())
            row.name = like;
        const std::string process = process_text(model.processes[thread.process]);
        row.process = row.process.empty() || row.process == process ? process : "all";
    }
    std::vector<RowFigures> shown;
    std::vector<const Row*> subjects;
    for (const auto& [key, row] : rows) {
        RowFigures figures;
        figures.subject = static_cast<std::uint32_t>(subjects.size());
        Totals sum;
        double oldest = none_open;
        const ModelThread* oldest_thread = row.threads.front();
        for (const ModelThread* thread : row.threads) {
            sum += totals_in(table.span, thread->total, thread->before, thread->marked);
            if (const OpenCall* call = innermost(thread->now); call && call->seconds > oldest) {
                oldest = call->seconds;
                oldest_thread = thread;
            }
        }
        const OpenCall* call = innermost(oldest_thread->now);
        if (!search.matches(row.name) &&
            (!call || !search.matches(shown_name(model, view, call->path))))
            continue;
        figures.numbers[0] = view.merged_threads ? static_cast<double>(row.threads.size())
                                                 : oldest_thread->now.number;
        figures.numbers[2] =
            table.span_seconds > 0 ? static_cast<double>(sum.calls) / table.span_seconds : 0;
        set_shares(figures, 3, sum);
        figures.numbers[8] = oldest;
        shown.push_back(figures);
        subjects.push_back(&row);
    }
    set_rows(table, view, shown, first, count, [&](const RowFigures& figures, std::size_t column) {
        const Row& row = *subjects[figures.subject];
        const std::string_view id = table.kind->columns[column].id;
        if (id == "process")
            return row.process;
        if (id == "name")
            return row.name;
        if (id == "state")
            return states_of(row.threads);
        const OpenCall* oldest = nullptr;
        for (const ModelThread* thread : row.threads)
            if (const OpenCall* call = innermost(thread->now);
                call && (!oldest || call->seconds > oldest->seconds))
                oldest = call;
        if (id == "since")
            return std::string(oldest && oldest->at_least ? ">=" : "");
        if (!oldest)
            return std::string(row.threads.front()->now.in_use ? "" : "(ended)");
        return shown_name(model, view, oldest->path);
    });
}

void PaneMaker::ranks(PaneTable& table) const {
    std::vector<RowFigures> shown;
    shown.reserve(model.processes.size());
    const auto where = [&](std::uint32_t index) {
        const ModelProcess& process = model.processes[index];
        if (process.presence != Presence::running)
            return std::string(word_of(process.presence));
        if (process.writes_profile)
            return std::string("(writing its profile)");
        const ModelThread* thread = first_thread(model, index);
        const OpenCall* call = thread ? innermost(thread->now) : nullptr;
        return call ? shown_name(model, view, call->path) : std::string();
    };
    for (std::uint32_t i = 0; i < model.processes.size(); i++) {
        const ModelProcess& process = model.processes[i];
        if (!search.matches(where(i)) && !search.matches(process.facts.application))
            continue;
        RowFigures row;
        row.subject = i;
        const Totals sum = totals_in(table.span, process.total, process.before, process.marked);
        const double all = sum.all_seconds();
        row.numbers[1] = process.threads;
        row.numbers[2] =
            table.span_seconds > 0 ? static_cast<double>(sum.calls) / table.span_seconds : 0;
        set_shares(row, 3, sum);
        row.numbers[7] = all > 0 ? 100 * sum.overhead / all : 0;
        const ModelThread* thread = first_thread(model, i);
        const OpenCall* call = thread ? innermost(thread->now) : nullptr;
        row.numbers[8] = call && process.presence == Presence::running ? call->seconds : none_open;
        shown.push_back(row);
    }
    set_rows(table, view, shown, first, count, [&](const RowFigures& row, std::size_t column) {
        const std::string_view id = table.kind->columns[column].id;
        if (id == "process")
            return process_text(model.processes[row.subject]);
        if (id == "since") {
            const ModelThread* thread = first_thread(model, row.subject);
            const OpenCall* call = thread ? innermost(thread->now) : nullptr;
            return std::string(call && call->at_least ? ">=" : "");
        }
        return where(row.subject);
    });
    for (PaneRow& row : table.rows)
        row.is_warning = model.processes[row.subject].presence != Presence::running;
}

void PaneMaker::messages(PaneTable& table) const {
    const auto peer_text = [&](const RowFigures& row) -> std::string {
        const std::int32_t peer = model.peers[row.subject].total.peer;
        return peer == all_peers      ? "(collectives)"
               : peer == unknown_peer ? "(other job)"
                                      : fmt::format("{}", peer);
    };
    std::vector<RowFigures> shown;
    shown.reserve(model.peers.size());
    for (std::uint32_t i = 0; i < model.peers.size(); i++) {
        const ModelPeer& peer = model.peers[i];
        const PeerFigures none{};
        const PeerFigures& base = base_of(table.span, peer.before, peer.marked, none);
        RowFigures row;
        row.subject = i;
        if (!search.matches(peer_text(row)))
            continue;
        const double seconds = table.span_seconds;
        row.numbers = {0,
                       rate_of(peer.total.sent, base.sent, seconds),
                       rate_of(peer.total.bytes_sent, base.bytes_sent, seconds),
                       rate_of(peer.total.received, base.received, seconds),
                       rate_of(peer.total.bytes_received, base.bytes_received, seconds),
                       static_cast<double>(peer.total.sent),
                       static_cast<double>(peer.total.received)};
        shown.push_back(row);
    }
    set_rows(table, view, shown, first, count,
             [&](const RowFigures& row, std::size_t) { return peer_text(row); });
}

void PaneMaker::gpus(PaneTable& table) const {
    std::vector<RowFigures> shown;
    shown.reserve(model.devices.size());
    for (std::uint32_t i = 0; i < model.devices.size(); i++) {
        const ModelDevice& device = model.devices[i];
        if (!search.matches(device.total.name))
            continue;
        const LiveDevice none{};
        const LiveDevice& base = base_of(table.span, device.before, device.marked, none);
        const auto busy = [&](double now, double then) {
            return table.span_seconds > 0 ? 100 * std::max(now - then, 0.0) / table.span_seconds
                                          : 0;
        };
        RowFigures row;
        row.subject = i;
        row.numbers = {0,
                       static_cast<double>(device.total.number),
                       busy(device.total.kernel_seconds, base.kernel_seconds),
                       busy(device.total.copy_seconds, base.copy_seconds),
                       busy(device.total.overlap_seconds, base.overlap_seconds),
                       std::max(device.total.kernel_seconds - base.kernel_seconds, 0.0)};
        shown.push_back(row);
    }
    set_rows(table, view, shown, first, count, [&](const RowFigures& row, std::size_t column) {
        const ModelDevice& device = model.devices[row.subject];
        return table.kind->columns[column].id == "process"
                   ? process_text(model.processes[device.process])
                   : device.total.name;
    });
}

void PaneMaker::open(PaneTable& table) const {
    std::vector<RowFigures> shown;
    const auto path_of = [&](const RowFigures& row) {
        std::string text;
        for (std::uint32_t path = innermost(model.threads[row.subject].now)->path;
             path != no_path && model.names->paths[path].parent != no_path;
             path = model.names->paths[path].parent)
            text += (text.empty() ? "" : " < ") + shown_name(model, view, path);
        return text;
    };
    for (std::uint32_t i = 0; i < model.threads.size(); i++) {
        const ModelThread& thread = model.threads[i];
        const OpenCall* call = innermost(thread.now);
        if (!call || model.processes[thread.process].presence != Presence::running)
            continue;
        RowFigures row;
        row.subject = i;
        row.numbers[0] = call->seconds;
        row.numbers[2] = thread.now.number;
        if (search.matches(path_of(row)))
            shown.push_back(row);
    }
    set_rows(table, view, shown, first, count, [&](const RowFigures& row, std::size_t column) {
        const ModelThread& thread = model.threads[row.subject];
        const std::string_view id = table.kind->columns[column].id;
        if (id == "since")
            return std::string(innermost(thread.now)->at_least ? ">=" : "");
        if (id == "process")
            return process_text(model.processes[thread.process]);
        return path_of(row);
    });
}

}  // namespace vftrace
