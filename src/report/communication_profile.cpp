// The table "Communication profile".
#include "report/communication_profile.hpp"

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
    row.comm_time = mean(seconds(sent.ns) + seconds(received.ns), row.messages);
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

void write_title(const std::string& ranks, OutputFile& out) {
    out.write("Communication profile");
    const std::optional<RankList> list = RankList::parse(ranks);
    if (list && !list->is_all())
        out.write(" for ranks: " + printable(ranks));
    out.write("\n");
}

}  // namespace

bool has_communication_profile(const Profile& profile, const ReportOptions& options) {
    return options.show_communication &&
           (profile.run.uses_mpi ||
            std::any_of(profile.messages.begin(), profile.messages.end(),
                        [](const PathMessages& messages) { return messages_of(messages) > 0; }));
}

void write_communication_profile(const Profile& profile, const PathText& text,
                                 const ReportOptions& options, OutputFile& out) {
    std::vector<MessageRow> rows;
    for (const PathMessages& messages : profile.messages)
        if (messages_of(messages) > 0)
            rows.push_back(row_of(profile, messages));
    std::sort(rows.begin(), rows.end(), [&](const MessageRow& a, const MessageRow& b) {
        return comes_before(a, b, options.communication_sort);
    });

    std::vector<Column> columns{{"Messages", CellType::integer},
                                {"avg send size[B]", CellType::scientific, 3},
                                {"avg recv size[B]", CellType::scientific, 3},
                                {"avg send BW[B/s]", CellType::scientific, 3},
                                {"avg recv BW[B/s]", CellType::scientific, 3},
                                {"avg comm time[s]", CellType::scientific, 3},
                                {"Function"},
                                {"Caller"},
                                {"STID", CellType::integer}};
    if (options.show_communication_callpath)
        columns.push_back({"Callpath"});

    write_title(options.communication_ranks, out);
    const std::size_t shown = shown_rows(rows.size(), options);
    print_table(out, TableStyle::framed, columns, shown, [&](std::size_t i, TableRow& cells) {
        const MessageRow& row = rows[i];
        cells.integer(row.messages);
        cells.number(row.send_size);
        cells.number(row.recv_size);
        cells.number(row.send_bw);
        cells.number(row.recv_bw);
        cells.number(row.comm_time);
        cells.text(text.function(row.path));
        cells.text(text.caller(row.path));
        cells.integer(row.stid);
        if (options.show_communication_callpath)
            cells.text(text.call_path(row.path));
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace vftrace
