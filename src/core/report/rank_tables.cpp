#include "report/rank_tables.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

// Of many ranks, this many with the most and with the least time in MPI are shown.
constexpr std::size_t ranks_at_each_end = 10;

// The time in seconds that a rank computes. Threads that are in MPI at the same time can make MPI
// time exceed run time.
double outside_mpi(const RankFigures& rank) {
    return std::max(0.0, seconds(rank.runtime_ns) - seconds(rank.mpi_ns));
}

// max / mean of the time outside MPI is 1 if all ranks compute equally long.
void write_load_imbalance(const std::vector<RankFigures>& ranks, TableOutput& out) {
    const RankFigures* longest = &ranks.front();
    double sum = 0.0;
    for (const RankFigures& rank : ranks) {
        sum += outside_mpi(rank);
        if (outside_mpi(rank) > outside_mpi(*longest))
            longest = &rank;
    }
    const double max = outside_mpi(*longest);
    const double average = mean(sum, ranks.size());
    out.print("Load imbalance: %.2f (time outside MPI: longest %.3f s on rank %u, mean %.3f s)\n",
              average > 0.0 ? max / average : 1.0, max, longest->rank, average);
}

}  // namespace

Imbalance imbalance_of(const Profile& profile, std::uint32_t path) {
    if (path >= profile.spread.size())
        return {};
    const RankSpread& spread = profile.spread[path];
    const double average =
        mean(static_cast<double>(profile.paths[path].exclusive_ns), spread.ranks);
    if (!(average > 0.0))
        return {};
    const double above = static_cast<double>(spread.max_ns) - average;
    const double below = average - static_cast<double>(spread.min_ns);
    if (above > below)
        return {100.0 * above / average, spread.max_rank};
    return {-100.0 * below / average, spread.min_rank};
}

void write_minmax_summary(const Profile& profile, const PathText& text,
                          const ReportOptions& options, TableOutput& out) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < profile.spread.size(); i++)
        if (profile.spread[i].ranks > 0)
            order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return row_before(profile.spread[a].max_ns, profile.spread[b].max_ns, profile.paths[a].stid,
                          profile.paths[b].stid, false);
    });
    static constexpr Column columns[] = {stid_column,
                                         function_column,
                                         time_column("time_max", "t_max[s]"),
                                         count_column("rank_max", "rank"),
                                         time_column("time_min", "t_min[s]"),
                                         count_column("rank_min", "rank"),
                                         time_column("time_mean", "t_avg[s]")};
    const std::size_t shown = shown_rows(order.size(), options);
    const TableSpec spec = {.id = "minmax",
                            .title = "\n Summary: Min/Max runtime across all ranks",
                            .row = "path",
                            .columns = columns,
                            .sorted_by = "time_max"};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const Path& path = profile.paths[order[i]];
        const RankSpread& spread = profile.spread[order[i]];
        row.integer(path.stid);
        row.text(text.function(order[i]));
        row.number(seconds(spread.max_ns));
        row.integer(spread.max_rank);
        row.number(seconds(spread.min_ns));
        row.integer(spread.min_rank);
        row.number(mean(seconds(path.exclusive_ns), spread.ranks));
    });
    say_what_is_left_out(order.size(), shown, out);
}

bool has_rank_table(const Profile& profile) {
    return profile.ranks.size() > 1 && !is_from_outside(profile.run);
}

void write_rank_table(const Profile& profile, const ReportOptions& options, TableOutput& out) {
    std::vector<const RankFigures*> order;
    for (const RankFigures& rank : profile.ranks)
        order.push_back(&rank);
    std::sort(order.begin(), order.end(), [](const RankFigures* a, const RankFigures* b) {
        return a->mpi_ns != b->mpi_ns ? a->mpi_ns > b->mpi_ns : a->rank < b->rank;
    });
    const std::size_t ranks = order.size();
    std::size_t between = 0;
    if (options.max_rows > 0) {
        order.resize(shown_rows(ranks, options));
    } else if (!options.all_rows &&
               ranks > 2 * ranks_at_each_end + 1) {  // one row would replace two or more
        between = ranks - 2 * ranks_at_each_end;
        const auto first = order.begin() + ranks_at_each_end;
        *first = nullptr;  // one row that stands for all ranks in between
        order.erase(first + 1, order.end() - ranks_at_each_end);
    }

    std::vector<Column> columns{
        text_column("rank", "Rank"),           text_column("host", "Host"),
        time_column("runtime", "Runtime[s]"),  time_column("mpi_time", "MPI[s]"),
        percent_column("mpi_share", "MPI[%]"), time_column("time_outside_mpi", "Outside MPI[s]")};
    if (options.show_overhead)
        columns.push_back(time_column("overhead", "overhead[s]"));
    columns.push_back(count_column("mpi_calls", "Calls"));

    const TableSpec spec = {.id = "ranks",
                            .title = "MPI time by rank",
                            .row = "rank",
                            .columns = columns,
                            .sorted_by = "mpi_time"};
    out.table(spec, order.size(), [&](std::size_t i, TableRow& row) {
        if (!order[i]) {
            row.text("...");
            row.text(format("%zu ranks", between));
            for (std::size_t column = 2; column < columns.size(); column++)
                row.blank();
            return;
        }
        const RankFigures& rank = *order[i];
        row.text(format("%u", rank.rank));
        row.text(rank.host);
        row.number(seconds(rank.runtime_ns));
        row.number(seconds(rank.mpi_ns));
        row.number(percentage(rank.mpi_ns, static_cast<double>(rank.runtime_ns)));
        row.number(outside_mpi(rank));
        if (options.show_overhead)
            row.number(seconds(rank.overhead_ns));
        if (rank.mpi_calls >= 0)
            row.integer(static_cast<std::uint64_t>(rank.mpi_calls));
        else
            row.blank();
    });
    write_load_imbalance(profile.ranks, out);
    say_what_is_left_out(ranks - between, order.size() - (between > 0), out);
}

}  // namespace vftrace
