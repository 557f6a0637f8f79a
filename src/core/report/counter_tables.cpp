// The tables of hardware counters and of the figures that are computed from them.
#include "report/tables.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "config/formula.hpp"
#include "config/scenario.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

constexpr struct {
    std::string_view source, title;
} source_titles[] = {
    {"dummy", "Dummy"}, {"papi", "PAPI"}, {"perf", "Perf"}, {"likwid", "Likwid"}, {"ve", "VEPERF"}};

std::string title_of(const std::string& source) {
    for (const auto& known : source_titles)
        if (known.source == source)
            return std::string(known.title);
    return printable(source);
}

// One call path with its own readings (any path if there are no counters), or the sum of all.
struct CounterRow {
    std::uint32_t path = 0;
    double calls = 0.0;
    double ns = 0.0;               // of the counts
    std::vector<double> counters;  // exclusive
    std::vector<double> observables;
};

// By metric: the counter whose exclusive count it is; no_index: none.
std::vector<std::uint32_t> counters_of_metrics(const Profile& profile) {
    std::vector<std::uint32_t> counter_of(profile.metrics.size(), no_index);
    const std::vector<CounterName>& counters = profile.run.counters;
    for (std::uint32_t i = 0; i < counters.size(); i++)
        if (counters[i].metric < counter_of.size())
            counter_of[counters[i].metric] = i;
    return counter_of;
}

// Without counters, formulas can use T and CALLS, which every path has.
std::vector<CounterRow> rows_of_all_paths(const Profile& profile) {
    std::vector<CounterRow> rows;
    for (std::uint32_t i = 1; i < profile.paths.size(); i++) {  // 0: init
        const Path& path = profile.paths[i];
        const NodeKind kind = profile.functions[path.function].kind;
        if (kind == NodeKind::thread || kind == NodeKind::pause)
            continue;
        CounterRow& row = rows.emplace_back();
        row.path = i;
        row.calls = static_cast<double>(path.calls);
        row.ns = static_cast<double>(path.exclusive_ns);
    }
    return rows;
}

std::vector<CounterRow> rows_of(const Profile& profile) {
    if (profile.run.counters.empty())
        return rows_of_all_paths(profile);
    const std::vector<std::uint32_t> counter_of = counters_of_metrics(profile);
    std::vector<CounterRow> rows;
    for (const MetricValue& value : profile.metric_values) {
        const std::uint32_t counter = counter_of[value.metric];
        if (counter == no_index && value.metric != profile.run.counted_time_metric)
            continue;
        if (rows.empty() || rows.back().path != value.path) {
            CounterRow& row = rows.emplace_back();
            row.path = value.path;
            row.calls = static_cast<double>(profile.paths[value.path].calls);
            row.counters.resize(profile.run.counters.size());
        }
        if (counter == no_index)
            rows.back().ns = value.value;
        else
            rows.back().counters[counter] = value.value;
    }
    return rows;
}

CounterRow sum_of(const Profile& profile, const std::vector<CounterRow>& rows) {
    CounterRow sum;
    sum.counters.resize(profile.run.counters.size());
    for (const CounterRow& row : rows) {
        sum.calls += row.calls;
        sum.ns += row.ns;
        for (std::size_t i = 0; i < row.counters.size(); i++)
            sum.counters[i] += row.counters[i];
    }
    return sum;
}

// The formulas of the observables, each tried once.
class Observables {
  public:
    explicit Observables(const Profile& profile) : names_(profile.run.observables) {
        std::vector<std::string> symbols;
        for (const CounterName& counter : profile.run.counters)
            symbols.push_back(counter.symbol);
        if (names_.empty() || !formulas_are_available())
            return;
        const std::vector<std::string> variables = formula_variables(symbols);
        for (const ObservableFormula& observable : names_)
            formulas_.emplace_back(observable.formula, variables);
    }

    std::size_t size() const { return formulas_.size(); }
    bool is_usable(std::size_t i) const { return formulas_[i].error().text.empty(); }

    void evaluate(CounterRow& row) const {
        std::vector<double> values = row.counters;
        values.push_back(row.ns / 1e9);
        values.push_back(row.calls);
        for (const Formula& formula : formulas_)
            row.observables.push_back(formula.evaluate(values));
    }

    // "ipc [1/s]"
    const ObservableFormula& name(std::size_t i) const { return names_[i]; }
    std::string header(std::size_t i) const {
        const ObservableFormula& observable = names_[i];
        return printable(observable.unit.empty() ? observable.name
                                                 : observable.name + " [" + observable.unit + "]");
    }

    void write_problems(TableOutput& out) const {
        if (!names_.empty() && formulas_.empty())
            out.write("The observables cannot be computed: the library libmuparser.so.2 is not "
                      "installed.\n");
        for (std::size_t i = 0; i < formulas_.size(); i++)
            if (!is_usable(i))
                out.print("\"%s\" cannot be computed: %s.\n%s\n", printable(names_[i].name).c_str(),
                          printable(formulas_[i].error().text).c_str(),
                          printable_lines(formulas_[i].error().marked(names_[i].formula)).c_str());
    }

  private:
    const std::vector<ObservableFormula>& names_;
    std::vector<Formula> formulas_;  // none without the library
};

double finite(double value) { return std::isfinite(value) ? value : 0.0; }

void sort_rows(const Profile& profile, std::size_t column, std::vector<CounterRow>& rows) {
    std::sort(rows.begin(), rows.end(), [&](const CounterRow& a, const CounterRow& b) {
        const bool known = column < a.observables.size();
        return row_before(known ? finite(a.observables[column]) : 0.0,
                          known ? finite(b.observables[column]) : 0.0, profile.paths[a.path].stid,
                          profile.paths[b.path].stid, false);
    });
}

