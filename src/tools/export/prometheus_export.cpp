// Figures of a run in the text format of Prometheus, for the textfile collector of its node
// exporter (https://prometheus.io/docs/instrumenting/exposition_formats).
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "compare/function_sums.hpp"
#include "export/exporters.hpp"
#include "findings/findings.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

// More functions would be more time series than a run is worth; the rest is one more.
constexpr std::size_t most_functions = 50;

std::string label(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\' || c == '"')
            result += '\\';
        result += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return result;
}

class Metrics {
  public:
    Metrics(const Profile& profile, ExportOutput& output)
        : output_(output),
          labels_(fmt::format("application=\"{}\"", label(profile.run.application))) {}

    void gauge(const char* name, const char* help, double value) {
        head(name, help);
        line(name, "", value);
    }
    void head(const char* name, const char* help) {
        output_.write(
            fmt::format("# HELP vftrace_{0} {1}\n# TYPE vftrace_{0} gauge\n", name, help));
    }
    void line(const char* name, const std::string& more_labels, double value) {
        if (std::isfinite(value))
            output_.write(
                fmt::format("vftrace_{}{{{}{}}} {:.9g}\n", name, labels_, more_labels, value));
    }

  private:
    ExportOutput& output_;
    std::string labels_;
};

std::vector<std::pair<std::string, FunctionSum>> functions_of(const Profile& profile) {
    const std::map<std::string, FunctionSum> sums = function_sums(profile);
    std::vector<std::pair<std::string, FunctionSum>> functions(sums.begin(), sums.end());
    std::stable_sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
        return a.second.own_seconds > b.second.own_seconds;
    });
    return functions;
}

}  // namespace

void export_prometheus(const ExportSource& source, ExportOutput& output) {
    const Profile& profile = source.profiles.front();
    Metrics metrics(profile, output);
    constexpr double second_ns = 1e9;
    metrics.gauge("run_start_seconds", "When the run began, since 1970.",
                  static_cast<double>(profile.run.start_unix_ns) / second_ns);
    metrics.gauge("run_seconds", "How long it took, without what measuring cost.",
                  std::max(0.0, seconds(profile.application_ns())));
    metrics.gauge("run_measured_seconds", "How long it took as measured.",
                  seconds(profile.run.runtime_ns));
    metrics.gauge("run_ranks", "Its processes.", profile.run.ranks);
    std::vector<RunFinding> findings = find_all(profile);
    std::erase_if(findings, [](const RunFinding& finding) { return finding.is_remark(); });
    metrics.gauge("run_findings", "What seems to be wrong with it.",
                  static_cast<double>(findings.size()));
    Grade grade = Grade::good;
    for (const QualityFigure& figure : quality(profile))
        grade = std::max(grade, figure.grade);
    metrics.gauge("run_quality", "Of the measurement: 0 good, 1 fair, 2 poor.",
                  static_cast<double>(grade));

    const auto functions = functions_of(profile);
    const std::size_t shown = std::min(functions.size(), most_functions);
    const auto function_label = [](const std::string& name) {
        return fmt::format(",function=\"{}\"", label(name));
    };
    metrics.head("function_own_seconds", "Own times of functions, over all threads and ranks.");
    for (std::size_t i = 0; i < shown; i++)
        metrics.line("function_own_seconds", function_label(functions[i].first),
                     functions[i].second.own_seconds);
    double rest = 0;
    for (std::size_t i = shown; i < functions.size(); i++)
        rest += functions[i].second.own_seconds;
    metrics.gauge("other_functions_own_seconds", "Own times of all other functions.", rest);
    metrics.head("function_calls", "Calls of functions, where all of them were counted.");
    for (std::size_t i = 0; i < shown; i++)
        if (functions[i].second.exact_calls)
            metrics.line("function_calls", function_label(functions[i].first),
                         static_cast<double>(functions[i].second.calls));
}

}  // namespace vftrace
