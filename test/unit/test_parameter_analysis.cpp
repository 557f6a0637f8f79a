// Analyses of parameters: reading, merging, writing, and their results for functions and call
// paths.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "base/output_file.hpp"
#include "dependences/analysis_reader.hpp"
#include "dependences/analysis_writer.hpp"
#include "dependences/dependences.hpp"
#include "dependences/merge_analyses.hpp"
#include "readers/json_object.hpp"

using namespace vftrace;

namespace {

// main calls run in no loop; run has a loop of `steps` steps in which it calls sweep (two loops
// inside one another, of ny and nx) and norm, which calls MPI_Allreduce; a loop of `order` next to
// it; helper has no loop. `first`: the index of the first function, which moves all others.
std::string stencil(const std::string& first = "main", const std::string& inner = "nx") {
    const auto name = [&](const std::string& of) {
        return of == first ? std::string("main") : of == "main" ? first : of;
    };
    std::vector<std::string> order = {"main", "run", "sweep", "norm", "MPI_Allreduce", "helper"};
    for (std::string& of : order)
        of = name(of);
    const auto index = [&](const std::string& of) {
        return std::to_string(std::find(order.begin(), order.end(), of) - order.begin());
    };
    std::string names = "[";
    for (const std::string& of : order)
        names += (names == "[" ? "\"" : ", \"") + of + "\"";
    names += "]";
    return R"({"format": "vftrace-parameters", "version": 1, "application": "stencil", "ranks": 2, "rank": 0,
"functions_names": )" +
           names + R"(, "functions_mangled_names": )" + names + R"(,
"functions_demangled_names": )" +
           names + R"(, "parameters": ["nx", "ny", "steps", "order", "tol", "p"],
"functions": {
  "sweep": {"file": "s.cpp", "line": 10, "func_idx": )" +
           index("sweep") + R"(, "loops": [
    {"callstacks": [[)" +
           index("main") + ", " + index("run") +
           R"(]], "instance": {"0": {"level": 0, "line": 11, "params": [["ny"]],
       "loops": {"0": {"level": 1, "line": 12, "params": [[")" +
           inner + R"("]], "branches": {"1": ["order"]}}}}}}]},
  "run": {"file": "s.cpp", "line": 30, "func_idx": )" +
           index("run") + R"(, "loops": [
    {"callstacks": [[)" +
           index("main") + R"(]], "instance": {
       "0": {"level": 0, "line": 40, "params": [["order"]]},
       "1": {"level": 0, "line": 31, "params": [["steps"]], "calls": {
          "0": [{"function_idx": )" +
           index("sweep") + R"(, "entry_id": 0}],
          "1": [{"function_idx": )" +
           index("MPI_Allreduce") + R"(, "entry_id": 0}]}}}}]},
  "MPI_Allreduce": {"file": "", "line": 0, "func_idx": )" +
           index("MPI_Allreduce") + R"(, "loops": [
    {"callstacks": [[)" +
           index("main") + ", " + index("run") + ", " + index("norm") + R"(]],
     "instance": {"0": {"level": 0, "params": [["p"]]}}}]}},
"unimportant_functions": [)" +
           index("main") + ", " + index("norm") + ", " + index("helper") + R"(],
"opaque_calls": [{"function": "dgemm_", "calls": 3, "params": ["nx"]}], "more_parameters": ["eps"]})";
}

std::string written(const ParameterAnalysis& analysis, bool compatible = false) {
    std::string text;
    OutputFile out(text);
    write_parameter_analysis(analysis, compatible, out);
    out.close();
    return text;
}

// "nx * ny; p", in alphabetical order.
std::string text(const ParameterAnalysis& analysis, const ParameterDependences::Sets& sets) {
    std::vector<std::string> parts;
    for (const ParameterSet& set : sets) {
        std::string part;
        for (const std::uint32_t parameter : set)
            part += (part.empty() ? "" : " * ") + analysis.parameters[parameter];
        parts.push_back(part);
    }
    std::sort(parts.begin(), parts.end());
    std::string all;
    for (const std::string& part : parts)
        all += (all.empty() ? "" : "; ") + part;
    return all;
}

}  // namespace

