#include "commands/model_json.hpp"

#include <algorithm>
#include <cmath>

#include "profile/json_writer.hpp"

namespace vftrace::tools {
namespace {

using Layout = JsonWriter::Layout;

void write_point(const std::vector<std::string>& names, const std::vector<double>& values,
                 JsonWriter& json) {
    json.begin_object(Layout::compact);
    for (std::size_t i = 0; i < names.size(); i++)
        json.key(names[i]).number(values[i]);
    json.end_object();
}

void write_formula(const ScalingModel& model, const std::vector<std::string>& names,
                   JsonWriter& json) {
    json.key("constant").number(model.constant);
    json.key("terms").begin_array(Layout::compact);
    for (const Term& term : model.terms) {
        json.begin_object(Layout::compact);
        json.key("coefficient").number(term.coefficient);
        json.key("factors").begin_array(Layout::compact);
        for (const Factor& factor : term.factors) {
            json.begin_object(Layout::compact);
            json.key("parameter").string(names[factor.parameter]);
            json.key("power").begin_array(Layout::compact);
            json.integer(factor.exponents.numerator);
            json.integer(factor.exponents.denominator);
            json.end_array();
            json.key("log2_power").integer(factor.exponents.log);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
}

void write_numbers(const char* key, const std::vector<double>& numbers, JsonWriter& json) {
    json.key(key).begin_array(Layout::compact);
    for (const double number : numbers)
        json.number(number);
    json.end_array();
}

// What applies instead of one formula.
void write_exceptions(const PathModel& model, const std::vector<std::string>& names,
                      JsonWriter& json) {
    if (model.bend) {
        json.key("below").begin_object(Layout::compact);
        json.key("parameter").string(names[model.bend->parameter]);
        json.key("last").number(model.bend->last_below);
        json.key("first_above").number(model.bend->first_above);
        write_formula(model.bend->below, names, json);
        json.end_object();
    }
    if (model.bound) {
        json.key("bound").begin_object(Layout::compact);
        write_numbers("powers", model.bound->powers, json);
        write_numbers("at", model.bound->largest, json);
        json.key("value").number(model.bound->value);
        json.end_object();
    }
    json.key("points_left_out").begin_array(Layout::compact);
    for (const std::uint32_t place : model.left_out)
        json.unsigned_integer(place);
    json.end_array();
}

// Along each parameter: its values, and the ends of the interval there.
void write_intervals(const PathModel& model, const ModelSet& set, JsonWriter& json) {
    if (model.intervals.empty())
        return;
    json.key("intervals").begin_array(Layout::compact);
    for (std::size_t parameter = 0; parameter < set.along.size(); parameter++) {
        const auto [first, last] = set.along[parameter];
        std::vector<double> at, from, to;
        for (std::size_t i = first; i < last; i++) {
            at.push_back(set.modeller->options().intervals_at[i][parameter]);
            from.push_back(model.intervals[i].from);
            to.push_back(model.intervals[i].to);
        }
        json.begin_object(Layout::compact);
        json.key("over").string(set.choice.names[parameter]);
        write_numbers("at", at, json);
        write_numbers("from", from, json);
        write_numbers("to", to, json);
        json.end_object();
    }
    json.end_array();
}

void write_model(const PathModel& model, const ModelSet& set, JsonWriter& json) {
    const std::vector<std::string>& names = set.choice.names;
    json.key("finding").string(finding_id(model.finding));
    json.key("formula").string(description(model, names));
    json.key("order").string(order_text(model, names));
    write_formula(model.model, names, json);
    write_exceptions(model, names, json);
    json.key("at_largest").number(model.largest);
    json.key("predicted").number(model.target.value);
    json.key("predicted_from").number(model.target.from);
    json.key("predicted_to").number(model.target.to);
    json.key("smape_percent").number(model.smape);
    json.key("r2").number(model.r2);
    json.key("adjusted_r2").number(model.adjusted_r2);
    json.key("noise_percent").number(100 * model.noise);
    json.key("noisy").boolean(model.is_noisy());
    json.key("disturbed_runs").unsigned_integer(model.disturbed_runs);
    json.key("points").begin_array(Layout::compact);
    for (const PointValue& point : model.points) {
        json.begin_object(Layout::compact);
        write_numbers("at", model.grid->points()[point.point], json);
        json.key("value").number(point.value);
        json.key("min").number(point.smallest);
        json.key("max").number(point.largest);
        json.key("runs").unsigned_integer(point.runs);
        json.end_object();
    }
    json.end_array();
    write_intervals(model, set, json);
}

void write_strings(const char* key, const std::vector<std::string>& texts, JsonWriter& json) {
    json.key(key).begin_array();
    for (const std::string& text : texts)
        json.string(text);
    json.end_array();
}

void write_runs(const ModelSet& set, JsonWriter& json) {
    json.key("runs").begin_array();
    for (std::size_t i = 0; i < set.table.runs().size(); i++) {
        const RunTable::Run& run = set.table.runs()[i];
        json.begin_object(Layout::compact);
        json.key("file").string(run.file);
        json.key("ranks").unsigned_integer(run.ranks);
        json.key("threads").unsigned_integer(run.threads);
        json.key("at");
        write_point(set.choice.names, set.choice.values[i], json);
        json.end_object();
    }
    json.end_array();
}

void write_parameters(const ParameterChoice& choice, JsonWriter& json) {
    json.key("parameters").begin_array(Layout::compact);
    for (const std::string& name : choice.names)
        json.string(name);
    json.end_array();
    json.key("constant_parameters").begin_object(Layout::compact);
    for (const RunParameter& parameter : choice.constant)
        json.key(parameter.name).number(parameter.value);
    json.end_object();
}

void write_metric(const ModelSet& set, std::size_t metric, std::size_t limit, JsonWriter& json) {
    const RunMetric& what = set.table.metrics()[metric];
    const MetricModels& models = set.models[metric];
    const std::size_t shown = std::min(limit, models.rows.size());
    json.begin_object();
    json.key("metric").string(what.id);
    json.key("title").string(what.title);
    json.key("unit").string(what.unit);
    json.key("rows_left_out").unsigned_integer(models.rows.size() - shown);
    json.key("below_min_share").unsigned_integer(models.below_share);
    json.key("in_too_few_runs").unsigned_integer(models.in_too_few_runs);
    write_strings("findings", set.findings[metric], json);
    json.key("program");
    if (models.program) {
        json.begin_object(Layout::compact);
        write_model(*models.program, set, json);
        json.end_object();
    } else {
        json.null();
    }
    json.key("paths").begin_array();
    for (std::size_t i = 0; i < shown; i++) {
        const PathModelRow& row = models.rows[i];
        const RunTable::Path& path = set.table.paths()[row.path];
        json.begin_object(Layout::compact);
        json.key("path").string(path.text);
        json.key("function").string(path.function);
        json.key("in_runs").unsigned_integer(row.runs);
        if (!set.analysed[metric].empty())
            json.key("analysis").string(set.analysed[metric][row.path]);
        write_model(row.model, set, json);
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

}  // namespace

void write_models_json(const ModelSet& set, std::size_t limit, OutputFile& out) {
    JsonWriter json(out);
    json.begin_object();
    json.key("format").string("vftrace-models");
    json.key("version").integer(1);
    json.key("application").string(set.table.runs().front().application);
    write_parameters(set.choice, json);
    write_runs(set, json);
    json.key("largest");
    write_point(set.choice.names, set.modeller->largest(), json);
    json.key("target");
    write_point(set.choice.names, set.choice.target, json);
    write_strings("notes", set.notes, json);
    json.key("next_points").begin_array();
    for (const NextPoint& next : set.next) {
        json.begin_object(Layout::compact);
        json.key("at");
        write_point(set.choice.names, next.parameters, json);
        json.key("cost").number(next.cost);
        json.key("doubt_percent").number(100 * next.doubt);
        json.end_object();
    }
    json.end_array();
    json.key("metrics").begin_array();
    for (std::size_t metric = 0; metric < set.models.size(); metric++)
        write_metric(set, metric, limit, json);
    json.end_array();
    json.end_object();
    out.write("\n");
}

}  // namespace vftrace::tools
