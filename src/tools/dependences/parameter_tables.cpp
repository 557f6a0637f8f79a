#include "dependences/parameter_tables.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "dependences/dependences.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

using Sets = ParameterDependences::Sets;

std::string text_of_set(const ParameterAnalysis& analysis, const ParameterSet& set) {
    std::string text;
    for (const std::uint32_t parameter : set)
        text += (text.empty() ? "" : " * ") + analysis.parameters[parameter];
    return text;
}

// "n, steps and p".
std::string enumeration(const std::vector<std::string>& names) {
    if (names.size() < 2)
        return names.empty() ? "" : names[0];
    return joined(std::span(names).first(names.size() - 1), ", ") + " and " + names.back();
}

std::vector<std::string> names_in(const ParameterAnalysis& analysis, const ParameterSet& set) {
    std::vector<std::string> names;
    for (const std::uint32_t parameter : set)
        names.push_back(analysis.parameters[parameter]);
    return names;
}

// Headers of the system and of the C++ library: of less interest than the program.
bool is_of_system(const ProfiledFunction& function) { return function.file.starts_with("/usr/"); }

std::string name_of(const ParameterAnalysis& analysis, std::uint32_t function) {
    const AnalysedFunction& names = analysis.functions[function];
    return names.name.empty() ? names.symbol : names.name;
}

std::string place_of(const ProfiledFunction& function, std::uint32_t line) {
    const std::string file = function.file.substr(function.file.rfind('/') + 1);
    return file.empty() ? "" : line == 0 ? file : fmt::format("{}:{}", file, line);
}

// "sweep<run<main": innermost first, as call paths are shown everywhere.
std::string stack_text(const ParameterAnalysis& analysis, const std::vector<std::uint32_t>& stack) {
    std::vector<std::string> names;
    for (auto function = stack.rbegin(); function != stack.rend(); ++function)
        names.push_back(name_of(analysis, *function));
    return joined(names, "<");
}

// A loop of a function, over all profiles in which it depends on the same parameters.
struct LoopRow {
    const ProfiledFunction* function;
    std::uint32_t line, level;
    std::vector<ParameterSet> params;
    ParameterSet branches;
    std::size_t callstacks = 0;
    std::string first_stack;
};

// In the order of the program's lines; loops without a known line by their position in the nest.
std::vector<LoopRow> loop_rows(const ParameterAnalysis& analysis,
                               const std::vector<const ProfiledFunction*>& functions) {
    std::vector<LoopRow> rows;
    for (const ProfiledFunction* of : functions) {
        const ProfiledFunction& function = *of;
        using Key = std::tuple<std::uint32_t, std::vector<std::uint32_t>, std::vector<ParameterSet>,
                               ParameterSet>;
        std::map<Key, LoopRow> of_function;
        for (const LoopProfile& profile : function.profiles) {
            std::vector<std::uint32_t> place;
            const auto add = [&](auto& self, const std::map<std::uint32_t, Loop>& loops) -> void {
                for (const auto& [number, loop] : loops) {
                    place.push_back(number);
                    ParameterSet branches;
                    for (const auto& [branch, set] : loop.branches)
                        branches = united(branches, set);
                    LoopRow& row = of_function[{loop.line, place, loop.params, branches}];
                    if (row.callstacks == 0)
                        row = {&function,
                               loop.line,
                               loop.level,
                               loop.params,
                               branches,
                               0,
                               profile.callstacks.empty()
                                   ? ""
                                   : stack_text(analysis, profile.callstacks[0])};
                    row.callstacks += profile.callstacks.size();
                    self(self, loop.loops);
                    place.pop_back();
                }
            };
            add(add, profile.loops);
        }
        for (auto& [key, row] : of_function)
            rows.push_back(std::move(row));
    }
    return rows;
}

class ParameterReport {
  public:
    ParameterReport(const ParameterAnalysis& analysis, std::size_t longest_name, TableOutput& out)
        : analysis_(analysis), dependences_(analysis), longest_name_(longest_name), out_(out) {
        for (const bool of_system : {false, true})
            for (const ProfiledFunction& function : analysis.profiled)
                if (is_of_system(function) == of_system)
                    functions_.push_back(&function);
    }