TEST_CASE("parameters act together in nested loops, including those nested by calls") {
    const ParameterAnalysis analysis = parse_parameter_analysis(stencil());
    const ParameterDependences dependences(analysis);
    const auto own = [&](std::uint32_t function) {
        return text(analysis, dependences.of_own_loops(function));
    };
    const auto all = [&](std::uint32_t function) {
        return text(analysis, dependences.of_function(function));
    };
    CHECK(own(2) == "nx * ny * order");
    CHECK(own(1) == "order; steps");
    CHECK(all(1) == "nx * ny * steps * order; steps * p");
    CHECK(all(0) == "nx * ny * steps * order; steps * p");
    CHECK(own(0) == "");
    CHECK(all(5) == "");
    CHECK(dependences.independent_functions() == std::vector<std::uint32_t>{5});
}

TEST_CASE("a call path depends on the loops that it is called in") {
    const ParameterAnalysis analysis = parse_parameter_analysis(stencil());
    const ParameterDependences dependences(analysis);
    const auto path = [&](std::vector<std::string_view> symbols, bool with_callees) {
        return text(analysis, dependences.of_path(symbols, with_callees));
    };
    CHECK(path({"main"}, false) == "");
    CHECK(path({"main", "run"}, false) == "order; steps");
    CHECK(path({"main", "run", "sweep"}, false) == "nx * ny * steps * order");
    // The function has no loop itself, but is called in one; which one is unknown.
    CHECK(path({"main", "run", "norm"}, false) == "order; steps");
    CHECK(path({"main", "run", "norm", "MPI_Allreduce"}, false) == "steps * p");
    CHECK(path({"main", "helper"}, true) == "");
    // A function that was not analysed counts as part of its caller. Clones made by the compiler
    // count as the function.
    CHECK(path({"main", "run", "sweep", "dgemm_"}, false) == "nx * ny * steps * order");
    CHECK(path({"main", "run", "sweep.constprop.0"}, false) == "nx * ny * steps * order");
    CHECK(path({"_start", "cold"}, true) == "");
    CHECK(dependences.knows("sweep"));
    CHECK(!dependences.knows("dgemm_"));
}

TEST_CASE("functions that call each other come to an end") {
    const ParameterAnalysis analysis = parse_parameter_analysis(R"({
"functions_names": ["even", "odd"], "functions_mangled_names": ["even", "odd"], "functions_demangled_names": ["even", "odd"],
"parameters": ["a", "b"], "functions": {
 "even": {"file": "", "line": 1, "func_idx": 0, "loops": [{"callstacks": [[]], "instance":
   {"0": {"level": 0, "params": [["a"]], "calls": {"0": [{"function_idx": 1, "entry_id": 0}]}}}}]},
 "odd": {"file": "", "line": 2, "func_idx": 1, "loops": [{"callstacks": [[0]], "instance":
   {"0": {"level": 0, "params": [["b"]], "calls": {"0": [{"function_idx": 0, "entry_id": 0}]}}}}]}}})");
    const ParameterDependences dependences(analysis);
    CHECK(text(analysis, dependences.of_function(0)) == "a * b");
    CHECK(text(analysis, dependences.of_function(1)) == "a * b");
    CHECK(text(analysis, dependences.of_own_loops(1)) == "b");
    CHECK(written(merge_analyses({analysis, analysis})) == written(merge_analyses({analysis})));
}

TEST_CASE("ranks with the same profiles give the analysis of one rank, whatever their indices") {
    const ParameterAnalysis one = parse_parameter_analysis(stencil()),
                            other = parse_parameter_analysis(stencil("helper"));
    ParameterAnalysis expected = merge_analyses({one});
    expected.rank = -1;
    expected.opaque_calls[0].calls = 6;
    CHECK(written(merge_analyses({one, other})) == written(expected));
}

