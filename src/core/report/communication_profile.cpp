// The table "Communication profile": what the MPI calls of each path sent and received.
#include "report/tables.hpp"

#include <algorithm>
#include <vector>

#include "base/utf8.hpp"
#include "config/rank_list.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

struct MessageRow {
    std::uint32_t path = 0;
    std::uint32_t stid = 0;
    std::uint64_t messages = 0;  // both directions
    double send_size = 0.0;      // mean in bytes
    double recv_size = 0.0;
    double send_bw = 0.0;  // mean in bytes / s
    double recv_bw = 0.0;
    double comm_time = 0.0;  // mean in seconds, both directions
    double total_time = 0.0;
};

std::uint64_t messages_of(const PathMessages& messages) {
    return messages.sent.messages + messages.received.messages;
}

MessageRow row_of(const Profile& profile, const PathMessages& messages) {
    const MessageFigures &sent = messages.sent, &received = messages.received;
    MessageRow row;
    row.path = messages.path;
    row.stid = profile.paths[messages.path].stid;
    row.messages = messages_of(messages);
    row.send_size = mean(static_cast<double>(sent.bytes), sent.messages);
    row.recv_size = mean(static_cast<double>(received.bytes), received.messages);
    row.send_bw = mean(sent.bandwidth_sum, sent.messages);
    row.recv_bw = mean(received.bandwidth_sum, received.messages);
    row.total_time = seconds(sent.ns) + seconds(received.ns);
    row.comm_time = mean(row.total_time, row.messages);
    return row;
}

bool comes_before(const MessageRow& a, const MessageRow& b, MessageSortOrder sort) {
    auto before = [&](auto MessageRow::*column) {
        return row_before(a.*column, b.*column, a.stid, b.stid, sort.ascending);
    };
    switch (sort.column) {
    case MessageColumn::messages:
        return before(&MessageRow::messages);
    case MessageColumn::send_size:
        return before(&MessageRow::send_size);
    case MessageColumn::recv_size:
        return before(&MessageRow::recv_size);
    case MessageColumn::send_bw:
        return before(&MessageRow::send_bw);
    case MessageColumn::recv_bw:
        return before(&MessageRow::recv_bw);
    case MessageColumn::comm_time:
        return before(&MessageRow::comm_time);
    case MessageColumn::stack_id:
        break;
    }
    return before(&MessageRow::stid);
}

std::string title_for(const std::string& ranks) {
    const std::optional<RankList> list = RankList::parse(ranks);
    return list && !list->is_all() ? "Communication profile for ranks: " + printable(ranks)
                                   : "Communication profile";
}

}  // namespace

bool has_communication_profile(const Profile& profile) {
    return (profile.run.uses_mpi && !is_from_outside(profile.run)) ||
           std::any_of(profile.messages.begin(), profile.messages.end(),
                       [](const PathMessages& messages) { return messages_of(messages) > 0; });
}

void write_communication_profile(const Profile& profile, const PathText& text,
                                 const ReportOptions& options, TableOutput& out) {
    std::vector<MessageRow> rows;
    for (const PathMessages& messages : profile.messages)
        if (messages_of(messages) > 0)
            rows.push_back(row_of(profile, messages));
    std::sort(rows.begin(), rows.end(), [&](const MessageRow& a, const MessageRow& b) {
        return options.sort_communication_by_time
                   ? row_before(a.total_time, b.total_time, a.stid, b.stid,
                                options.communication_sort.ascending)
                   : comes_before(a, b, options.communication_sort);
    });

    const auto mean_column = [](std::string_view id, std::string_view header,
                                std::string_view unit) {
        return Column{id, header, unit, CellType::scientific, 3};
    };
    std::vector<Column> columns{count_column("messages", "Messages"),
                                mean_column("send_size", "avg send size[B]", "B"),
                                mean_column("recv_size", "avg recv size[B]", "B"),
                                mean_column("send_bw", "avg send BW[B/s]", "B/s"),
                                mean_column("recv_bw", "avg recv BW[B/s]", "B/s"),
                                mean_column("comm_time", "avg comm time[s]", "s")};
    if (options.show_communication_time)
        columns.push_back(mean_column("total_time", "comm time[s]", "s"));
    columns.insert(columns.end(), {function_column, caller_column, stid_column});
    if (options.show_communication_callpath)
        columns.push_back(callpath_column);

    const std::string title = title_for(options.communication_ranks);
    const std::size_t shown = shown_rows(rows.size(), options);
    const TableSpec spec = {.id = "messages",
                            .title = title,
                            .row = "path",
                            .columns = columns,
                            .sorted_by = options.sort_communication_by_time
                                             ? std::string_view("total_time")
                                             : word_of(options.communication_sort),
                            .ascending = options.communication_sort.ascending};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const MessageRow& row = rows[i];
        cells.integer(row.messages);
        cells.number(row.send_size);
        cells.number(row.recv_size);
        cells.number(row.send_bw);
        cells.number(row.recv_bw);
        cells.number(row.comm_time);
        if (options.show_communication_time)
            cells.number(row.total_time);
        cells.text(text.function(row.path));
        cells.text(text.caller(row.path));
        cells.integer(row.stid);
        if (options.show_communication_callpath)
            cells.text(text.call_path(row.path));
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace vftrace
