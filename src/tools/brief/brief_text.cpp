// Briefs as plain text: no colours, no dates, nothing wider than it needs to be.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "brief/brief.hpp"
#include "brief/brief_words.hpp"

namespace vftrace {
namespace {

constexpr std::size_t longest_remark = 120;

std::string calls_for(const BriefFunction& function) {
    if (function.calls == 0)
        return "calls not known";
    const double each = function.total_seconds / static_cast<double>(function.calls);
    return fmt::format("{}{} calls of {}", function.calls_estimated ? "about " : "", function.calls,
                       time_for(each));
}

std::string callers_for(const std::vector<BriefShare>& callers) {
    std::string text;
    for (const BriefShare& caller : callers)
        text += fmt::format("{}{} {:.0f} %", text.empty() ? " < " : ", ", name_for(caller.name),
                            100 * caller.share);
    return text;
}

std::string figures_for(const BriefFunction& function) {
    std::string text =
        fmt::format("{:5.1f} %  {}", 100 * function.share, time_for(function.own_seconds));
    if (function.error_seconds > 0.005 * function.own_seconds)
        text += fmt::format(" +- {}", time_for(function.error_seconds));
    return text;
}

std::string line_for(const BriefFunction& function) {
    return fmt::format("{}  {}{}  {}{}\n", figures_for(function), name_for(function.name),
                       function.place.empty() ? "" : " (" + printable(function.place) + ")",
                       calls_for(function), callers_for(function.callers));
}

std::string text_of(const BriefRun& run) {
    std::string text = fmt::format(
        "run: {}, {} without measuring, {} as measured, {} process{}, {} thread{}{}, ended: {}\n",
        name_for(run.application), time_for(run.seconds), time_for(run.measured_seconds), run.ranks,
        run.ranks == 1 ? "" : "es", run.threads, run.threads == 1 ? "" : "s",
        run.ranks == 1 ? "" : " on the rank with most",
        run.ended.empty() ? "normally" : name_for(run.ended));
    text += "time:";
    for (std::size_t i = 0; i < run.parts.size(); i++)
        text += fmt::format("{} {} {:.1f} %", i == 0 ? "" : ",", run.parts[i].first,
                            100 * run.parts[i].second);
    text += fmt::format("\nquality: {}\n", word_of(run.grade));
    for (const QualityFigure& figure : run.remarks)
        text += fmt::format("- {} {} ({}): {}\n", figure.title, printable(figure.value),
                            word_of(figure.grade), sentence_for(figure.sentence, longest_remark));
    return text;
}

std::string text_of(const Brief& brief, std::size_t findings, std::size_t functions,
                    std::string_view file) {
    std::string text = fmt::format("vftrace brief 1 of {}\n", printable(file)) + text_of(brief.run);
    text += brief.findings.empty() ? "findings: none\n"
                                   : fmt::format("findings: {}\n", brief.findings.size());
    for (std::size_t i = 0; i < findings; i++) {
        const RunFinding& finding = brief.findings[i];
        text += fmt::format("{}. {} ({}): {}", i + 1, finding.rule, word_of(finding.confidence),
                            sentence_for(finding.sentence));
        if (!finding.is_remark())
            text += fmt::format(" Saves at most {:.1f} %.", 100 * finding.share);
        text += fmt::format("\n   why: {}\n", sentence_for(finding.reason));
        if (!brief.finding_lines[i].empty())
            text += fmt::format("   line: {}\n", sentence_for(brief.finding_lines[i]));
        text += fmt::format("   next: {}\n", sentence_for(finding.next_step));
    }
    text += fmt::format("functions by own time: {} of {}\n", functions, brief.functions_in_all);
    for (std::size_t i = 0; i < functions; i++)
        text += line_for(brief.functions[i]);
    if (findings < brief.findings.size())
        text += fmt::format("cut: {} findings: vftrace report --findings {}\n",
                            brief.findings.size() - findings, shell_word(file));
    if (functions < brief.functions_in_all)
        text += fmt::format("cut: {} functions: vftrace report --group name --all {}\n",
                            brief.functions_in_all - functions, shell_word(file));
    text += "next:\n";
    for (const std::string& command : brief.next)
        text += "  " + command + '\n';
    return text;
}

void write_shares(std::string_view title, const std::vector<BriefShare>& shares,
                  std::string& text) {
    if (shares.empty())
        return;
    text += fmt::format("{}:\n", title);
    for (const BriefShare& share : shares) {
        text += fmt::format("{:5.1f} %  {}", 100 * share.share, name_for(share.name));
        text += share.calls > 0 ? fmt::format("  {} calls\n", share.calls) : "\n";
    }
}

}  // namespace

std::string brief_text(const Brief& brief, std::string_view file) {
    std::size_t findings = brief.findings.size(), functions = brief.functions.size();
    std::string text = text_of(brief, findings, functions, file);
    while (!fits_in_brief(text) && (functions > 1 || findings > 1)) {
        if (functions > 3 || findings <= 1)
            functions--;
        else
            findings--;
        text = text_of(brief, findings, functions, file);
    }
    return text;
}

std::string brief_text(const FunctionBrief& brief, std::string_view file) {
    const BriefFunction& function = brief.function;
    std::string text = fmt::format("vftrace brief 1 of {}\n", printable(file));
    if (!brief.chain.empty()) {
        text += "path:";
        constexpr std::size_t most_shown = 12;
        for (std::size_t i = 0; i < brief.chain.size(); i++)
            if (i < most_shown / 2 || i + most_shown / 2 >= brief.chain.size())
                text += fmt::format("{} {}", i == 0 ? "" : " >", name_for(brief.chain[i]));
            else if (i == most_shown / 2)
                text += fmt::format(" > ({} more)", brief.chain.size() - most_shown);
        text += '\n';
    }
    text += fmt::format("function: {}{}\n", name_for(function.name),
                        function.place.empty() ? "" : " (" + printable(function.place) + ")");
    text +=
        fmt::format("own time: {} of all time; total time: {}; {}\n", trim(figures_for(function)),
                    time_for(function.total_seconds), calls_for(function));
    if (brief.ranks > 1)
        text +=
            fmt::format("own time by rank, {} ranks: mean {}, least {} (rank {}), most {} (rank "
                        "{})\n",
                        brief.ranks, time_for(brief.mean_seconds), time_for(brief.least_seconds),
                        brief.least_rank, time_for(brief.most_seconds), brief.most_rank);
    write_shares("callers, by total time", function.callers, text);
    write_shares("callees, part of the total time", brief.callees, text);
    write_shares("lines, part of the own time", brief.lines, text);
    for (const std::string& problem : brief.problems)
        text += fmt::format("lines are missing: {}\n", sentence_for(problem));
    text += "paths with most own time:\n";
    for (const auto& [id, own] : brief.paths)
        text += fmt::format("  --path {}  {}\n", id, time_for(own));
    text += "next:\n";
    for (const std::string& command : brief.next)
        text += "  " + command + '\n';
    return text;
}

}  // namespace vftrace
