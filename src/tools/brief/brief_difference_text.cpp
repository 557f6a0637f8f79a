// Briefs of differences as plain text and JSON.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "brief/brief_difference.hpp"
#include "brief/brief_words.hpp"
#include "profile/json_writer.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

std::string signed_time_for(double time_s) { return (time_s < 0 ? "" : "+") + time_for(time_s); }

// " (+8.3 %)"; "" if there is no such number.
std::string percent_for(double before, double after) {
    return before > 0 ? fmt::format(" ({:+.1f} %)", 100 * (after / before - 1)) : "";
}

std::string line_for(const BriefChange& change) {
    std::string text = fmt::format("{:>9}", signed_time_for(change.more_seconds()));
    if (change.doubt_seconds > 0.005 * std::abs(change.more_seconds()))
        text += fmt::format(" +- {}", time_for(change.doubt_seconds));
    text += fmt::format("  {} -> {}{}  {}{}", time_for(change.old_seconds),
                        time_for(change.new_seconds),
                        percent_for(change.old_seconds, change.new_seconds), name_for(change.name),
                        !change.in_old   ? "  (new)"
                        : !change.in_new ? "  (gone)"
                                         : "");
    if (change.calls_changed())
        text += fmt::format("  calls {} -> {}", *change.old_calls, *change.new_calls);
    return text + '\n';
}

std::string work_for(const BriefDifference& difference) {
    if (difference.other_calls_in_all > 0)
        return fmt::format(
            "work: changed: calls of {} function{} differ, of {} they are the same\n",
            difference.other_calls_in_all, plural_s(difference.other_calls_in_all),
            difference.same_calls);
    return difference.same_calls > 0
               ? fmt::format("work: the same as far as it was counted: calls of {} function{}\n",
                             difference.same_calls, plural_s(difference.same_calls))
               : "work: not known: no calls were counted in both\n";
}

void write_findings(const char* what, const std::vector<RunFinding>& findings, std::size_t most,
                    std::string& text) {
    for (std::size_t i = 0; i < std::min(findings.size(), most); i++)
        text += fmt::format("{} finding: {} ({}): {}\n", what, findings[i].rule,
                            word_of(findings[i].confidence), sentence_for(findings[i].sentence));
    if (findings.size() > most)
        text += fmt::format("cut: {} {} findings\n", findings.size() - most, what);
}

std::string text_of(const BriefDifference& difference, std::size_t functions, std::size_t findings,
                    std::string_view old_file, std::string_view new_file) {
    const BriefRun& before = difference.old_run;
    const BriefRun& after = difference.new_run;
    std::string text = fmt::format("vftrace brief 1 of {} compared with {}\n", printable(new_file),
                                   printable(old_file));
    if (before.application != after.application)
        text += fmt::format("programs: {} and {}\n", name_for(before.application),
                            name_for(after.application));
    text += fmt::format("run: {} -> {}{}, without measuring\n", time_for(before.seconds),
                        time_for(after.seconds), percent_for(before.seconds, after.seconds));
    text += "evidence: one run of each; times differ from run to run, vftrace ab repeats them\n";
    if (before.ranks != after.ranks || before.threads != after.threads)
        text += fmt::format("processes: {} -> {}, threads: {} -> {}\n", before.ranks, after.ranks,
                            before.threads, after.threads);
    text += fmt::format("quality: {} -> {}\n", word_of(before.grade), word_of(after.grade));
    text += work_for(difference);
    const std::size_t calls = std::min(difference.other_calls.size(), functions);
    for (std::size_t i = 0; i < calls; i++) {
        const BriefChange& change = difference.other_calls[i];
        text += fmt::format("- {}: {} -> {} calls\n", name_for(change.name), *change.old_calls,
                            *change.new_calls);
    }
    if (calls < difference.other_calls_in_all)
        text += fmt::format("cut: {} functions with other calls\n",
                            difference.other_calls_in_all - calls);
    text += fmt::format("functions by change of own time: {} of {}\n", functions,
                        difference.functions_in_all);
    for (std::size_t i = 0; i < functions; i++)
        text += line_for(difference.functions[i]);
    if (functions < difference.functions_in_all)
        text += fmt::format("cut: {} functions\n", difference.functions_in_all - functions);
    write_findings("new", difference.new_findings, findings, text);
    write_findings("gone", difference.gone_findings, findings, text);
    text += "next:\n";
    for (const std::string& command : difference.next)
        text += "  " + command + '\n';
    return text;
}

void write_calls(const char* key, const std::optional<std::uint64_t>& calls, JsonWriter& json) {
    if (calls)
        json.key(key).unsigned_integer(*calls);
}

void write_changes(const char* key, const std::vector<BriefChange>& changes, JsonWriter& json) {
    json.key(key).begin_array();
    for (const BriefChange& change : changes) {
        json.begin_object(Layout::compact);
        json.key("name").string(change.name);
        json.key("in_old").boolean(change.in_old);
        json.key("in_new").boolean(change.in_new);
        json.key("old_own_seconds").number(change.old_seconds);
        json.key("new_own_seconds").number(change.new_seconds);
        json.key("doubt_seconds").number(change.doubt_seconds);
        write_calls("old_calls", change.old_calls, json);
        write_calls("new_calls", change.new_calls, json);
        json.end_object();
    }
    json.end_array();
}

void write_findings(const char* key, const std::vector<RunFinding>& findings, JsonWriter& json) {
    json.key(key).begin_array();
    for (const RunFinding& finding : findings) {
        json.begin_object(Layout::compact);
        json.key("rule").string(finding.rule);
        json.key("confidence").string(word_of(finding.confidence));
        json.key("sentence").string(finding.sentence);
        json.end_object();
    }
    json.end_array();
}

void write_run(const char* key, const BriefRun& run, JsonWriter& json) {
    json.key(key).begin_object(Layout::compact);
    json.key("application").string(run.application);
    json.key("seconds").number(run.seconds);
    json.key("processes").unsigned_integer(run.ranks);
    json.key("threads").unsigned_integer(run.threads);
    json.key("quality").string(word_of(run.grade));
    json.end_object();
}

}  // namespace

std::string brief_text(const BriefDifference& difference, std::string_view old_file,
                       std::string_view new_file) {
    std::size_t functions = difference.functions.size(), findings = most_findings;
    std::string text = text_of(difference, functions, findings, old_file, new_file);
    while (!fits_in_brief(text) && (functions > 1 || findings > 1)) {
        functions > 3 || findings <= 1 ? functions-- : findings--;
        text = text_of(difference, functions, findings, old_file, new_file);
    }
    return text;
}

void write_brief_json(const BriefDifference& difference, OutputFile& out) {
    JsonWriter json(out);
    json.begin_object();
    json.key("format").string("vftrace-brief");
    json.key("version").integer(1);
    json.key("difference").begin_object();
    write_run("old", difference.old_run, json);
    write_run("new", difference.new_run, json);
    write_changes("functions", difference.functions, json);
    json.key("functions_cut")
        .unsigned_integer(difference.functions_in_all - difference.functions.size());
    write_changes("other_calls", difference.other_calls, json);
    json.key("other_calls_cut")
        .unsigned_integer(difference.other_calls_in_all - difference.other_calls.size());
    json.key("same_calls").unsigned_integer(difference.same_calls);
    write_findings("new_findings", difference.new_findings, json);
    write_findings("gone_findings", difference.gone_findings, json);
    json.end_object();
    json.key("next").begin_array();
    for (const std::string& command : difference.next)
        json.string(command);
    json.end_array();
    json.end_object();
    out.write("\n");
}

}  // namespace vftrace
