#include "config/checks.hpp"

#include <algorithm>
#include <cmath>
#include <regex.h>

#include "base/text.hpp"
#include "config/formula.hpp"
#include "config/parameter_list.hpp"
#include "config/rank_list.hpp"
#include "config/scenario.hpp"

namespace vftrace {

namespace {

std::string_view last_component(std::string_view path) { return path.substr(path.rfind('.') + 1); }

bool is_word(const OptionRow& row, const std::string& value, Findings& findings) {
    std::vector<std::string_view> words = split(row.check.words, '|');
    if (std::find(words.begin(), words.end(), value) != words.end())
        return true;

    std::string text = quoted(value) + " is not a valid option for " + std::string(row.path);
    bool is_column = last_component(row.path) == "column";
    text += is_column ? "\nValid options are: " : "\nMust be one of: ";
    for (std::string_view word : words) {
        if (word.data() != words.front().data())
            text += ", ";
        text += is_column ? quoted(word) : std::string(word);
    }
    findings.add(Severity::error, std::move(text));
    return false;
}

}  // namespace

bool is_allowed(const OptionRow&, bool, Findings&) { return true; }

bool is_allowed(const OptionRow&, CxxNames, Findings&) { return true; }

bool is_allowed(const OptionRow& row, int value, Findings& findings) {
    if (value >= row.check.minimum)
        return true;
    findings.add(Severity::error,
                 format("%d is not a valid value for %s", value, std::string(row.path).c_str()));
    return false;
}

bool is_allowed(const OptionRow& row, double value, Findings& findings) {
    if (std::isfinite(value) && value >= row.check.minimum)
        return true;
    findings.add(Severity::error,
                 format("%lf is not a valid value for %s", value, std::string(row.path).c_str()));
    return false;
}

bool is_allowed(const OptionRow& row, const std::string& value, Findings& findings) {
    if (row.type == OptionType::word)
        return is_word(row, value, findings);
    if (row.type == OptionType::rank_list && !RankList::parse(value)) {
        findings.add(Severity::error, RankList::error_text(value, row.path));
        return false;
    }
    if (row.type == OptionType::parameter_list)  // valid parameters still count
        for (const std::string& problem : parse_parameter_list(value).problems)
            findings.add(Severity::error, std::string(row.path) + ": " + problem);
    if (value.empty() && !row.check.may_be_empty) {
        findings.add(Severity::error, std::string(row.path) + " cannot be empty");
        return false;
    }
    return true;
}

bool is_allowed(const OptionRow& row, const std::optional<std::string>& value, Findings& findings) {
    if (!value || row.type != OptionType::pattern)
        return true;
    regex_t compiled;
    if (regcomp(&compiled, value->c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
        findings.add(Severity::error, "Invalid Regular Expression " + quoted(*value) + " for " +
                                          std::string(row.path));
        return false;
    }
    regfree(&compiled);
    return true;
}

bool is_allowed(const OptionRow&, const std::vector<HardwareCounter>& value, Findings& findings) {
    std::vector<std::string_view> symbols;
    for (const HardwareCounter& counter : value) {
        if (counter.symbol == "T" || counter.symbol == "CALLS") {
            findings.add(Severity::error, "hwprof: Symbol " + counter.symbol +
                                              " is reserved for a builtin variable.");
            return false;
        }
        if (!is_formula_name(counter.symbol)) {
            findings.add(Severity::error,
                         "hwprof: Symbol " + quoted(counter.symbol) +
                             " cannot be used in a formula: only letters, digits and _ are "
                             "allowed, no digit first.");
            return false;
        }
        if (is_formula_function(counter.symbol)) {
            findings.add(Severity::error, "hwprof: Symbol " + quoted(counter.symbol) +
                                              " is the name of a function in formulas.");
            return false;
        }
        symbols.push_back(counter.symbol);
    }
    std::sort(symbols.begin(), symbols.end());
    auto twice = std::adjacent_find(symbols.begin(), symbols.end());
    if (twice == symbols.end())
        return true;
    findings.add(Severity::error,
                 "hwprof: Symbol " + quoted(*twice) + " is used for more than one counter.");
    return false;
}

bool is_allowed(const OptionRow&, const std::vector<Observable>&, Findings&) { return true; }

void add_type_error(const OptionRow& row, Findings& findings) {
    const char* expected = "";
    const char* more = "";  // what Vftrace 2.0 does not accept
    switch (row.type) {
    case OptionType::boolean:
        expected = "a boolean";
        break;
    case OptionType::cxx_names:
        expected = "a boolean";
        more = " or \"full\"";
        break;
    case OptionType::integer:
        expected = "an integer";
        break;
    case OptionType::real:
        expected = "an float";  // wording that scripts rely on
        break;
    case OptionType::text:
    case OptionType::word:
    case OptionType::rank_list:
    case OptionType::parameter_list:
        expected = "a string";
        break;
    case OptionType::optional_text:
    case OptionType::pattern:
        expected = "a string of null";  // likewise
        break;
    case OptionType::counters:
    case OptionType::observables:
        expected = "an array of objects";
        break;
    }
    const std::string text = std::string(row.path) + " expects " + expected;
    findings.add(Severity::error, text + more + ".", text + ".");
}

void add_null_error(const OptionRow& row, Findings& findings) {
    findings.add(Severity::error, std::string(row.path) + " cannot be \"null\"");
}

void check_combinations(Options& options, Findings& findings) {
    bool has_inline = !options.hwprof_counters.empty() || !options.hwprof_observables.empty();
    if (!options.hwprof_default_scenario.empty() && has_inline) {
        findings.add(Severity::error, "hwprof.default_scenario cannot be used with hwprof.counters "
                                      "or hwprof.observables: the scenario is ignored.");
        options.hwprof_default_scenario.clear();
    }
    load_scenario(options, findings);
    // Column 0 is valid even without observables.
    std::size_t column = static_cast<std::size_t>(options.hwprof_sort_by_column);
    if (column > 0 && column >= options.hwprof_observables.size()) {
        findings.add(Severity::error,
                     format("%zu is not a valid value for hwprof.sort_by_column", column));
        options.hwprof_sort_by_column = Options{}.hwprof_sort_by_column;
    }
    bool built_in = options.hwprof_type != "likwid" && options.hwprof_type != "ve";
    if (options.hwprof_active && !built_in)
        findings.add(Severity::warning, "hwprof.type \"" + options.hwprof_type +
                                            "\" is not supported: no counters are read");
}

}  // namespace vftrace