    void print() {
        say_how_they_act();
        table_of_parameters();
        if (!functions_.empty()) {
            table_of_functions();
            table_of_loops();
        }
        table_of_unknown_functions();
        say_what_is_missing();
        table_of_opaque_calls();
    }

  private:
    // The sets of whole functions, with all functions that they call.
    Sets all_sets() const {
        Sets sets;
        for (const ProfiledFunction& function : analysis_.profiled)
            for (const ParameterSet& set : dependences_.of_function(function.function))
                add_maximal(sets, set);
        return sets;
    }

    // A function in which the two act together, preferably within its own loops; nullptr: none.
    const ProfiledFunction* where_together(std::uint32_t a, std::uint32_t b) const {
        const auto has_both = [&](const Sets& sets) {
            return std::any_of(sets.begin(), sets.end(), [&](const ParameterSet& set) {
                return std::binary_search(set.begin(), set.end(), a) &&
                       std::binary_search(set.begin(), set.end(), b);
            });
        };
        for (const bool with_callees : {false, true})
            for (const ProfiledFunction* function : functions_)
                if (has_both(with_callees ? dependences_.of_function(function->function)
                                          : dependences_.of_own_loops(function->function)))
                    return function;
        return nullptr;
    }

    void say_how_they_act() {
        const std::size_t count = analysis_.parameters.size();
        out_.write(fmt::format("{}{} parameter{}{}{}.\n",
                               analysis_.application.empty() ? "" : analysis_.application + ": ",
                               count, plural_s(count), count > 0 ? ": " : "",
                               enumeration(analysis_.parameters)));
        ParameterSet used;
        const ParameterSet unused = unused_parameters(analysis_);
        for (std::uint32_t i = 0; i < count; i++)
            if (!std::binary_search(unused.begin(), unused.end(), i))
                used.push_back(i);
        constexpr std::size_t few = 4;
        if (used.size() > few)
            out_.write(fmt::format("Act together, so their effects may multiply: {}.\n",
                                   text_of_sets(analysis_, all_sets())));
        for (std::size_t i = 0; i < used.size() && used.size() <= few; i++)
            for (std::size_t k = i + 1; k < used.size(); k++) {
                const std::string& a = analysis_.parameters[used[i]];
                const std::string& b = analysis_.parameters[used[k]];
                if (const ProfiledFunction* function = where_together(used[i], used[k]))
                    out_.write(fmt::format("{} and {} act together, so their effects may multiply: "
                                           "for example in {}.\n",
                                           a, b, name_of(analysis_, function->function)));
                else
                    out_.write(
                        fmt::format("{} and {} never act together: their effects add up.\n", a, b));
            }
        if (!unused.empty())
            out_.write(fmt::format("Loops do not depend on {}.\n",
                                   enumeration(names_in(analysis_, unused))));
        const std::size_t independent = dependences_.independent_functions().size();
        if (independent > 0)
            out_.write(fmt::format(
                "{} not depend on any parameter.\n",
                independent == 1
                    ? "1 function, including its callees, does"
                    : fmt::format("{} functions, including their callees, do", independent)));
        const std::size_t unknown = analysis_.unknown.size();
        if (unknown > 0)
            out_.write(fmt::format("{} function{} unknown: a loop whose length is not fixed never "
                                   "had a label, or code that is not analysed is called.\n",
                                   unknown, unknown == 1 ? " is" : "s are"));
        out_.write("\n");
    }

    std::string shown(const std::string& name) const { return shorten_middle(name, longest_name_); }

