#include "config/scenario.hpp"

#include <algorithm>
#include <utility>

#include "config/advice.hpp"
#include "config/formula.hpp"
#include "config/json_file.hpp"
#include "config/json_reader.hpp"

namespace vftrace {
namespace {

constexpr std::string_view counters_key = "counters", observables_key = "observables";

const OptionRow& row_of(std::string_view key) {
    const std::string path = join_path("hwprof", key);
    return *std::find_if(option_table.begin(), option_table.end(),
                         [&](const OptionRow& row) { return row.path == path; });
}

void check_scenario_keys(const cJSON* scenario, Findings& findings) {
    constexpr std::string_view known[] = {counters_key, observables_key};
    for (const cJSON* member = scenario->child; member; member = member->next)
        if (std::find(std::begin(known), std::end(known), member->string) == std::end(known))
            findings.add(Severity::unknown_key,
                         unknown_key_text(member->string, closest(member->string, known)));
}

// Returns whether the whole file could be used.
bool read_scenario(const std::string& path, Options& options, Findings& findings) {
    const unsigned errors_before = findings.count(Severity::error);
    const JsonTree scenario = read_json_file(path, findings);
    if (!scenario)
        return false;
    if (!cJSON_IsObject(scenario.get())) {
        findings.add(Severity::error, "hwprof: a scenario is an object with the arrays counters "
                                      "and observables.");
        return false;
    }
    check_scenario_keys(scenario.get(), findings);
    std::vector<HardwareCounter> counters;
    std::vector<Observable> observables;
    if (const cJSON* item = cJSON_GetObjectItemCaseSensitive(scenario.get(), counters_key.data()))
        read_value(row_of(counters_key), item, counters, findings);
    if (const cJSON* item =
            cJSON_GetObjectItemCaseSensitive(scenario.get(), observables_key.data()))
        read_value(row_of(observables_key), item, observables, findings);
    if (findings.count(Severity::error) > errors_before)
        return false;
    options.hwprof_counters = std::move(counters);
    options.hwprof_observables = std::move(observables);
    return true;
}

}  // namespace

void load_scenario(Options& options, Findings& findings) {
    if (options.hwprof_default_scenario.empty() || !options.hwprof_active)
        return;
    const std::string path = std::exchange(options.hwprof_default_scenario, "");
    bool usable = false;
    {
        Findings::Place place(findings, quoted(path));
        usable = read_scenario(path, options, findings);
    }
    if (!usable)
        findings.add(Severity::warning, "the scenario file " + quoted(path) + " is ignored");
}

std::vector<std::string> formula_variables(const std::vector<std::string>& symbols) {
    std::vector<std::string> variables = symbols;
    variables.insert(variables.end(), {"T", "CALLS"});
    return variables;
}

void check_formulas(const Options& options, Findings& findings) {
    if (!options.hwprof_active &&
        !(options.hwprof_counters.empty() && options.hwprof_observables.empty()))
        findings.add(Severity::warning, "hwprof.active is false: no counters are read and no "
                                        "observables are computed");
    if (options.hwprof_observables.empty())
        return;
    if (!formulas_are_available()) {
        findings.add(Severity::warning,
                     "libmuparser.so.2 is not installed: observables are not computed");
        return;
    }
    std::vector<std::string> symbols;
    for (const HardwareCounter& counter : options.hwprof_counters)
        symbols.push_back(counter.symbol);
    const std::vector<std::string> variables = formula_variables(symbols);
    std::string known;
    for (const std::string& variable : variables)
        known += (known.empty() ? "" : ", ") + variable;
    for (const Observable& observable : options.hwprof_observables) {
        const Formula formula(observable.formula, variables);
        if (formula.error().text.empty())
            continue;
        findings.add(Severity::error, "hwprof: The formula of " + quoted(observable.name) +
                                          " cannot be computed: " + formula.error().text + ".\n" +
                                          formula.error().marked(observable.formula) +
                                          "\nIts variables can be: " + known + ".");
    }
}

}  // namespace vftrace
