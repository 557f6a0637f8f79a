// The first lines of `vftrace report`: how long the run took, where its time went, how far the
// measurement can be trusted, and the functions with the most time.
#include "report/first_screen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "findings/findings.hpp"
#include "report/path_text.hpp"
#include "report/rows.hpp"
#include "report/time_split.hpp"

namespace vftrace {
namespace {

constexpr std::size_t bar_width = 40, most_bars = 3, most_functions = 5, name_width = 60;
constexpr char bar_letters[] = {'#', 'M', 'o', 'f', '.'};  // by time_parts
static_assert(std::size(bar_letters) == std::size(time_parts));

std::string bar_of(const TimeSplit& split, double longest) {
    std::string bar;
    double end = 0;
    for (std::size_t i = 0; i < std::size(time_parts); i++) {
        end += split.*time_parts[i].seconds / longest * bar_width;
        const auto length = static_cast<std::size_t>(std::llround(end));
        bar.append(length > bar.size() ? length - bar.size() : 0, bar_letters[i]);
    }
    bar.resize(bar_width, ' ');
    return bar;
}

std::string parts_of(const TimeSplit& split) {
    std::string text;
    for (const TimePart& part : time_parts)
        if (const double share = 100 * split.*part.seconds / split.total(); share >= 0.05)
            text += format("%s%s %.1f %%", text.empty() ? "" : ", ", part.title.data(), share);
    return text;
}

void write_bars(const Profile& profile, TableOutput& out) {
    const std::vector<TimeBar> bars = time_bars(profile, most_bars);
    double longest = 0;
    std::size_t width = 0;
    for (const TimeBar& bar : bars) {
        longest = std::max(longest, bar.split.total());
        width = std::max(width, bar.label.size());
    }
    for (const TimeBar& bar : bars)
        out.write(format("  %-*s |%s| ", static_cast<int>(width), bar.label.c_str(),
                         bar_of(bar.split, longest).c_str()) +
                  parts_of(bar.split) + '\n');
}

void write_share(double share, const std::string& what, TableOutput& out) {
    out.write(format("  %5.1f %%  ", 100 * share) + what + '\n');
}

// Shares of the threads' time, as far as it is known: without function hooks or samples most of a
// program's own code is in no row.
void write_functions(const Profile& profile, TableOutput& out) {
    constexpr double worth_saying = 0.05;
    std::vector<std::int64_t> of_function(profile.functions.size());
    std::int64_t rows = 0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (!is_paused(profile, i)) {
            const Path& path = profile.paths[i];
            of_function[path.function] += path.exclusive_ns;
            rows += path.exclusive_ns;
        }
    const double all = std::max(total_seconds(time_splits(profile)), seconds(rows));
    std::vector<std::size_t> functions(of_function.size());
    std::iota(functions.begin(), functions.end(), std::size_t{0});
    std::sort(functions.begin(), functions.end(), [&](std::size_t a, std::size_t b) {
        return of_function[a] != of_function[b] ? of_function[a] > of_function[b] : a < b;
    });
    functions.resize(std::min(functions.size(), most_functions));
    const PathText text(profile, name_width, CutNames::where_they_are_alike);
    for (const std::size_t function : functions)
        if (const std::int64_t ns = of_function[function]; ns > 0)
            write_share(seconds(ns) / all, text.name(static_cast<std::uint32_t>(function)), out);
    if (const double unknown = 1 - seconds(rows) / all; unknown >= worth_saying)
        write_share(unknown, "in no row: code whose functions were not recorded", out);
}

}  // namespace

void write_first_screen(const Profile& profile, TableOutput& out) {
    if (time_splits(profile).empty())
        return;
    Grade worst = Grade::good;
    for (const QualityFigure& figure : quality(profile))
        worst = std::max(worst, figure.grade);
    out.write(printable(profile.run.application) +
              format("%s%.2f s%s. Quality of the measurement: %s\n",
                     profile.run.application.empty() ? "" : ": ",
                     seconds(std::max<std::int64_t>(0, profile.application_ns())),
                     profile.run.ranks > 1 ? format(" on %u ranks", profile.run.ranks).c_str() : "",
                     word_of(worst).data()));
    write_bars(profile, out);
    out.write("Functions with the most exclusive time (t_excl):\n");
    write_functions(profile, out);
    out.write("\n");
}

}  // namespace vftrace
