#include "model/parameter_choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/core.h>

#include "base/text.hpp"
#include "model/modeller.hpp"

namespace vftrace {
namespace {

using Values = std::map<std::string, double>;  // of a run

// A target is far away if it is this many times larger, or smaller, than everything that was
// measured.
constexpr double far_away = 10;

std::vector<Values> values_of_runs(const std::vector<RunTable::Run>& runs,
                                   const ParameterWishes& wishes) {
    std::vector<Values> result(runs.size());
    bool has_p = false, ranks_differ = false;
    for (std::size_t run = 0; run < runs.size(); run++) {
        for (const RunParameter& parameter : runs[run].parameters)
            result[run][parameter.name] = parameter.value;
        for (const ParameterWishes::Given& given : wishes.given)
            result[run][given.name] = given.values[run];
        has_p |= result[run].contains("p");
        ranks_differ |= runs[run].ranks != runs.front().ranks;
    }
    if (!has_p && ranks_differ)
        for (std::size_t run = 0; run < runs.size(); run++)
            result[run]["p"] = runs[run].ranks;
    return result;
}

// The available choices, for messages.
std::string known_names(const std::vector<Values>& values) {
    std::set<std::string> names;
    for (const Values& of_run : values)
        for (const auto& [name, value] : of_run)
            names.insert(name);
    return names.empty() ? "the runs do not have parameters"
                         : fmt::format("the runs have {}", joined(names, ", "));
}

void check_known(const std::string& name, const char* option, const std::vector<Values>& values) {
    for (const Values& of_run : values)
        if (of_run.contains(name))
            return;
    throw ModelError(fmt::format("{}: \"{}\" is not a parameter of any run; {}", option, name,
                                 known_names(values)));
}

std::vector<std::size_t> chosen_runs(const std::vector<Values>& values,
                                     const std::vector<RunParameter>& where) {
    std::vector<std::size_t> result(values.size());
    std::iota(result.begin(), result.end(), 0);
    for (const RunParameter& wanted : where) {
        check_known(wanted.name, "--where", values);
        std::erase_if(result, [&](std::size_t run) {
            const auto found = values[run].find(wanted.name);
            return found == values[run].end() || found->second != wanted.value;
        });
    }
    if (result.empty())
        throw ModelError("--where: none of the runs has these values");
    if (result.size() < 2)
        throw ModelError(where.empty() ? "a model needs several runs, at different values of a "
                                         "parameter; only one was given"
                                       : "--where leaves one run; a model needs several");
    return result;
}

std::set<double> different_values(const std::vector<Values>& values, const std::string& name,
                                  const std::vector<std::size_t>& chosen) {
    std::set<double> different;
    for (const std::size_t run : chosen)
        different.insert(values[run].at(name));
    return different;
}

void check_values(const std::string& name, const std::set<double>& different) {
    if (*different.begin() <= 0)
        throw ModelError(
            fmt::format("{0} is {1:g} in one of the runs; models consist of powers and "
                        "logarithms, which need values above 0 (--without {0} leaves it out)",
                        name, *different.begin()));
    std::vector<std::string> numbers;
    for (const double value : different)
        numbers.push_back(fmt::format("{:g}", value));
    if (numbers.size() < least_values)
        throw ModelError(
            fmt::format("{0} has {1} values in these runs ({2}); a model needs {3}, preferably "
                        "{4} (--where {0}={5:g} uses only the runs with one of them)",
                        name, different.size(), joined(numbers, " and "), least_values,
                        wanted_values, *different.rbegin()));
}

// A parameter must change while the others do not, or effects cannot be attributed.
void check_lines(const ParameterChoice& choice) {
    const PointGrid grid(choice.values, ~std::uint32_t{0});
    for (std::uint32_t i = 0; i < choice.names.size(); i++) {
        const auto& lines = grid.lines(i);
        if (std::any_of(lines.begin(), lines.end(),
                        [](const auto& line) { return line.size() >= least_values; }))
            continue;
        std::vector<std::string> others = choice.names;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        throw ModelError(fmt::format(
            "{0} does not have three values at equal {1}, so its effect cannot be distinguished "
            "from {2}; add runs, or leave one out (--without {0})",
            choice.names[i], joined(others, " and "),
            others.size() == 1 ? "that of " + others.front() : "theirs"));
    }
}

void set_target(ParameterChoice& choice, const ParameterWishes& wishes,
                const std::vector<Values>& values) {
    choice.is_default_target = wishes.predict.empty();
    for (std::size_t i = 0; i < choice.names.size(); i++) {
        double least = choice.values.front()[i], most = least;
        for (const std::vector<double>& run : choice.values) {
            least = std::min(least, run[i]);
            most = std::max(most, run[i]);
        }
        double target = choice.is_default_target ? 2 * most : most;
        for (const RunParameter& wanted : wishes.predict)
            if (wanted.name == choice.names[i])
                target = wanted.value;
        choice.target.push_back(target);
        if (target > far_away * most)
            choice.far.push_back(fmt::format("{} = {:g} is {:.3g} times as large as the largest "
                                             "value measured",
                                             choice.names[i], target, target / most));
        else if (target < least / far_away)
            choice.far.push_back(fmt::format("{} = {:g} is 1/{:.3g} of the smallest value measured",
                                             choice.names[i], target, least / target));
    }
    for (const RunParameter& wanted : wishes.predict) {
        check_known(wanted.name, "--predict", values);
        if (wanted.value <= 0)
            throw ModelError(fmt::format("--predict {}={:g}: values must be above 0", wanted.name,
                                         wanted.value));
        if (std::find(choice.names.begin(), choice.names.end(), wanted.name) == choice.names.end())
            throw ModelError(fmt::format("--predict {0}={1:g}: {0} is not a parameter of the "
                                         "models; their parameters are {2}",
                                         wanted.name, wanted.value, joined(choice.names, ", ")));
    }
}

}  // namespace

ParameterChoice choose_parameters(const std::vector<RunTable::Run>& runs,
                                  const ParameterWishes& wishes) {
    const std::vector<Values> values = values_of_runs(runs, wishes);
    ParameterChoice choice;
    choice.runs = chosen_runs(values, wishes.where);
    std::set<std::string> names;
    for (const std::size_t run : choice.runs)
        for (const auto& [name, value] : values[run])
            names.insert(name);
    for (const std::string& name : wishes.without) {
        check_known(name, "--without", values);
        names.erase(name);
    }
    if (names.empty() && wishes.without.empty())
        throw ModelError(
            "the runs do not have parameters: record them (vftrace run --parameter n=1000), or "
            "give a value for each file (--parameter n=1000,2000,4000)");
    for (const std::string& name : names) {
        for (const std::size_t run : choice.runs)
            if (!values[run].contains(name))
                throw ModelError(fmt::format("{} does not have a value of \"{}\", which other "
                                             "runs have (--parameter {}=... gives one for each "
                                             "file)",
                                             runs[run].file, name, name));
        const std::set<double> different = different_values(values, name, choice.runs);
        if (different.size() == 1) {
            choice.constant.push_back({name, *different.begin()});
            continue;
        }
        check_values(name, different);
        choice.names.push_back(name);
        choice.different_values.push_back(different.size());
    }
    if (choice.names.empty())
        throw ModelError(
            fmt::format("no parameter changes between these runs: {}; a model needs at least {} "
                        "values of a parameter",
                        choice.constant.empty() ? "no parameter is left" : text_of(choice.constant),
                        least_values));
    if (choice.names.size() > most_parameters) {
        const std::vector<std::string> first(choice.names.begin(),
                                             choice.names.begin() + most_parameters);
        throw ModelError(fmt::format("{} parameters change between these runs ({}, ...); models "
                                     "have at most {} (select with --where or --without)",
                                     choice.names.size(), joined(first, ", "), most_parameters));
    }
    for (const std::size_t run : choice.runs) {
        std::vector<double>& of_run = choice.values.emplace_back();
        for (const std::string& name : choice.names)
            of_run.push_back(values[run].at(name));
    }
    check_lines(choice);
    set_target(choice, wishes, values);
    return choice;
}

}  // namespace vftrace
