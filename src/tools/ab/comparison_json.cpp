#include "ab/comparison_text.hpp"
#include "profile/json_writer.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

void write_words(const char* key, const std::vector<std::string>& words, JsonWriter& json) {
    json.key(key).begin_array(Layout::compact);
    for (const std::string& word : words)
        json.string(word);
    json.end_array();
}

void write_figure(const ComparedFigure& figure, JsonWriter& json) {
    json.key("first_seconds").number(figure.first);
    json.key("second_seconds").number(figure.second);
    json.key("pairs").unsigned_integer(figure.ratio.pairs);
    json.key("ratio").number(figure.ratio.ratio);
    json.key("ratio_low").number(figure.ratio.low);
    json.key("ratio_high").number(figure.ratio.high);
}

void write_calls(const char* key, const std::optional<std::uint64_t>& calls, JsonWriter& json) {
    json.key(key);
    calls ? json.unsigned_integer(*calls) : json.null();
}

void write_function(const ComparedFunction& function, JsonWriter& json) {
    json.begin_object(Layout::compact);
    json.key("function").string(function.name);
    write_figure(function.own_seconds, json);
    write_calls("first_calls", function.first_calls, json);
    write_calls("second_calls", function.second_calls, json);
    json.key("in_first").boolean(function.in_first);
    json.key("in_second").boolean(function.in_second);
    json.key("time_changed").boolean(function.time_changed);
    json.key("calls_changed").boolean(function.calls_changed());
    json.end_object();
}

}  // namespace

void write_comparison_json(const TrialComparison& comparison, const TrialSeries& series,
                           OutputFile& out) {
    JsonWriter json(out);
    json.begin_object();
    json.key("format").string("vftrace-ab");
    json.key("version").integer(1);
    write_words("first", series.first_command, json);
    write_words("second", series.second_command, json);
    json.key("verdict").string(word_of(comparison.verdict));
    json.key("sentence").string(verdict_sentence(comparison));
    json.key("threshold").number(comparison.threshold);
    json.key("judged").string(comparison.busy ? "processor_time" : "wall_time");
    json.key("pairs").unsigned_integer(series.pairs);
    json.key("repeated").boolean(series.repeated);
    json.key("confidence").number(comparison.confidence);
    json.key("times_from_profiles").boolean(comparison.from_profiles);
    json.key("waiting_share").number(comparison.waiting_share);
    json.key("stolen_share").number(comparison.stolen_share);
    if (series.outputs_compared)
        json.key("output").string(series.outputs_differ ? "different"
                                  : series.outputs_vary ? "varies"
                                                        : "same");
    for (const bool wall : {true, false}) {
        json.key(wall ? "wall_time" : "processor_time").begin_object(Layout::compact);
        write_figure(wall ? comparison.wall : comparison.processor, json);
        json.end_object();
    }
    json.key("functions_with_same_calls").unsigned_integer(comparison.same_calls);
    write_words("without_hooks", comparison.without_hooks, json);
    json.key("functions").begin_array();
    for (const ComparedFunction& function : comparison.functions)
        write_function(function, json);
    json.end_array();
    json.end_object();
    out.write("\n");
}

}  // namespace vftrace
