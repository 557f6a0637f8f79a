// The tables of a text log: runtime profile, the same grouped by function name, call stacks.
#include "report/tables.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "profile/row_keys.hpp"
#include "profile/waiting.hpp"
#include "record/metrics.hpp"
#include "report/rank_tables.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

// A row of one of the profile tables: a call path, or all paths of functions with the same name.
struct Figures {
    std::uint64_t calls = 0;
    std::uint64_t samples = 0;
    std::uint64_t page_faults = 0;
    std::int64_t kernel_ns = 0;
    std::int64_t exclusive_ns = 0;  // without paused time
    std::int64_t inclusive_ns = 0;
    std::int64_t overhead_ns = 0;
    std::uint32_t stid = 0;  // the smallest of a group
};

// The basis of the percentages of exclusive times: all of them except paused time. In double,
// because the sum over a large machine may not fit into 64 bits.
double total_exclusive(const Profile& profile) {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (!is_paused(profile, i))
            sum += static_cast<double>(profile.paths[i].exclusive_ns);
    return sum;
}

// Orders by the value that `sort` names, equal ones by STID from small to large.
bool comes_before(const Figures& a, const Figures& b, SortOrder sort) {
    auto before = [&](auto Figures::*column) {
        return row_before(a.*column, b.*column, a.stid, b.stid, sort.ascending);
    };
    switch (sort.column) {
    case SortColumn::time_excl:
        return before(&Figures::exclusive_ns);
    case SortColumn::time_incl:
        return before(&Figures::inclusive_ns);
    case SortColumn::calls:
        return before(&Figures::calls);
    case SortColumn::overhead:
        return before(&Figures::overhead_ns);
    case SortColumn::stack_id:
        break;
    }
    return before(&Figures::stid);
}

Figures figures_of_path(const Path& path) {
    return {path.calls,        path.samples,      path.page_faults, path.kernel_ns,
            path.exclusive_ns, path.inclusive_ns, path.overhead_ns, path.stid};
}

std::vector<std::uint32_t> all_paths(const Profile& profile) {
    std::vector<std::uint32_t> order(profile.paths.size());
    std::iota(order.begin(), order.end(), 0u);
    return order;
}

std::vector<std::uint32_t> paths_by_stid(const Profile& profile) {
    std::vector<std::uint32_t> order = all_paths(profile);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t stid_a = profile.paths[a].stid;
        const std::uint32_t stid_b = profile.paths[b].stid;
        return stid_a != stid_b ? stid_a < stid_b : a < b;
    });
    return order;
}

constexpr Column calls_column = count_column("calls", "Calls");
constexpr Column samples_column = count_column("samples", "Samples");
constexpr Column exclusive_column = time_column("time_excl", "t_excl[s]");
constexpr Column exclusive_share_column = share_of_whole_column("share_excl", "t_excl[%]");
constexpr Column inclusive_column = time_column("time_incl", "t_incl[s]");

bool is_sampled(const Profile& profile) { return profile.run.sample_period_ns > 0; }

// The kernel's work for a sampled program, as far as known.
class KernelColumns {
  public:
    explicit KernelColumns(const Profile& profile)
        : time_(any(profile, &Path::kernel_ns)), page_faults_(any(profile, &Path::page_faults)) {}

    void add_to(std::vector<Column>& columns) const {
        if (time_)
            columns.push_back(time_column("kernel_time", "kernel[s]"));
        if (page_faults_)
            columns.push_back(count_column("page_faults", "Page faults"));
    }
    void add_cells(const Figures& figures, TableRow& row) const {
        if (time_)
            row.number(seconds(figures.kernel_ns));
        if (page_faults_)
            row.integer(figures.page_faults);
    }

  private:
    template <class Figure>
    static bool any(const Profile& profile, Figure Path::*figure) {
        return std::any_of(profile.paths.begin(), profile.paths.end(),
                           [=](const Path& path) { return path.*figure > 0; });
    }
    bool time_, page_faults_;
};

// The estimated energy of paths, as far as known.
class EnergyColumns {
  public:
    EnergyColumns(const Profile& profile, bool wanted) : profile_(profile) {
        constexpr Estimate all[] = {
            {MetricId::region_path_energy, "energy", "energy[J]~"},
            {MetricId::region_path_gpu_energy, "gpu_energy", "GPU energy[J]~"}};
        for (std::uint32_t i = 0; wanted && i < profile.metrics.size(); i++)
            for (const Estimate& estimate : all)
                if (profile.metrics[i].name == row_of(estimate.metric).name)
                    shown_.push_back({i, number_column(estimate.id, estimate.header, "J", 3)});
    }

    void add_to(std::vector<Column>& columns) const {
        for (const Shown& shown : shown_)
            columns.push_back(shown.column);
    }
    void add_cells(std::uint32_t path, TableRow& row) const {
        for (const Shown& shown : shown_) {
            const MetricValue wanted{path, shown.metric, 0};
            const auto found =
                std::lower_bound(profile_.metric_values.begin(), profile_.metric_values.end(),
                                 wanted, key_before<MetricValue>);
            const bool is_there = found != profile_.metric_values.end() && same_key(*found, wanted);
            row.number(is_there ? found->value : 0);
        }
    }

