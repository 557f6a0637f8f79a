// Briefs as JSON, as share/schema/brief.json describes them: units are in the names, and nothing is
// shortened.
#include "brief/brief.hpp"
#include "profile/json_writer.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

void write_head(JsonWriter& json) {
    json.key("format").string("vftrace-brief");
    json.key("version").integer(1);
}

void write_shares(std::string_view key, const std::vector<BriefShare>& shares, JsonWriter& json) {
    json.key(key).begin_array();
    for (const BriefShare& share : shares) {
        json.begin_object(Layout::compact);
        json.key("name").string(share.name);
        json.key("share").number(share.share);
        if (share.calls > 0)
            json.key("calls").unsigned_integer(share.calls);
        json.end_object();
    }
    json.end_array();
}

void write_texts(std::string_view key, const std::vector<std::string>& texts, JsonWriter& json) {
    json.key(key).begin_array();
    for (const std::string& text : texts)
        json.string(text);
    json.end_array();
}

void write_members(const BriefFunction& function, JsonWriter& json) {
    json.key("name").string(function.name);
    if (!function.place.empty())
        json.key("place").string(function.place);
    json.key("share").number(function.share);
    json.key("own_seconds").number(function.own_seconds);
    json.key("own_error_seconds").number(function.error_seconds);
    json.key("total_seconds").number(function.total_seconds);
    if (function.calls > 0) {
        json.key("calls").unsigned_integer(function.calls);
        json.key("calls_estimated").boolean(function.calls_estimated);
        json.key("seconds_per_call")
            .number(function.total_seconds / static_cast<double>(function.calls));
    }
    write_shares("callers", function.callers, json);
}

void write(const BriefRun& run, JsonWriter& json) {
    json.key("run").begin_object();
    json.key("application").string(run.application);
    json.key("seconds").number(run.seconds);
    json.key("measured_seconds").number(run.measured_seconds);
    json.key("processes").unsigned_integer(run.ranks);
    json.key("threads").unsigned_integer(run.threads);
    json.key("ended").string(run.ended.empty() ? "normally" : run.ended);
    json.end_object();
    json.key("time_shares").begin_object();
    for (const auto& [part, share] : run.parts)
        json.key(part).number(share);
    json.end_object();
    json.key("quality").begin_object();
    json.key("grade").string(word_of(run.grade));
    json.key("remarks").begin_array();
    for (const QualityFigure& figure : run.remarks) {
        json.begin_object();
        json.key("id").string(figure.id);
        json.key("value").string(figure.value);
        json.key("grade").string(word_of(figure.grade));
        json.key("sentence").string(figure.sentence);
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

void write(const RunFinding& finding, const std::string& line, JsonWriter& json) {
    json.begin_object();
    json.key("rule").string(finding.rule);
    json.key("confidence").string(word_of(finding.confidence));
    json.key("sentence").string(finding.sentence);
    json.key("saves_at_most").number(finding.is_remark() ? 0 : finding.share);
    json.key("reason").string(finding.reason);
    if (!line.empty())
        json.key("line").string(line);
    json.key("next").string(finding.next_step);
    json.end_object();
}

}  // namespace

void write_brief_json(const Brief& brief, OutputFile& out) {
    JsonWriter json(out);
    json.begin_object();
    write_head(json);
    write(brief.run, json);
    json.key("findings").begin_array();
    for (std::size_t i = 0; i < brief.findings.size(); i++)
        write(brief.findings[i], brief.finding_lines[i], json);
    json.end_array();
    json.key("functions").begin_array();
    for (const BriefFunction& function : brief.functions) {
        json.begin_object();
        write_members(function, json);
        json.end_object();
    }
    json.end_array();
    json.key("functions_cut").unsigned_integer(brief.functions_in_all - brief.functions.size());
    write_texts("next", brief.next, json);
    json.end_object();
    out.write("\n");
}

void write_brief_json(const FunctionBrief& brief, OutputFile& out) {
    JsonWriter json(out);
    json.begin_object();
    write_head(json);
    if (!brief.chain.empty())
        write_texts("path", brief.chain, json);
    json.key("function").begin_object();
    write_members(brief.function, json);
    json.end_object();
    write_shares("callees", brief.callees, json);
    write_shares("lines", brief.lines, json);
    write_texts("lines_missing", brief.problems, json);
    if (brief.ranks > 1) {
        json.key("own_seconds_by_rank").begin_object(Layout::compact);
        json.key("ranks").unsigned_integer(brief.ranks);
        json.key("mean").number(brief.mean_seconds);
        json.key("least").number(brief.least_seconds);
        json.key("least_rank").unsigned_integer(brief.least_rank);
        json.key("most").number(brief.most_seconds);
        json.key("most_rank").unsigned_integer(brief.most_rank);
        json.end_object();
    }
    json.key("paths").begin_array();
    for (const auto& [id, own] : brief.paths) {
        json.begin_object(Layout::compact);
        json.key("id").string(id);
        json.key("own_seconds").number(own);
        json.end_object();
    }
    json.end_array();
    write_texts("next", brief.next, json);
    json.end_object();
    out.write("\n");
}

}  // namespace vftrace