    void table_of_parameters() {
        if (analysis_.parameters.empty())
            return;
        struct Row {
            std::size_t loops = 0, branches = 0;
            std::set<std::uint32_t> functions;
        };
        std::vector<Row> rows(analysis_.parameters.size());
        for (const LoopRow& loop : loop_rows(analysis_, functions_)) {
            std::set<std::uint32_t> of_loop;
            for (const ParameterSet& set : loop.params)
                of_loop.insert(set.begin(), set.end());
            for (const std::uint32_t parameter : of_loop)
                rows[parameter].loops++;
            for (const std::uint32_t parameter : loop.branches)
                rows[parameter].branches++;
            of_loop.insert(loop.branches.begin(), loop.branches.end());
            for (const std::uint32_t parameter : of_loop)
                rows[parameter].functions.insert(loop.function->function);
        }
        const Column columns[] = {text_column("parameter", "Parameter", Align::left),
                                  count_column("loops", "Loops"),
                                  count_column("branches", "Loops with dependent branches"),
                                  count_column("functions", "Functions"),
                                  text_column("acts_with", "Acts together with", Align::left)};
        const TableSpec spec = {
            .id = "parameters", .title = "Parameters", .row = "parameter", .columns = columns};
        const Sets all = all_sets();
        out_.table(spec, rows.size(), [&](std::size_t i, TableRow& row) {
            const auto parameter = static_cast<std::uint32_t>(i);
            row.text(analysis_.parameters[i]);
            row.integer(rows[i].loops);
            row.integer(rows[i].branches);
            row.integer(rows[i].functions.size());
            ParameterSet others;
            for (const ParameterSet& set : all)
                if (std::binary_search(set.begin(), set.end(), parameter))
                    others = united(others, set);
            std::erase(others, parameter);
            row.text(joined(names_in(analysis_, others), ", "));
        });
        out_.write("\n");
    }

    void table_of_functions() {
        const Column columns[] = {for_scripts(text_column("symbol", "Symbol", Align::left)),
                                  text_column("function", "Function", Align::left),
                                  text_column("place", "Defined at", Align::left),
                                  count_column("loops", "Loops"),
                                  count_column("callpaths", "Call paths"),
                                  text_column("own", "Own loops depend on", Align::left),
                                  text_column("with_callees", "Including callees", Align::left)};
        const TableSpec spec = {.id = "parameter_functions",
                                .title = "Functions with loops that depend on parameters",
                                .row = "function",
                                .columns = columns};
        std::map<const ProfiledFunction*, std::size_t> loops;
        {
            std::set<std::tuple<const ProfiledFunction*, std::uint32_t, std::uint32_t>> seen;
            for (const LoopRow& loop : loop_rows(analysis_, functions_))
                if (seen.insert({loop.function, loop.line, loop.level}).second)
                    loops[loop.function]++;
        }
        out_.table(spec, functions_.size(), [&](std::size_t i, TableRow& row) {
            const ProfiledFunction& function = *functions_[i];
            std::set<std::vector<std::uint32_t>> stacks;
            for (const LoopProfile& profile : function.profiles)
                stacks.insert(profile.callstacks.begin(), profile.callstacks.end());
            row.text(analysis_.functions[function.function].symbol);
            row.text(shown(name_of(analysis_, function.function)));
            row.text(place_of(function, function.line));
            row.integer(loops[&function]);
            row.integer(stacks.size());
            row.text(text_of_sets(analysis_, dependences_.of_own_loops(function.function)));
            row.text(text_of_sets(analysis_, dependences_.of_function(function.function)));
        });
        out_.write("\n");
    }

    void table_of_loops() {
        const std::vector<LoopRow> rows = loop_rows(analysis_, functions_);
        const Column columns[] = {text_column("function", "Function", Align::left),
                                  text_column("place", "Loop at", Align::left),
                                  count_column("level", "Level"),
                                  text_column("depends_on", "Iterations depend on", Align::left),
                                  text_column("branches", "Branches depend on", Align::left),
                                  count_column("callpaths", "Call paths"),
                                  text_column("callpath", "First called from", Align::left)};
        const TableSpec spec = {
            .id = "parameter_loops", .title = "Loops", .row = "loop", .columns = columns};
        out_.table(spec, rows.size(), [&](std::size_t i, TableRow& row) {
            const LoopRow& loop = rows[i];
            row.text(shown(name_of(analysis_, loop.function->function)));
            row.text(place_of(*loop.function, loop.line));
            row.integer(loop.level);
            row.text(text_of_sets(analysis_, loop.params));
            row.text(joined(names_in(analysis_, loop.branches), ", "));
            row.integer(loop.callstacks);
            row.text(shown(loop.first_stack));
        });
    }

