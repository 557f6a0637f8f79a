#include "code/line_table.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "findings/findings.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

// Line, offset, function and file: what is compared fastest comes first.
using LineKey = std::tuple<std::uint32_t, std::uint64_t, std::string_view, std::string_view>;

// Without lines: the place in the function of the symbol table, or, next to hooks, in the module.
LineFigures unknown_line(const Profile& profile, const SampleOnLine& sample) {
    const Function& function = profile.functions[profile.paths[sample.path].function];
    const bool is_in_function =
        function.module == sample.module && sample.offset >= function.offset;
    LineFigures figures;
    figures.file = sample.module == no_index ? "" : profile.modules[sample.module].path;
    figures.function = function.display;
    figures.offset = is_in_function ? sample.offset - function.offset : sample.offset;
    figures.is_in_function = is_in_function;
    if (!is_in_function)
        figures.function += " (a callee without hooks)";
    return figures;
}

class LineSums {
  public:
    explicit LineSums(const Profile& profile) : profile_(profile) {}

    void add(const SampleOnLine& sample) {
        if (sample.places->empty()) {
            LineFigures unknown = unknown_line(profile_, sample);
            LineFigures& line = line_of(key_of(unknown), [&unknown] { return std::move(unknown); });
            add_own(line, sample);
            line.with_inlined_ns += sample.ns;
            return;
        }
        const Function& outermost = profile_.functions[profile_.paths[sample.path].function];
        counted_.clear();
        for (std::size_t i = 0; i < sample.places->size(); i++) {
            const SourcePlace& place = (*sample.places)[i];
            const bool is_inlined = i + 1 < sample.places->size();
            const std::string& function =
                !is_inlined && outermost.module == sample.module &&
                        (place.function.empty() || outermost.symbol == place.function)
                    ? outermost.display
                    : place.function_display;
            LineFigures& line = line_of({place.line, 0, function, place.file}, [&] {
                LineFigures figures;
                figures.file = place.file;
                figures.line = place.line;
                figures.is_source = !place.file.empty();
                figures.function = function;
                return figures;
            });
            if (i == 0)
                add_own(line, sample);
            // Recursion of inlined functions counts once.
            if (std::find(counted_.begin(), counted_.end(), &line) == counted_.end()) {
                line.with_inlined_ns += sample.ns;
                counted_.push_back(&line);
            }
        }
    }

    std::vector<LineFigures> finish() && {
        lines_.clear();
        std::vector<LineFigures> lines(std::make_move_iterator(figures_.begin()),
                                       std::make_move_iterator(figures_.end()));
        std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
            if (a.ns != b.ns || a.with_inlined_ns != b.with_inlined_ns)
                return std::tie(a.ns, a.with_inlined_ns) > std::tie(b.ns, b.with_inlined_ns);
            return std::tie(a.file, a.line, a.function, a.offset) <
                   std::tie(b.file, b.line, b.function, b.offset);
        });
        return lines;
    }

  private:
    static LineKey key_of(const LineFigures& line) {
        return {line.line, line.offset, line.function, line.file};
    }
    // `make()` is called if the line is new; the key may refer to text that is gone later.
    template <class Make>
    LineFigures& line_of(const LineKey& key, Make make) {
        if (const auto known = lines_.find(key); known != lines_.end())
            return *known->second;
        LineFigures& line = figures_.emplace_back(make());
        lines_.emplace(key_of(line), &line);
        return line;
    }
    static void add_own(LineFigures& line, const SampleOnLine& sample) {
        line.samples += sample.samples;
        line.ns += sample.ns;
        line.variance += sample.variance;
    }

    const Profile& profile_;
    std::deque<LineFigures> figures_;  // stay where they are, because keys refer to them
    std::map<LineKey, LineFigures*> lines_;
    std::vector<LineFigures*> counted_;  // of one sample
};

std::string shown_place(const LineFigures& line) {
    const std::string_view name = base_name(line.file);
    if (line.is_source)
        return line.line > 0 ? fmt::format("{}:{}", name, line.line) : fmt::format("{}:?", name);
    return fmt::format("{}+0x{:x}", line.is_in_function ? line.function : name, line.offset);
}

