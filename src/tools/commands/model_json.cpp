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
    json.key("formula").string(formula(model, names));
    json.key("order").string(growth_order(model, names));
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

void write_model(const PathModel& model, const std::vector<std::string>& names, JsonWriter& json) {
    write_formula(model.model, names, json);
    json.key("at_largest").number(model.largest);
    json.key("predicted").number(model.predicted);
    json.key("predicted_from").number(model.at_least);
    json.key("predicted_to").number(model.at_most);
    json.key("smape_percent").number(model.smape);
    json.key("r2").number(model.r2);
    json.key("adjusted_r2").number(model.adjusted_r2);
    json.key("noise_percent").number(100 * model.noise);
    json.key("noisy").boolean(model.is_noisy());
    json.key("points").begin_array(Layout::compact);
    for (const PointValue& point : model.points) {
        json.begin_object(Layout::compact);
        json.key("at").begin_array(Layout::compact);
        for (const double value : model.grid->points()[point.point])
            json.number(value);
        json.end_array();
        json.key("value").number(point.value);
        json.key("min").number(point.smallest);
        json.key("max").number(point.largest);
        json.key("runs").unsigned_integer(point.runs);
        json.end_object();
    }
    json.end_array();
}

void write_runs(const ModelReport& report, JsonWriter& json) {
    json.key("runs").begin_array();
    for (std::size_t i = 0; i < report.table.runs().size(); i++) {
        const RunTable::Run& run = report.table.runs()[i];
        json.begin_object(Layout::compact);
        json.key("file").string(run.file);
        json.key("ranks").unsigned_integer(run.ranks);
        json.key("threads").unsigned_integer(run.threads);
        json.key("at");
        write_point(report.choice.names, report.choice.values[i], json);
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

void write_metric(const ModelReport& report, std::size_t metric, std::size_t limit,
                  JsonWriter& json) {
    const RunMetric& what = report.table.metrics()[metric];
    const MetricModels& models = report.models[metric];
    const std::size_t shown = std::min(limit, models.rows.size());
    json.begin_object();
    json.key("metric").string(what.id);
    json.key("title").string(what.title);
    json.key("unit").string(what.unit);
    json.key("rows_left_out").unsigned_integer(models.rows.size() - shown);
    json.key("below_min_share").unsigned_integer(models.below_share);
    json.key("in_too_few_runs").unsigned_integer(models.in_too_few_runs);
    json.key("program");
    if (models.program) {
        json.begin_object(Layout::compact);
        write_model(*models.program, report.choice.names, json);
        json.end_object();
    } else {
        json.null();
    }
    json.key("paths").begin_array();
    for (std::size_t i = 0; i < shown; i++) {
        const PathModelRow& row = models.rows[i];
        const RunTable::Path& path = report.table.paths()[row.path];
        json.begin_object(Layout::compact);
        json.key("path").string(path.text);
        json.key("function").string(path.function);
        json.key("in_runs").unsigned_integer(row.runs);
        write_model(row.model, report.choice.names, json);
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

}  // namespace

void write_models_json(const ModelReport& report, std::size_t limit, OutputFile& out) {
    JsonWriter json(out);
    json.begin_object();
    json.key("format").string("vftrace-models");
    json.key("version").integer(1);
    json.key("application").string(report.table.runs().front().application);
    write_parameters(report.choice, json);
    write_runs(report, json);
    json.key("largest");
    write_point(report.choice.names, report.modeller.largest(), json);
    json.key("target");
    write_point(report.choice.names, report.choice.target, json);
    json.key("notes").begin_array();
    for (const std::string& note : report.notes)
        json.string(note);
    json.end_array();
    json.key("metrics").begin_array();
    for (std::size_t metric = 0; metric < report.models.size(); metric++)
        write_metric(report, metric, limit, json);
    json.end_array();
    json.end_object();
    out.write("\n");
}

}  // namespace vftrace::tools
