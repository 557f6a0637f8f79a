// "Performance Graph:" and the other tables of sections.
#include "report/tables.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "profile/section_tree.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

// Widths of numbers are those that users of PerfGraph know.
constexpr std::size_t name_width = 40, calls_width = 5, time_width = 10, percent_width = 6,
                      memory_width = 7;

constexpr Column of_width(Column column, std::size_t width) {
    column.min_width = width;
    return column;
}

constexpr Column section_column =
    of_width(text_column("section", "Section", Align::left), name_width);
constexpr Column level_column = for_scripts(count_column("level", "Level"));
constexpr Column depth_column = for_scripts(count_column("depth", "Depth"));
constexpr Column calls_column = of_width(count_column("calls", "Calls"), calls_width);

constexpr Column seconds_column(const char* id, const char* header) {
    return of_width(time_column(id, header), time_width);
}
constexpr Column share_column(const char* id) {
    return of_width(percent_column(id, "%", 2), percent_width);
}

// Time, time per call, share of the program's time, and memory.
constexpr Column columns_of_self[] = {
    seconds_column("self", "Self(s)"), seconds_column("self_avg", "Avg(s)"),
    share_column("self_share"),
    of_width(number_column("self_memory", "Mem(MB)", "MB", 0), memory_width)};
constexpr Column columns_of_total[] = {
    seconds_column("total", "Total(s)"), seconds_column("total_avg", "Avg(s)"),
    share_column("total_share"),
    of_width(number_column("total_memory", "Mem(MB)", "MB", 0), memory_width)};

// Mean over the ranks, the longest rank, and how much longer that is.
constexpr Column columns_over_ranks[] = {
    seconds_column("self_mean", "Self(s)"), seconds_column("self_max", "Max(s)"),
    share_column("self_imbalance"),         seconds_column("total_mean", "Total(s)"),
    seconds_column("total_max", "Max(s)"),  share_column("total_imbalance")};

class SectionTables {
  public:
    SectionTables(const Profile& profile, const PathText& text, SectionChoice choice,
                  TableOutput& out)
        : profile_(profile), text_(text), tree_(section_tree(profile, choice)), out_(out) {
        // The value read is the memory of the process.
        has_memory_ =
            !choice.thread && std::any_of(tree_.begin(), tree_.end(),
                                          [](const auto& node) { return node.has_memory; });
    }

    void graph(int level) {
        std::vector<std::uint32_t> shown;
        for (std::uint32_t i = 0; i < tree_.size(); i++)
            if (tree_[i].level <= level)
                shown.push_back(i);
        write("sections", "Performance Graph:", shown);
        if (profile_.ranks.size() > 1 &&
            path_metric(profile_, MetricId::section_longest_self) != no_index)
            write_over_ranks(shown);
    }

    void heaviest_branch() {
        write("section_branch", "Heaviest Branch:", vftrace::heaviest_branch(tree_));
    }

    void heaviest(std::size_t most) {
        const std::vector<SectionSum> sums = sums_of_sections(tree_);
        std::vector<Column> columns{section_column, level_column, calls_column};
        add_figures(columns_of_self, columns);
        const TableSpec spec = {.id = "section_sums",
                                .title = "Heaviest Sections:",
                                .row = "section",
                                .columns = columns,
                                .sorted_by = "self",
                                .style = TableStyle::ruled};
        out_.table(spec, std::min(most, sums.size()), [&](std::size_t i, TableRow& row) {
            const SectionSum& sum = sums[i];
            row.text(text_.shown(sum.name));
            row.integer(sum.level);
            row.integer(sum.calls);
            figures(sum.self_ns, sum.calls, sum.has_memory, sum.self_memory, row);
        });
        out_.write("\n");
    }

  private:
    void add_figures(std::span<const Column> figures, std::vector<Column>& columns) const {
        const Column* end = figures.data() + figures.size() - (has_memory_ ? 0 : 1);
        columns.insert(columns.end(), figures.data(), end);
    }

