#include "report/finding_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "findings/findings.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

constexpr std::size_t line_width = 100;
constexpr std::int64_t second_ns = 1'000'000'000;

// Writes `text` in lines, the first line after `first`, the others after the same number of blanks.
void write_wrapped(std::string_view first, std::string_view text, TableOutput& out) {
    out.write(first);
    out.write(wrapped(text, first.size(), line_width) + '\n');
}

std::string what_it_could_save(const RunFinding& finding) {
    if (finding.is_remark())
        return {};
    return format(" Could save up to %.1f %% of the run time.", 100 * finding.share);
}

// "Rank 3 computes longer (certain, load-imbalance)."
std::string with_confidence(const RunFinding& finding) {
    std::string_view sentence = finding.sentence;
    if (sentence.ends_with('.') && !sentence.ends_with("..."))
        sentence.remove_suffix(1);
    return std::string(sentence) + " (" + std::string(word_of(finding.confidence)) + ", " +
           std::string(finding.rule) + ").";
}

// Where most of the own time of the path is spent.
std::string line_of(const RunFinding& finding, const ReportOptions& options) {
    const auto line = options.hot_lines.find(finding.path);
    return line == options.hot_lines.end() ? std::string() : line->second;
}

void write_finding(std::size_t number, const RunFinding& finding, const ReportOptions& options,
                   TableOutput& out) {
    constexpr std::size_t most_effects = 4;
    write_wrapped(format("%2zu. ", number), with_confidence(finding) + what_it_could_save(finding),
                  out);
    write_wrapped("    Why:  ", finding.reason, out);
    if (const std::string line = line_of(finding, options); !line.empty())
        write_wrapped("    Line: ", printable(line), out);
    write_wrapped("    Next: ", finding.next_step, out);
    for (std::size_t i = 0; i < std::min(finding.effects.size(), most_effects); i++)
        write_wrapped("    Effect: ", with_confidence(finding.effects[i]), out);
    if (finding.effects.size() > most_effects)
        out.print("    Effects: and %zu more\n", finding.effects.size() - most_effects);
}

Grade worst_of(const std::vector<QualityFigure>& figures) {
    Grade worst = Grade::good;
    for (const QualityFigure& figure : figures)
        worst = std::max(worst, figure.grade);
    return worst;
}

void write_quality(const std::vector<QualityFigure>& figures, TableOutput& out) {
    out.print("Quality of the measurement: %s\n", word_of(worst_of(figures)).data());
    for (const QualityFigure& figure : figures)
        if (figure.grade != Grade::good)
            write_wrapped("  - ",
                          std::string(figure.title) + ": " + printable(figure.value) + " (" +
                              std::string(word_of(figure.grade)) + "). " + figure.sentence,
                          out);
}

void write_text(const std::vector<RunFinding>& findings, const std::vector<QualityFigure>& figures,
                const ReportOptions& options, TableOutput& out) {
    if (findings.empty())
        out.write("Findings: none\n");
    else
        out.write("Findings\n");
    for (std::size_t i = 0; i < findings.size(); i++)
        write_finding(i + 1, findings[i], options, out);
    write_quality(figures, out);
    out.write("\n");
}

void write_tables(const Profile& profile, const std::vector<RunFinding>& findings,
                  const std::vector<QualityFigure>& figures, const ReportOptions& options,
                  TableOutput& out) {
    constexpr auto scripts = for_scripts;
    static constexpr Column columns[] = {scripts(text_column("rule", "Rule")),
                                         scripts(time_column("saved", "Saved[s]")),
                                         scripts(percent_column("share", "Share[%]")),
                                         scripts(text_column("confidence", "Confidence")),
                                         scripts(count_column("rank", "Rank")),
                                         scripts(stid_column),
                                         scripts(text_column("sentence", "Finding")),
                                         scripts(text_column("reason", "Reason")),
                                         scripts(text_column("next_step", "Next step")),
                                         scripts(count_column("group", "Group")),
                                         scripts(text_column("role", "Role")),
                                         scripts(text_column("place", "Line"))};
    const TableSpec spec = {.id = "findings",
                            .title = "Findings",
                            .row = "finding",
                            .columns = columns,
                            .sorted_by = "saved"};
    struct Member {
        const RunFinding* finding;
        std::size_t group;
        std::string_view role;
    };
    std::vector<Member> members;
    for (std::size_t i = 0; i < findings.size(); i++) {
        members.push_back({&findings[i], i + 1, "cause"});
        for (const RunFinding& effect : findings[i].effects)
            members.push_back({&effect, i + 1, "effect"});
    }
    out.table(spec, members.size(), [&](std::size_t i, TableRow& row) {
        const RunFinding& finding = *members[i].finding;
        row.text(finding.rule);
        row.number(finding.saved_seconds);
        row.number(100 * finding.share);
        row.text(word_of(finding.confidence));
        if (finding.rank == no_index)
            row.blank();
        else
            row.integer(finding.rank);
        if (finding.path == no_index)
            row.blank();
        else
            row.integer(profile.paths[finding.path].stid);
        row.text(finding.sentence);
        row.text(finding.reason);
        row.text(finding.next_step);
        row.integer(members[i].group);
        row.text(members[i].role);
        row.text(line_of(finding, options));
    });
    static constexpr Column quality_columns[] = {
        scripts(text_column("figure", "Figure")), scripts(text_column("value", "Value")),
        scripts(text_column("grade", "Grade")), scripts(text_column("sentence", "Meaning"))};
    const TableSpec quality_spec = {.id = "quality",
                                    .title = "Quality of the measurement",
                                    .row = "figure",
                                    .columns = quality_columns};
    out.table(quality_spec, figures.size(), [&](std::size_t i, TableRow& row) {
        row.text(figures[i].id);
        row.text(figures[i].value);
        row.text(word_of(figures[i].grade));
        row.text(figures[i].sentence);
    });
}

}  // namespace

void write_findings_of_log(const Profile& profile, const ReportOptions& options, TableOutput& out) {
    const std::vector<RunFinding> findings = find_all(profile, most_findings, options.profile_file);
    const std::vector<QualityFigure> figures = quality(profile);
    const bool is_long = profile.run.runtime_ns >= second_ns;
    if (!findings.empty() || (is_long && worst_of(figures) == Grade::poor))
        write_text(findings, figures, options, out);
}

void write_findings(const Profile& profile, const ReportOptions& options, TableOutput& out) {
    const std::size_t most = options.max_rows > 0 ? options.max_rows : most_findings;
    const std::vector<RunFinding> findings = find_all(profile, most, options.profile_file);
    const std::vector<QualityFigure> figures = quality(profile);
    write_text(findings, figures, options, out);
    write_tables(profile, findings, figures, options, out);
}

}  // namespace vftrace