    // Of the program; those of the C++ library and of the system are only counted.
    void table_of_unknown_functions() {
        std::vector<std::uint32_t> rows;
        for (const std::uint32_t function : analysis_.unknown)
            if (const std::string& name = analysis_.functions[function].demangled;
                !name.starts_with("std::") && !name.starts_with("__gnu_cxx::") &&
                name.find(" std::") == std::string::npos)
                rows.push_back(function);
        if (rows.empty())
            return;
        const Column columns[] = {for_scripts(text_column("symbol", "Symbol", Align::left)),
                                  text_column("function", "Function", Align::left),
                                  text_column("own", "Own loops depend at least on", Align::left),
                                  text_column("calls", "Calls", Align::left)};
        const TableSpec spec = {.id = "parameter_unknown",
                                .title = "Functions that may depend on more parameters",
                                .intro = "Filters and models do not exclude anything in them.\n",
                                .row = "function",
                                .columns = columns};
        out_.write("\n");
        out_.table(spec, rows.size(), [&](std::size_t i, TableRow& row) {
            const std::string& symbol = analysis_.functions[rows[i]].symbol;
            row.text(symbol);
            row.text(shown(name_of(analysis_, rows[i])));
            row.text(text_of_sets(analysis_, dependences_.of_own_loops(rows[i])));
            row.text(dependences_.has_unknown_calls(symbol) ? "unknown" : "");
        });
    }

    void say_what_is_missing() {
        if (!analysis_.is_complete)
            out_.write("\nThe program was killed by a signal: what it had not executed by then is "
                       "missing.\n");
        if (!analysis_.history_matches)
            out_.write("\nThe program behaved differently in its runs: sets with parameters from "
                       "different runs may be missing.\n");
        if (!analysis_.more_parameters.empty())
            out_.write(
                fmt::format("\nNot analysed, because a run can follow only eight parameters: "
                            "{}. \"vftrace parameters --run\" repeats the run for these.\n",
                            enumeration(analysis_.more_parameters)));
    }

    void table_of_opaque_calls() {
        if (analysis_.opaque_calls.empty())
            return;
        const Column columns[] = {text_column("function", "Function", Align::left),
                                  count_column("calls", "Calls"),
                                  text_column("parameters", "Arguments depend on", Align::left)};
        const TableSpec spec = {.id = "parameter_opaque",
                                .title = "Calls of code that was not analysed",
                                .intro = "Their results are assumed not to depend on parameters.\n",
                                .row = "function",
                                .columns = columns};
        out_.write("\n");
        out_.table(spec, analysis_.opaque_calls.size(), [&](std::size_t i, TableRow& row) {
            const OpaqueCall& call = analysis_.opaque_calls[i];
            row.text(call.symbol);
            row.integer(call.calls);
            row.text(joined(names_in(analysis_, call.params), ", "));
        });
    }

    const ParameterAnalysis& analysis_;
    const ParameterDependences dependences_;
    const std::size_t longest_name_;
    std::vector<const ProfiledFunction*> functions_;  // those of the program first
    TableOutput& out_;
};

}  // namespace

std::string text_of_sets(const ParameterAnalysis& analysis, const std::vector<ParameterSet>& sets) {
    std::string text;
    for (const ParameterSet& set : sets)
        if (!set.empty())
            text += (text.empty() ? "" : "; ") + text_of_set(analysis, set);
    return text.empty() ? "-" : text;
}

void print_parameters(const ParameterAnalysis& analysis, std::size_t longest_name,
                      TableOutput& out) {
    ParameterReport(analysis, longest_name, out).print();
}

}  // namespace vftrace
