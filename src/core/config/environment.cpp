#include "config/environment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unistd.h>

#include "base/text.hpp"
#include "config/advice.hpp"
#include "config/checks.hpp"
#include "config/json_file.hpp"
#include "config/json_reader.hpp"

namespace vftrace {

namespace {

// Variables that Vftrace had before its JSON configuration. They are still set in many job scripts,
// so they are distinguished from typing errors. Those that are now variables of options are not
// listed.
struct FormerVariable {
    std::string_view name;
    std::string_view path;  // the option that replaces it, empty if none
};
constexpr FormerVariable former_variables[] = {
    {"VFTR_ACCURATE_PROFILE", ""},
    {"VFTR_BUFSIZE", "sampling.outbuffer_size"},
    {"VFTR_CREATE_HTML", ""},
    {"VFTR_DEMANGLE_CPP", "demangle_cxx"},
    {"VFTR_DETECT_RECURSION", ""},
    {"VFTR_LOGFILE_ALL_RANKS", "logfile_for_ranks"},
    {"VFTR_LOGFILE_BASENAME", "outfile_basename"},
    {"VFTR_MPI_LOG", "mpi.log_messages"},
    {"VFTR_PRECISE", "sampling.precise_functions"},
    {"VFTR_PRINT_ENV", "print_config"},
    {"VFTR_PRINT_STACK_PROFILE", ""},
    {"VFTR_PROF_TRUNCATE", ""},
    {"VFTR_REGIONS_PRECISE", ""},
    {"VFTR_SAMPLETIME", "sampling.sample_interval"},
    {"VFTR_SAMPLING", "sampling.active"},
    {"VFTR_SCENARIO_FILE", "hwprof.default_scenario"},
    {"VFTR_SIGNALS_OFF", ""},
    {"VFTR_SORT_MPI_TABLE", "mpi.sort_table.column"},
    {"VFTR_SORT_PROFILE_TABLE", "profile_table.sort_table.column"},
    {"VFTR_STOPTIME", ""},
};

void parse_value(const OptionRow& row, std::string_view text, bool& value, Findings& findings) {
    if (std::optional<bool> given = parse_boolean(text))
        value = *given;
    else
        add_type_error(row, findings);
}

void parse_value(const OptionRow& row, std::string_view text, CxxNames& value, Findings& findings) {
    if (equal_ignoring_case(trim(text), full_cxx_names))
        value = CxxNames::full;
    else if (std::optional<bool> given = parse_boolean(text))
        value = *given ? CxxNames::plain : CxxNames::raw;
    else
        add_type_error(row, findings);
}

void parse_value(const OptionRow& row, std::string_view text, int& value, Findings& findings) {
    int number = 0;
    text = trim(text);
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::result_out_of_range)
        findings.add(Severity::error,
                     std::string(text) + " is not a valid value for " + std::string(row.path));
    else if (error != std::errc{} || end != text.data() + text.size())
        add_type_error(row, findings);
    else
        assign_if_allowed(row, number, value, findings);
}

void parse_value(const OptionRow& row, std::string_view text, double& value, Findings& findings) {
    std::string digits(trim(text));
    char* end = nullptr;
    double number = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end)
        add_type_error(row, findings);
    else
        assign_if_allowed(row, number, value, findings);
}

void parse_value(const OptionRow& row, std::string_view text, std::string& value,
                 Findings& findings) {
    assign_if_allowed(row, std::string(text), value, findings);
}

void parse_value(const OptionRow& row, std::string_view text, std::optional<std::string>& value,
                 Findings& findings) {
    std::optional<std::string> given;
    if (!text.empty() && text != "null")
        given = text;
    assign_if_allowed(row, std::move(given), value, findings);
}

template <class Object>
void parse_value(const OptionRow& row, std::string_view text, std::vector<Object>& value,
                 Findings& findings) {
    std::size_t error_position = 0;
    if (JsonTree tree = parse_json(text, &error_position))
        read_value(row, tree.get(), value, findings);
    else
        add_type_error(row, findings);
}

bool may_be_null(const OptionRow& row) {
    return row.type == OptionType::optional_text || row.type == OptionType::pattern;
}

void warn_of_variable(std::string_view name, const std::vector<std::string>& known,
                      Findings& findings) {
    auto former =
        std::find_if(std::begin(former_variables), std::end(former_variables),
                     [&](const FormerVariable& variable) { return variable.name == name; });
    if (former != std::end(former_variables)) {
        std::string text =
            std::string(name) + " belongs to an earlier version of Vftrace and has no effect";
        if (!former->path.empty())
            text += "; use " + environment_name(former->path);
        findings.add(Severity::warning, std::move(text));
        return;
    }

    // Names are compared without the common prefix, which would make all names look similar.
    constexpr std::size_t prefix = std::string_view("VFTR_").size();
    std::vector<std::string_view> candidates;
    candidates.reserve(known.size());
    for (const std::string& candidate : known)
        candidates.push_back(std::string_view(candidate).substr(prefix));
    std::string_view suggestion = closest(name.substr(prefix), candidates);
    std::string whole;
    if (!suggestion.empty())
        whole = "VFTR_" + std::string(suggestion);
    findings.add(Severity::unknown_key, unknown_key_text(name, whole));
}

void warn_of_unknown_variables(Findings& findings) {
    std::vector<std::string> known = {config_file_variable};
    for (const OptionRow& row : option_table)
        known.push_back(environment_name(row.path));
    for (char** entry = environ; entry && *entry; entry++) {
        std::string_view name = *entry;
        name = name.substr(0, name.find('='));
        if (name.starts_with("VFTR_") && std::find(known.begin(), known.end(), name) == known.end())
            warn_of_variable(name, known, findings);
    }
}

}  // namespace

std::optional<bool> parse_boolean(std::string_view text) {
    text = trim(text);
    auto matches = [&](std::string_view word) { return equal_ignoring_case(text, word); };
    constexpr std::string_view yes[] = {"1", "yes", "y", "on", "true", "t"};
    constexpr std::string_view no[] = {"0", "no", "n", "off", "false", "f"};
    if (std::any_of(std::begin(yes), std::end(yes), matches))
        return true;
    if (std::any_of(std::begin(no), std::end(no), matches))
        return false;
    return std::nullopt;
}

void read_option(std::string_view path, std::string_view text, Options& options,
                 Findings& findings) {
    CLocale c_locale;
    for_each_option(options, [&](const OptionRow& row, auto& value) {
        if (row.path == path)
            parse_value(row, text, value, findings);
    });
}

void read_options_from_environment(Options& options, Findings& findings) {
    for_each_option(options, [&](const OptionRow& row, auto& value) {
        std::string name = environment_name(row.path);
        const char* text = std::getenv(name.c_str());
        if (!text || (!*text && !may_be_null(row)))
            return;
        Findings::Place place(findings, "the environment variable " + name);
        parse_value(row, text, value, findings);
    });
    warn_of_unknown_variables(findings);
}

}  // namespace vftrace