  private:
    struct Estimate {
        MetricId metric;
        std::string_view id, header;
    };
    struct Shown {
        std::uint32_t metric;
        Column column;
    };
    const Profile& profile_;
    std::vector<Shown> shown_;
};

// The time in which threads waited, or could not run, if that was recorded.
class WaitingColumns {
  public:
    WaitingColumns(const Profile& profile, bool wanted)
        : shown_(wanted && has_waiting(profile)),
          rows_(shown_ ? path_waits(profile) : std::vector<PathWaits>{}) {}

    void add_to(std::vector<Column>& columns) const {
        if (shown_)
            columns.insert(columns.end(), {time_column("waited", "t_wait[s]"),
                                           time_column("displaced", "t_displaced[s]")});
    }
    void add_cells(std::uint32_t path, TableRow& row) const {
        if (!shown_)
            return;
        const auto found = std::lower_bound(
            rows_.begin(), rows_.end(), path,
            [](const PathWaits& waits, std::uint32_t wanted) { return waits.path < wanted; });
        const bool is_there = found != rows_.end() && found->path == path;
        row.number(is_there ? found->waited_ns() / 1e9 : 0);
        row.number(is_there ? found->displaced_ns / 1e9 : 0);
    }

  private:
    bool shown_;
    std::vector<PathWaits> rows_;
};

// The first columns of the tables of paths and of names.
std::vector<Column> columns_of_figures(bool sampled, const KernelColumns& kernel) {
    std::vector<Column> columns{calls_column};
    if (sampled)
        columns.push_back(samples_column);
    columns.insert(columns.end(), {exclusive_column, exclusive_share_column, inclusive_column});
    kernel.add_to(columns);
    return columns;
}

// The number of calls is unknown for sampled functions, and vice versa.
void calls_and_samples(std::uint64_t calls, std::uint32_t flags, std::uint64_t samples,
                       bool sampled, TableRow& row) {
    if (sampled && calls == 0)
        row.blank();
    else if (flags & path_calls_until_removal)
        row.at_least(calls);
    else if (flags & path_calls_estimated)
        row.estimate(calls);
    else
        row.integer(calls);
    if (sampled && samples == 0 && calls > 0)
        row.blank();
    else if (sampled)
        row.integer(samples);
}

struct NameGroup {
    Figures figures;
    std::int64_t counted_ns = 0;  // exclusive time that is not paused
    std::uint32_t flags = 0;      // of all members
    std::uint32_t some_path = no_index;
    std::size_t members = 0;
    std::string stids;
};

// One group for each display name. `group_of[f]` becomes the group of function f.
std::size_t group_functions(const Profile& profile, std::vector<std::uint32_t>& group_of) {
    std::vector<std::uint32_t> order(profile.functions.size());
    std::iota(order.begin(), order.end(), 0u);
    auto name = [&](std::uint32_t i) -> const std::string& { return profile.functions[i].display; };
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
    group_of.resize(order.size());
    std::uint32_t groups = 0;
    for (std::size_t i = 0; i < order.size(); i++) {
        if (i > 0 && name(order[i]) != name(order[i - 1]))
            groups++;
        group_of[order[i]] = groups;
    }
    return order.empty() ? 0 : groups + 1;
}

std::vector<NameGroup> name_groups(const Profile& profile, const ReportOptions& options) {
    std::vector<std::uint32_t> group_of;
    std::vector<NameGroup> groups(group_functions(profile, group_of));
    for (std::uint32_t i : paths_by_stid(profile)) {
        const Path& path = profile.paths[i];
        NameGroup& group = groups[group_of[path.function]];
        if (group.members++ == 0) {
            group.figures.stid = path.stid;
            group.some_path = i;
        }
        group.figures.calls += path.calls;
        group.figures.samples += path.samples;
        group.flags |= path.flags;
        group.figures.page_faults += path.page_faults;
        group.figures.kernel_ns += path.kernel_ns;
        group.figures.exclusive_ns += path.exclusive_ns;
        group.figures.inclusive_ns += path.inclusive_ns;
        if (!is_paused(profile, i))
            group.counted_ns += path.exclusive_ns;
        if (group.members <= options.max_stack_ids)
            append_format(group.stids, group.members == 1 ? "%u" : ",%u", path.stid);
        else if (group.members == options.max_stack_ids + 1)
            group.stids += ",...";
    }
    std::erase_if(groups, [](const NameGroup& group) { return group.members == 0; });
    std::sort(groups.begin(), groups.end(), [&](const NameGroup& a, const NameGroup& b) {
        return comes_before(a.figures, b.figures, options.name_group_sort);
    });
    return groups;
}

