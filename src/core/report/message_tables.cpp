// The communication matrix and the sizes of messages: tables of point-to-point and one-sided
// messages that `vftrace report` prints on demand.
#include "report/tables.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

void say_there_are_none(std::string_view title, TableOutput& out) {
    out.write(title);
    out.write("\nNone were recorded.\n\n");
}

// Messages from one rank to another.
struct Flow {
    std::int64_t from = 0, to = 0;  // unknown_peer: outside the job's MPI_COMM_WORLD
    MessageFigures sent, received;

    std::uint64_t bytes() const { return std::max(sent.bytes, received.bytes); }
    std::uint64_t messages() const { return std::max(sent.messages, received.messages); }
    // Both sides of most messages are known, so the fuller record contains all of them.
    double mean_size() const {
        const MessageFigures& fuller = received.messages > sent.messages ? received : sent;
        return mean(static_cast<double>(fuller.bytes), fuller.messages);
    }
};

void add(MessageFigures& sum, const MessageFigures& figures) {
    sum.messages += figures.messages;
    sum.bytes += figures.bytes;
}

// All call paths together, most bytes first.
std::vector<Flow> flows_of(const Profile& profile) {
    std::vector<Flow> halves;  // one call path, one side
    for (const PeerMessages& element : profile.matrix) {
        if (element.sent.messages > 0)
            halves.push_back({element.rank, element.peer, element.sent, {}});
        if (element.received.messages > 0)
            halves.push_back({element.peer, element.rank, {}, element.received});
    }
    auto pair = [](const Flow& flow) { return std::tie(flow.from, flow.to); };
    std::sort(halves.begin(), halves.end(),
              [&](const Flow& a, const Flow& b) { return pair(a) < pair(b); });
    std::vector<Flow> flows;
    for (const Flow& half : halves) {
        if (flows.empty() || pair(flows.back()) != pair(half))
            flows.push_back({half.from, half.to, {}, {}});
        add(flows.back().sent, half.sent);
        add(flows.back().received, half.received);
    }
    std::sort(flows.begin(), flows.end(), [](const Flow& a, const Flow& b) {
        return std::tuple(b.bytes(), b.messages(), a.from, a.to) <
               std::tuple(a.bytes(), a.messages(), b.from, b.to);
    });
    return flows;
}

std::string rank_text(std::int64_t rank) {
    return rank == unknown_peer ? "outside" : std::to_string(rank);
}

// "0 B", "2 - 3 B", "512 - 1023 B", "1 - 2 KiB": from 1 KiB on the upper end is not included.
std::string size_range(std::size_t bin) {
    const std::uint64_t from = smallest_size(bin), to = largest_size(bin);
    if (from == to)
        return format("%llu B", static_cast<unsigned long long>(from));
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    const std::size_t unit = (bin - 1) / 10;
    const std::uint64_t scaled = from >> (10 * unit);
    return format("%llu - %llu %s", static_cast<unsigned long long>(scaled),
                  static_cast<unsigned long long>(unit == 0 ? to : 2 * scaled), units[unit]);
}

}  // namespace

void write_communication_matrix(const Profile& profile, const ReportOptions& options,
                                TableOutput& out) {
    constexpr std::string_view title =
        "Communication matrix (point-to-point and one-sided messages)";
    const std::vector<Flow> flows = flows_of(profile);
    if (flows.empty()) {
        say_there_are_none(title, out);
        return;
    }
    static constexpr Column columns[] = {text_column("from", "From"),
                                         text_column("to", "To"),
                                         count_column("sent", "Sent"),
                                         count_column("sent_bytes", "Sent[B]", "B"),
                                         count_column("received", "Received"),
                                         count_column("received_bytes", "Received[B]", "B"),
                                         number_column("mean_size", "avg size[B]", "B", 1)};
    const std::size_t shown = shown_rows(flows.size(), options);
    const TableSpec spec = {
        .id = "matrix", .title = title, .row = "pair of ranks", .columns = columns};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const Flow& flow = flows[i];
        row.text(rank_text(flow.from));
        row.text(rank_text(flow.to));
        row.integer(flow.sent.messages);
        row.integer(flow.sent.bytes);
        row.integer(flow.received.messages);
        row.integer(flow.received.bytes);
        row.number(flow.mean_size());
    });
    say_what_is_left_out(flows.size(), shown, out);
}

void write_message_sizes(const Profile& profile, TableOutput& out) {
    constexpr std::size_t longest_bar = 40;
    constexpr std::string_view title = "Message sizes (point-to-point and one-sided messages)";
    const auto& bins = profile.message_sizes;
    auto most_of = [](const SizeBin& bin) { return std::max(bin.sent, bin.received); };
    std::size_t first = size_bins, end = 0;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < size_bins; i++) {
        if (most_of(bins[i]) == 0)
            continue;
        first = std::min(first, i);
        end = i + 1;
        most = std::max(most, most_of(bins[i]));
    }
    if (most == 0) {
        say_there_are_none(title, out);
        return;
    }
    static constexpr Column columns[] = {text_column("size", "Size"), count_column("sent", "Sent"),
                                         count_column("received", "Received"),
                                         text_column("bar", "", Align::left)};
    const TableSpec spec = {.id = "sizes",
                            .title = title,
                            .row = "range of sizes",
                            .columns = columns,
                            .sorted_by = "size",
                            .ascending = true};
    out.table(spec, end - first, [&](std::size_t i, TableRow& row) {
        const SizeBin& bin = bins[first + i];
        const double share = static_cast<double>(most_of(bin)) / static_cast<double>(most);
        row.text(size_range(first + i));
        row.integer(bin.sent);
        row.integer(bin.received);
        // Rounded up, so that everything that occurs is visible.
        row.text(std::string(static_cast<std::size_t>(std::ceil(longest_bar * share)), '#'));
    });
    out.write("\n");
}

}  // namespace vftrace
