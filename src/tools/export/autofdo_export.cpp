// Sample profile in LLVM's text format, for clang's -fprofile-sample-use: how often the lines of
// each function ran, and of those inlined there, by distance from the function's declaration
// (https://clang.llvm.org/docs/UsersManual.html, "Sample Profile Text Format").
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "code/execution_counts.hpp"
#include "export/exporters.hpp"

namespace vftrace {
namespace {

// A line of a function, as far from its declaration as LLVM counts, and the block of code there.
struct Line {
    std::uint32_t distance, discriminator;
    auto operator<=>(const Line&) const = default;
};

Line line_in_function(const SourcePlace& place) {
    return {(place.line - place.function_line) & 0xffff, place.is_llvm ? place.discriminator : 0};
}

// What is known of a function, or of one that is inlined.
struct FunctionCounts {
    double first = 0;  // of its first instruction
    std::map<Line, double> lines;
    std::map<std::pair<Line, std::string>, FunctionCounts> inlined;  // with its linkage name

    bool is_empty() const { return lines.empty() && inlined.empty(); }
    void add(const FunctionCounts& other) {
        first += other.first;
        for (const auto& [line, count] : other.lines)
            lines[line] += count;
        for (const auto& [key, counts] : other.inlined)
            inlined[key].add(counts);
    }
};

// The name in the source: without what the compiler appends to parts and variants of a function.
std::string name_in_source(std::string_view symbol) {
    for (const char* const suffix : {".llvm.", ".part.", ".isra.", ".constprop.", ".lto_priv."})
        symbol = symbol.substr(0, symbol.find(suffix));
    if (symbol.ends_with(".cold"))
        symbol.remove_suffix(5);
    return std::string(symbol);
}

// The counts of a function's code. Several instructions at one line ran as often as the one that
// ran most. Empty if the line of its declaration is not known.
FunctionCounts count_lines(const AnnotatedFunction& function) {
    const std::vector<double> counts = execution_counts(function);
    FunctionCounts result;
    for (std::size_t i = 0; i < counts.size(); i++) {
        const std::vector<SourcePlace>& places = function.places[i];
        const bool has_distance =
            !places.empty() &&
            std::none_of(places.begin(), places.end(), [](const SourcePlace& place) {
                return place.line == 0 || place.function_line == 0 || place.function.empty();
            });
        if (!has_distance || counts[i] <= 0)
            continue;
        FunctionCounts* counted = &result;
        for (std::size_t caller = places.size() - 1; caller > 0; caller--)
            counted =
                &counted->inlined[{line_in_function(places[caller]), places[caller - 1].function}];
        double& count = counted->lines[line_in_function(places.front())];
        count = std::max(count, counts[i] * places.front().copies);
    }
    if (!result.is_empty())
        result.first = counts.front();
    return result;
}

class SampleProfile {
  public:
    void add(const Profile& profile, const SourceMap& map) {
        const SampledLines lines(profile, map);
        SourceFiles sources(profile.run.start_unix_ns);
        const AnnotatedFunctions found = annotate_functions(profile, lines, map, sources, "", 0);
        for (const AnnotatedFunction& function : found.functions) {
            const FunctionCounts counts = count_lines(function);
            (counts.is_empty() ? ns_without_ : ns_with_lines_) += function.time.ns;
            if (!counts.is_empty())
                functions_[name_in_source(function.code.symbol)].add(counts);
        }
        problems_.insert(problems_.end(), found.problems.begin(), found.problems.end());
        problems_.insert(problems_.end(), lines.problems().begin(), lines.problems().end());
        add_calls(profile);
    }

