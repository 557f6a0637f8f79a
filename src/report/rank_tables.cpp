// What differs between the ranks of a run with MPI.
#include "report/rank_tables.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

// Of many ranks so many with most and so many with least time in MPI are shown.
constexpr std::size_t ranks_at_each_end = 10;

// The time in seconds that a rank computes. Threads that are in MPI at once can make MPI time
// exceed run time.
double outside_mpi(const RankFigures& rank) {
    return std::max(0.0, seconds(rank.runtime_ns) - seconds(rank.mpi_ns));
}

// max / mean of the time outside MPI is 1 if all ranks compute equally long.
void write_load_imbalance(const std::vector<RankFigures>& ranks, OutputFile& out) {
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

bool has_minmax_summary(const Profile& profile, const ReportOptions& options) {
    return options.show_minmax && !profile.spread.empty();
}

void write_minmax_summary(const Profile& profile, const PathText& text,
                          const ReportOptions& options, OutputFile& out) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < profile.spread.size(); i++)
        if (profile.spread[i].ranks > 0)
            order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return row_before(profile.spread[a].max_ns, profile.spread[b].max_ns, profile.paths[a].stid,
                          profile.paths[b].stid, false);
    });
    const Column columns[] = {{"STID", CellType::integer},      {"Function"},
                              {"t_max[s]", CellType::fixed, 3}, {"rank", CellType::integer},
                              {"t_min[s]", CellType::fixed, 3}, {"rank", CellType::integer},
                              {"t_avg[s]", CellType::fixed, 3}};
    out.write("\n Summary: Min/Max runtime across all ranks\n");
    const std::size_t shown = shown_rows(order.size(), options);
    print_table(out, TableStyle::framed, columns, shown, [&](std::size_t i, TableRow& row) {
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

bool has_rank_table(const Profile& profile, const ReportOptions& options) {
    return options.show_rank_table && profile.ranks.size() > 1;
}

void write_rank_table(const Profile& profile, const ReportOptions& options, OutputFile& out) {
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
    } else if (ranks > 2 * ranks_at_each_end + 1) {  // one row would replace two or more
        between = ranks - 2 * ranks_at_each_end;
        const auto first = order.begin() + ranks_at_each_end;
        *first = nullptr;  // one row that stands for all ranks between
        order.erase(first + 1, order.end() - ranks_at_each_end);
    }

    std::vector<Column> columns{{"Rank"},
                                {"Host"},
                                {"Runtime[s]", CellType::fixed, 3},
                                {"MPI[s]", CellType::fixed, 3},
                                {"MPI[%]", CellType::fixed, 1},
                                {"Outside MPI[s]", CellType::fixed, 3}};
    if (options.show_overhead)
        columns.push_back({"overhead[s]", CellType::fixed, 3});
    columns.push_back({"Calls", CellType::integer});  // of MPI functions

    out.write("MPI time by rank\n");
    print_table(out, TableStyle::framed, columns, order.size(), [&](std::size_t i, TableRow& row) {
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