// Below the table, by STID, because programs read its rows.
void mark_guesses(const Profile& profile, const std::vector<std::uint32_t>& order,
                  std::size_t shown, TableOutput& out) {
    constexpr std::size_t most_named = 20;
    std::string stids;
    std::size_t rows = 0;
    for (std::size_t i = 0; i < shown; i++) {
        const Path& path = profile.paths[order[i]];
        if (!is_mostly_overhead(path))
            continue;
        if (++rows <= most_named)
            append_format(stids, rows == 1 ? "%u" : ", %u", path.stid);
    }
    if (rows > most_named)
        append_format(stids, " and %zu more", rows - most_named);
    if (rows > 0)
        out.write("Uncertain: more was subtracted from t_excl, as the cost of measuring, than is "
                  "left in the rows with STID " +
                  stids + "\n");
}

}  // namespace

void write_runtime_profile(const Profile& profile, const PathText& text,
                           const ReportOptions& options, LogScope scope, TableOutput& out) {
    std::vector<std::uint32_t> order = all_paths(profile);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return comes_before(figures_of_path(profile.paths[a]), figures_of_path(profile.paths[b]),
                            options.sort);
    });
    const double total = total_exclusive(profile);
    const bool show_imbalances = options.show_imbalances && scope == LogScope::summary;

    const bool sampled = is_sampled(profile);
    const KernelColumns kernel(profile);
    std::vector<Column> columns = columns_of_figures(sampled, kernel);
    if (options.show_overhead)
        columns.push_back(time_column("overhead", "overhead[s]"));
    const EnergyColumns energy(profile, options.show_energy);
    energy.add_to(columns);
    const WaitingColumns waiting(profile, options.show_waiting);
    waiting.add_to(columns);
    if (show_imbalances)
        columns.insert(columns.end(), {percent_column("imbalance", "Imbalances[%]", 2),
                                       count_column("imbalance_rank", "on rank")});
    columns.insert(columns.end(), {function_column, caller_column, stid_column});
    if (options.show_callpath)
        columns.push_back(callpath_column);

    const std::size_t shown = shown_rows(order.size(), options, options.profile_rows);
    const TableSpec spec = {.id = "profile",
                            .title = "Runtime profile",
                            .row = "path",
                            .columns = columns,
                            .sorted_by = word_of(options.sort),
                            .ascending = options.sort.ascending};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const Path& path = profile.paths[order[i]];
        calls_and_samples(path.calls, path.flags, path.samples, sampled, row);
        row.number(seconds(path.exclusive_ns));
        row.number(is_paused(profile, order[i]) ? 0.0 : percentage(path.exclusive_ns, total));
        row.number(seconds(path.inclusive_ns));
        kernel.add_cells(figures_of_path(path), row);
        if (options.show_overhead)
            row.number(seconds(path.overhead_ns));
        energy.add_cells(order[i], row);
        waiting.add_cells(order[i], row);
        if (show_imbalances) {
            const Imbalance imbalance = imbalance_of(profile, order[i]);
            row.number(imbalance.percent);
            row.integer(imbalance.rank);
        }
        row.text(text.function(order[i]));
        row.text(text.caller(order[i]));
        row.integer(path.stid);
        if (options.show_callpath)
            row.text(text.call_path(order[i]));
    });
    mark_guesses(profile, order, shown, out);
    say_what_is_left_out(order.size(), shown, out);
}

void write_name_grouped_profile(const Profile& profile, const PathText& text,
                                const ReportOptions& options, TableOutput& out) {
    const std::vector<NameGroup> groups = name_groups(profile, options);
    const double total = total_exclusive(profile);
    const bool sampled = is_sampled(profile);
    const KernelColumns kernel(profile);
    std::vector<Column> columns = columns_of_figures(sampled, kernel);
    columns.insert(columns.end(),
                   {function_column, text_column("stack_ids", "STIDs", Align::left)});
    const std::size_t shown = shown_rows(groups.size(), options);
    const TableSpec spec = {.id = "names",
                            .title = "Runtime profile (Grouped by function name)",
                            .row = "function",
                            .columns = columns,
                            .sorted_by = word_of(options.name_group_sort),
                            .ascending = options.name_group_sort.ascending};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const NameGroup& group = groups[i];
        calls_and_samples(group.figures.calls, group.flags, group.figures.samples, sampled, row);
        row.number(seconds(group.figures.exclusive_ns));
        row.number(percentage(group.counted_ns, total));
        row.number(seconds(group.figures.inclusive_ns));
        kernel.add_cells(group.figures, row);
        row.text(text.function(group.some_path));
        row.text(group.stids);
    });
    say_what_is_left_out(groups.size(), shown, out);
}

void write_call_stacks(const Profile& profile, const PathText& text, TableOutput& out) {
    const std::vector<std::uint32_t> order = paths_by_stid(profile);
    static constexpr Column columns[] = {text_column("stack_id", "STID"),
                                         text_column("callpath", "Call stack", Align::left)};
    const TableSpec spec = {.id = "stacks",
                            .title = "Global call stacks:",
                            .row = "path",
                            .columns = columns,
                            .sorted_by = "stack_id",
                            .ascending = true,
                            .style = TableStyle::list};
    out.table(spec, order.size(), [&](std::size_t i, TableRow& row) {
        row.text(format("STID%u", profile.paths[order[i]].stid));
        row.text(text.call_path(order[i]));
    });
    out.write("\n");
}

}  // namespace vftrace