    void write(ExportOutput& output) {
        constexpr double least_share = 0.01;
        if (ns_with_lines_ < least_share * (ns_with_lines_ + ns_without_) || functions_.empty())
            throw ExportError(
                "not one sample in a hundred is in a function whose declaration has a known line" +
                (problems_.empty() ? std::string(": compile with -g, or with "
                                                 "-gline-tables-only "
                                                 "-fdebug-info-for-profiling")
                                   : ": " + problems_.front()));
        const double scale = calls_of_a_count();
        struct Text {
            double total;
            std::string text;
        };
        std::vector<Text> texts;
        for (const auto& [name, counts] : functions_) {
            const auto calls = calls_.find(name);
            const double first = calls != calls_.end() ? calls->second : counts.first * scale;
            std::string lines;
            const double total = write_function(counts, scale, 1, lines);
            texts.push_back(
                {total, fmt::format("{}:{:.0f}:{:.0f}\n", name, total, std::ceil(first)) + lines});
        }
        std::stable_sort(texts.begin(), texts.end(),
                         [](const Text& a, const Text& b) { return a.total > b.total; });
        for (const Text& text : texts)
            output.write(text.text);
        if (ns_without_ > 0.005 * (ns_with_lines_ + ns_without_))
            output.remark(fmt::format(
                "{:.1f} % of the time is in functions whose declaration does not have a known line",
                100 * ns_without_ / (ns_with_lines_ + ns_without_)));
        for (const std::string& problem : problems_)
            output.remark("Lines are missing: " + problem);
    }

  private:
    // Calls that hooks counted, of functions whose calls were all counted.
    void add_calls(const Profile& profile) {
        std::map<std::uint32_t, double> calls;
        std::vector<bool> is_exact(profile.functions.size(), true);
        for (const Path& path : profile.paths) {
            if (!has_exact_calls(path))
                is_exact[path.function] = false;
            calls[path.function] += static_cast<double>(path.calls);
        }
        for (const auto& [index, number] : calls) {
            const Function& function = profile.functions[index];
            if (is_exact[index] && function.kind == NodeKind::function && !function.symbol.empty())
                calls_[name_in_source(function.symbol)] += number;
        }
    }

    // The unit of counts is a call, where that is known, else a ns an instruction.
    double calls_of_a_count() const {
        double calls = 0, counts = 0;
        for (const auto& [name, function] : functions_)
            if (const auto known = calls_.find(name); known != calls_.end() && function.first > 0) {
                calls += known->second;
                counts += function.first;
            }
        return counts > 0 ? calls / counts : 1;
    }

    // Returns the sum of the counts.
    static double write_function(const FunctionCounts& counts, double scale, std::size_t depth,
                                 std::string& text) {
        double total = 0;
        const std::string indent(depth, ' ');
        const auto place = [&indent](const Line& line) {
            return line.discriminator == 0
                       ? fmt::format("{}{}", indent, line.distance)
                       : fmt::format("{}{}.{}", indent, line.distance, line.discriminator);
        };
        for (const auto& [line, count] : counts.lines) {
            const double scaled = std::ceil(count * scale);
            text += fmt::format("{}: {:.0f}\n", place(line), scaled);
            total += scaled;
        }
        for (const auto& [key, inlined] : counts.inlined) {
            std::string inner;
            const double part = write_function(inlined, scale, depth + 1, inner);
            text += fmt::format("{}: {}:{:.0f}\n", place(key.first), key.second, part) + inner;
            total += part;
        }
        return total;
    }

    std::map<std::string, FunctionCounts> functions_;  // by name in the source
    std::map<std::string, double> calls_;
    double ns_with_lines_ = 0, ns_without_ = 0;
    std::vector<std::string> problems_;
};

}  // namespace

void export_autofdo(const ExportSource& source, ExportOutput& output) {
    if (!can_decode_instructions())
        throw ExportError(no_decoder);
    SampleProfile result;
    for (std::size_t i = 0; i < source.profiles.size(); i++) {
        if (source.profiles[i].addresses.empty())
            throw ExportError(source.profile_names[i] + ": " + no_addresses);
        result.add(source.profiles[i], source.source_map);
    }
    result.write(output);
}

}  // namespace vftrace