    void write(const char* id, const char* title, const std::vector<std::uint32_t>& shown) {
        std::vector<Column> columns{section_column, level_column, depth_column, calls_column};
        add_figures(columns_of_self, columns);
        add_figures(columns_of_total, columns);
        table(id, title, columns, shown, [&](const SectionNode& node, TableRow& row) {
            figures(node.self_ns, node.calls, node.has_memory, node.self_memory, row);
            figures(node.total_ns, node.calls, node.has_memory, node.total_memory, row);
        });
    }

    void write_over_ranks(const std::vector<std::uint32_t>& shown) {
        std::vector<Column> columns{section_column, level_column, depth_column, calls_column};
        columns.insert(columns.end(), std::begin(columns_over_ranks), std::end(columns_over_ranks));
        const auto ranks = static_cast<double>(profile_.ranks.size());
        const auto over_ranks = [&](std::int64_t sum_ns, double longest_ns, TableRow& row) {
            const double mean_ns = static_cast<double>(sum_ns) / ranks;
            row.number(mean_ns / 1e9);
            row.number(longest_ns / 1e9);
            row.number(mean_ns > 0 ? 100 * (longest_ns - mean_ns) / mean_ns : 0);
        };
        table(
            "section_ranks",
            "Performance Graph over ranks: mean, longest rank, and its excess over the mean in %:",
            columns, shown, [&](const SectionNode& node, TableRow& row) {
                over_ranks(node.self_ns, node.longest_self_ns, row);
                over_ranks(node.total_ns, node.longest_total_ns, row);
            });
    }

    // Levels that are not shown do not add indentation. `add_figures` fills the columns after the
    // first four.
    template <class AddFigures>
    void table(const char* id, const char* title, const std::vector<Column>& columns,
               const std::vector<std::uint32_t>& shown, AddFigures add_figures) {
        std::vector<std::size_t> depth(tree_.size(), 0);
        std::vector<bool> is_shown(tree_.size(), false);
        for (const std::uint32_t i : shown)
            is_shown[i] = true;
        for (std::uint32_t i = 1; i < tree_.size(); i++)
            depth[i] = depth[tree_[i].parent] + is_shown[tree_[i].parent];
        const TableSpec spec = {.id = id,
                                .title = title,
                                .row = "section",
                                .columns = columns,
                                .style = TableStyle::ruled};
        out_.table(spec, shown.size(), [&](std::size_t i, TableRow& row) {
            const SectionNode& node = tree_[shown[i]];
            constexpr std::size_t indent = 2;
            row.text(std::string(indent * depth[shown[i]], ' ') + name_of(node));
            row.integer(node.level);
            row.integer(depth[shown[i]]);
            row.integer(node.calls);
            add_figures(node, row);
        });
        out_.write("\n");
    }

    std::string name_of(const SectionNode& node) const {
        return node.depth == 0 ? root_section_name(profile_) : text_.shown(node.name);
    }

    void figures(std::int64_t ns, std::uint64_t calls, bool has_memory, double memory,
                 TableRow& row) const {
        row.number(seconds(ns));
        row.number(calls > 0 ? seconds(ns) / static_cast<double>(calls) : 0.0);
        row.number(percentage(ns, static_cast<double>(tree_[0].total_ns)));
        if (has_memory_ && has_memory)
            row.number(memory / mebibyte);
        else if (has_memory_)
            row.blank();
    }

    const Profile& profile_;
    const PathText& text_;
    std::vector<SectionNode> tree_;
    bool has_memory_ = false;
    TableOutput& out_;
};

}  // namespace

void write_section_tables(const Profile& profile, const PathText& text,
                          const ReportOptions& options, TableOutput& out) {
    const SectionReport& wanted = options.sections;
    const auto kinds = wanted.regions ? SectionKinds::and_regions : SectionKinds::sections;
    SectionTables tables(profile, text, {kinds, wanted.thread}, out);
    if (wanted.level >= 0)
        tables.graph(wanted.level);
    if (wanted.branch)
        tables.heaviest_branch();
    if (wanted.heaviest > 0)
        tables.heaviest(wanted.heaviest);
}

}  // namespace vftrace