// Reports which rows contain the counts of all other paths.
void write_readers(const Profile& profile, std::size_t rows, TableOutput& out) {
    if (profile.run.counters.empty())
        return;
    const std::size_t others = profile.paths.size() - 1;  // except init
    if (rows < others)
        out.print("%zu of %zu call paths read the counters; counts of the others are in the row "
                  "of the nearest caller that did.\n",
                  rows, others);
}

constexpr Column calls_column = count_column("calls", "#Calls"),
                 name_column = text_column("function", "Func");

// The beginning of the titles of tables.
const char* head(LogScope scope) {
    return scope == LogScope::summary ? "HWProf" : "HWProf profile";
}

void fill_path(const Profile& profile, const PathText& text, const CounterRow& row,
               TableRow& cells) {
    cells.integer(profile.paths[row.path].calls);
    cells.text(text.function(row.path));
}

void write_observables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       LogScope scope, const Observables& observables,
                       const std::vector<CounterRow>& rows, TableOutput& out) {
    std::vector<std::string> headers;
    std::vector<std::size_t> shown_observables;
    for (std::size_t i = 0; i < observables.size(); i++)
        if (observables.is_usable(i)) {
            headers.push_back(observables.header(i));
            shown_observables.push_back(i);
        }
    std::vector<Column> columns{calls_column, name_column};
    for (std::size_t i = 0; i < headers.size(); i++)
        columns.push_back(number_column(observables.name(shown_observables[i]).name, headers[i],
                                        observables.name(shown_observables[i]).unit, 6));
    const std::string title =
        format("%s - Observables (%s)", head(scope), title_of(profile.run.counter_source).c_str());
    const std::size_t shown = shown_rows(rows.size(), options);
    const TableSpec spec = {.id = "observables",
                            .title = title,
                            .row = "path",
                            .columns = columns,
                            .sorted_by = options.observable_sort < observables.size()
                                             ? observables.name(options.observable_sort).name
                                             : std::string_view()};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        fill_path(profile, text, rows[i], cells);
        for (const std::size_t observable : shown_observables)
            cells.number(rows[i].observables[observable]);
    });
    observables.write_problems(out);
    write_readers(profile, rows.size(), out);
    say_what_is_left_out(rows.size(), shown, out);
}

void write_counters(const Profile& profile, const PathText& text, const ReportOptions& options,
                    LogScope scope, const std::vector<CounterRow>& rows, TableOutput& out) {
    std::vector<std::string> headers;
    for (const CounterName& counter : profile.run.counters)
        headers.push_back(printable(counter.name));
    std::vector<Column> columns{calls_column, name_column};
    for (const std::string& header : headers)
        columns.push_back(number_column(header, header, "", 0));
    const std::string title = format("%s - Hardware Counters (%s)", head(scope),
                                     title_of(profile.run.counter_source).c_str());
    const std::size_t shown = shown_rows(rows.size(), options);
    const TableSpec spec = {.id = "counters", .title = title, .row = "path", .columns = columns};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        fill_path(profile, text, rows[i], cells);
        for (const double count : rows[i].counters)
            cells.number(count);  // those of the source dummy may be negative
    });
    write_readers(profile, rows.size(), out);
    say_what_is_left_out(rows.size(), shown, out);
}

// Names and values as a list.
void write_list(std::string_view id, std::string_view title, const std::vector<std::string>& names,
                const std::vector<double>& values, int decimals, TableOutput& out) {
    const Column columns[] = {text_column("name", "Name", Align::left),
                              number_column("sum", "Sum", "", decimals)};
    const TableSpec spec = {
        .id = id, .title = title, .row = "counter", .columns = columns, .style = TableStyle::list};
    out.table(spec, names.size(), [&](std::size_t i, TableRow& cells) {
        cells.text(names[i]);
        cells.number(values[i]);
    });
    out.write("\n");
}

void write_sums(const Profile& profile, const ReportOptions& options, LogScope scope,
                const Observables& observables, CounterRow sum, TableOutput& out) {
    observables.evaluate(sum);
    std::vector<std::string> names;
    std::vector<double> values;
    if (options.show_observables) {
        for (std::size_t i = 0; i < observables.size(); i++)
            if (observables.is_usable(i)) {
                names.push_back(observables.header(i));
                values.push_back(sum.observables[i]);
            }
        if (!names.empty())
            write_list("observable_sums", "HWProf observables summary:", names, values, 6, out);
    }
    if (sum.counters.empty())
        return;
    names.clear();
    values.clear();
    for (std::size_t i = 0; i < sum.counters.size(); i++) {
        names.push_back(printable(profile.run.counters[i].name));
        values.push_back(sum.counters[i]);
    }
    write_list("counter_sums",
               scope == LogScope::summary ? "HWProf counters summary:" : "Total HWprof counters:",
               names, values, 0, out);
}

}  // namespace

bool has_counter_tables(const Profile& profile) {
    return !profile.run.observables.empty() || !profile.run.counters.empty();
}

void write_counter_tables(const Profile& profile, const PathText& text,
                          const ReportOptions& options, LogScope scope, TableOutput& out) {
    const Observables observables(profile);
    std::vector<CounterRow> rows = rows_of(profile);
    const CounterRow sum = sum_of(profile, rows);
    for (CounterRow& row : rows)
        observables.evaluate(row);
    sort_rows(profile, options.observable_sort, rows);
    if (options.show_observables && !profile.run.observables.empty())
        write_observables(profile, text, options, scope, observables, rows, out);
    if (options.show_counters && !profile.run.counters.empty())
        write_counters(profile, text, options, scope, rows, out);
    if (options.show_counter_summary)
        write_sums(profile, options, scope, observables, sum, out);
}

}  // namespace vftrace