constexpr Column columns[] = {share_of_whole_column("share", "t[%]"),
                              time_column("time", "t[s]"),
                              time_column("time_error", "+-[s]"),
                              percent_column("share_with_inlined", "with inlined[%]"),
                              count_column("samples", "Samples"),
                              text_column("place", "Line", Align::left),
                              text_column("function", "Function", Align::left),
                              for_scripts(text_column("file", "File")),
                              for_scripts(count_column("line", "Line number"))};

}  // namespace

std::vector<LineFigures> line_figures(const Profile& profile, const SampledLines& lines) {
    LineSums sums(profile);
    for (const SampleOnLine& sample : lines.samples())
        sums.add(sample);
    return std::move(sums).finish();
}

std::vector<LineOfFunction> lines_of_functions(const Profile& profile, const SampledLines& lines) {
    using Key = std::tuple<std::string, std::uint32_t, std::uint32_t>;
    std::map<Key, LineOfFunction> sums;
    for (const SampleOnLine& sample : lines.samples()) {
        const std::uint32_t function = profile.paths[sample.path].function;
        std::set<Key> counted;
        bool is_own = true;
        for (const SourcePlace& place : *sample.places) {
            if (place.line == 0)
                continue;
            const Key key{place.file, place.line, function};
            LineOfFunction& line = sums[key];
            if (is_own) {
                line.samples += sample.samples;
                line.ns += sample.ns;
            }
            is_own = false;
            if (counted.insert(key).second)
                line.with_inlined_ns += sample.ns;
        }
    }
    std::vector<LineOfFunction> result;
    for (auto& [key, line] : sums) {
        std::tie(line.file, line.line, line.function) = key;
        result.push_back(std::move(line));
    }
    return result;
}

std::map<std::uint32_t, std::string> hot_lines_of_findings(const Profile& profile,
                                                           const std::vector<RunFinding>& findings,
                                                           const SourceMap& map) {
    std::map<std::uint32_t, std::string> result;
    if (profile.addresses.empty())
        return result;
    std::set<std::uint32_t> paths;
    for (const RunFinding& finding : findings) {
        paths.insert(finding.path);
        for (const RunFinding& effect : finding.effects)
            paths.insert(effect.path);
    }
    const SampledLines lines(profile, map, &paths);
    std::map<std::uint32_t, std::map<std::string, double>> time_of;
    std::map<std::uint32_t, double> all;
    for (const SampleOnLine& sample : lines.samples()) {
        all[sample.path] += sample.ns;
        if (!sample.places->empty() && sample.places->front().line > 0)
            time_of[sample.path][short_place(sample.places->front())] += sample.ns;
    }
    for (const auto& [path, of_path] : time_of) {
        const auto hottest =
            std::max_element(of_path.begin(), of_path.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        if (all[path] > 0)
            result[path] = fmt::format("{} ({:.0f} % of the own time)", hottest->first,
                                       100 * hottest->second / all[path]);
    }
    return result;
}

void write_line_table(const Profile& profile, const SampledLines& lines,
                      const ReportOptions& options, TableOutput& out) {
    const std::vector<LineFigures> all = line_figures(profile, lines);
    const double total = lines.total_ns();
    const PathText text(profile, options.max_name_width);
    const std::size_t shown = shown_rows(all.size(), options);
    const TableSpec spec = {.id = "lines",
                            .title = "Source lines",
                            .row = "line",
                            .columns = columns,
                            .sorted_by = "time"};
    const auto percent = [total](double ns) { return total > 0 ? 100 * ns / total : 0; };
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const LineFigures& line = all[i];
        row.number(percent(line.ns));
        row.number(line.ns / 1e9);
        row.number(std::sqrt(line.variance) / 1e9);
        row.number(percent(line.with_inlined_ns));
        row.integer(line.samples);
        row.text(text.shown(shown_place(line)));
        row.text(text.shown(line.function));
        row.text(line.file);
        row.integer(line.line);
    });
    say_what_is_left_out(all.size(), shown, out);
    if (lines.unsampled_ns() > 0)
        out.print("%.3f s (%.1f %%) of the time is in paths without samples.\n",
                  lines.unsampled_ns() / 1e9, percent(lines.unsampled_ns()));
    say_what_lines_are_missing(lines.problems(), out);
}

}  // namespace vftrace