TEST_CASE("profiles that call different profiles stay different") {
    const ParameterAnalysis one = parse_parameter_analysis(stencil()),
                            other = parse_parameter_analysis(stencil("main", "tol"));
    const ParameterAnalysis both = merge_analyses({one, other});
    REQUIRE(both.profiled.size() == 3);
    CHECK(both.profiled[0].profiles.size() == 2);  // sweep: its inner loop is another one
    CHECK(both.profiled[1].profiles.size() == 2);  // run: it calls another profile of sweep
    CHECK(both.profiled[2].profiles.size() == 1);
    CHECK(both.profiled[1].profiles[1].loops.at(1).calls.at(0) ==
          std::vector<CalledProfile>{{2, 1}});
    CHECK(unused_parameters(one) == ParameterSet{4});
    CHECK(unused_parameters(both).empty());
    CHECK(both.more_parameters == std::vector<std::string>{"eps"});
    CHECK(both.rank == -1);
}

TEST_CASE("an analysis is the same after writing and reading") {
    const ParameterAnalysis analysis = parse_parameter_analysis(stencil());
    const std::string text = written(analysis);
    CHECK(written(parse_parameter_analysis(text)) == text);
    const std::string compatible = written(analysis, true);
    for (const char* own :
         {"\"line\": 11", "\"calls\"", "opaque_calls", "unimportant_functions", "unused_parameters",
          "more_parameters", "\"format\"", "\"version\"", "application", "\"rank", "complete"})
        CHECK(compatible.find(own) == std::string::npos);
    const ParameterAnalysis read = parse_parameter_analysis(compatible);
    CHECK(read.profiled.size() == 3);
    // Such files do not say which functions have code, so all of them may.
    CHECK(ParameterDependences(read).knows("helper"));
}

TEST_CASE("faults in an analysis are named") {
    const auto fails = [](std::string text, const std::string& from, const std::string& to) {
        const std::size_t place = text.find(from);
        REQUIRE(place != std::string::npos);
        text.replace(place, from.size(), to);
        try {
            parse_parameter_analysis(text);
        } catch (const ProfileFormatError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string good = stencil();
    CHECK(fails(good, "\"parameters\"", "\"others\"").find("is not a parameter analysis") == 0);
    CHECK(fails(good, "[[\"ny\"]]", "[[\"nz\"]]").find("\"nz\" is not in \"parameters\"") !=
          std::string::npos);
    CHECK(fails(good, "\"entry_id\": 0", "\"entry_id\": 7") == "calls: sweep has no entry 7");
    CHECK(fails(good, "\"func_idx\": 2", "\"func_idx\": 6") ==
          "functions.sweep.func_idx: must be at most 5");
    CHECK(fails(good, "\"callstacks\": [[0", "\"callstacks\": [[9").find("callstacks") !=
          std::string::npos);
    CHECK(fails(good, "\"level\": 0", "\"level\": -1").find("level") != std::string::npos);
    CHECK(fails(good, "{\"0\": {\"level\"", "{\"zero\": {\"level\"")
              .find("\"zero\" is not a number") != std::string::npos);
    CHECK(fails(good, "\"functions_names\": [", "\"functions_names\": [\"x\", ")
              .find("must have as many entries as functions_mangled_names") != std::string::npos);
    std::string deep = "{\"level\": 0}";
    for (int i = 0; i < 200; i++)
        deep = "{\"level\": 0, \"loops\": {\"0\": " + deep + "}}";
    CHECK(fails(good, "{\"level\": 0, \"line\": 11",
                deep.substr(0, deep.size() - 1) + ", \"line\": 11")
              .find("more than 100 nested loops") != std::string::npos);
}
