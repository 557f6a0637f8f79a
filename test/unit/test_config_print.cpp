// Options as JSON and as a page of documentation.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <utility>

#include "cjson/cJSON.h"
#include "config/config.hpp"
#include "config_fixture.hpp"

using namespace vftrace;
using Catch::Contains;
using Catch::EndsWith;
using vftrace_test::ConfigFixture;

namespace {

bool is_json(const std::string& text) {
    std::unique_ptr<cJSON, void (*)(cJSON*)> tree(cJSON_Parse(text.c_str()), cJSON_Delete);
    return tree != nullptr;
}

// As Vftrace 2.0 printed it.
const char* const vftrace_2_default = R"({
   "off": false,
   "output_directory": ".",
   "outfile_basename": null,
   "logfile_for_ranks": "none",
   "print_config": true,
   "strip_module_names": false,
   "demangle_cxx": false,
   "include_cxx_prelude": false,
   "profile_table": {
      "show_table": true,
      "show_calltime_imbalances": false,
      "show_callpath": false,
      "show_overhead": false,
      "show_minmax_summary": false,
      "sort_table": {
         "column": "time_excl",
         "ascending": false
      }
   },
   "stacklist": {
      "show_stacklist": true
   },
   "name_grouped_profile_table": {
      "show_table": false,
      "max_stack_ids": 8,
      "sort_table": {
         "column": "time_excl",
         "ascending": false
      }
   },
   "sampling": {
      "active": false,
      "sample_interval": 0.005000,
      "outbuffer_size": 8,
      "precise_functions": null
   },
   "mpi": {
      "show_table": true,
      "log_messages": true,
      "only_for_ranks": "all",
      "show_sync_time": false,
      "show_callpath": false,
      "sort_table": {
         "column": "none",
         "ascending": false
      }
   },
   "cuda": {
      "show_table": true,
      "sort_table": {
         "column": "time",
         "ascending": false
      }
   },
   "hwprof": {
      "type": "dummy",
      "active": true,
      "show_observables": true,
      "show_counters": false,
      "show_summary": false,
      "sort_by_column": 0,
      "default_scenario": "",
      "counters": [
      ],
      "observables": [
      ]
   }
}
)";

}  // namespace

TEST_CASE("config print: the defaults in the old layout") {
    CHECK(print_compatible_default() == vftrace_2_default);
}

TEST_CASE_METHOD(ConfigFixture, "config print: the old layout is read without messages") {
    Options options = read(vftrace_2_default);
    CHECK(text() == "");
    CHECK(options.demangle_cxx == CxxNames::raw);
    options.demangle_cxx = CxxNames::full;  // the only default that is another one now
    CHECK(print_configuration(options) == print_configuration(Options{}));
}

TEST_CASE_METHOD(ConfigFixture,
                 "config print: logs show what Vftrace 2.0 had, and what is changed") {
    std::string expected = vftrace_2_default;
    const std::string raw = "\"demangle_cxx\": false";
    expected.replace(expected.find(raw), raw.size(), "\"demangle_cxx\": \"full\"");
    CHECK(print_configuration_of_log(Options{}) == expected);

    Options options;
    options.max_recursion = 9;
    options.profile_table_separate = true;
    options.sampling_sample_interval = 0;
    options.tree_file_copy_interval = 60;
    options.openacc_sort_table_ascending = true;
    const std::string printed = print_configuration_of_log(options);
    CHECK(is_json(printed));
    CHECK_THAT(printed, Contains("         \"ascending\": false\n      },\n"
                                 "      \"separate\": true\n   },\n   \"stacklist\""));
    CHECK_THAT(printed, EndsWith("      \"observables\": [\n      ]\n   },\n"
                                 "   \"max_recursion\": 9,\n"
                                 "   \"tree_file\": {\n"
                                 "      \"copy_interval\": 60.000000\n"
                                 "   },\n"
                                 "   \"openacc\": {\n"
                                 "      \"sort_table\": {\n"
                                 "         \"ascending\": true\n"
                                 "      }\n   }\n}\n"));
    CHECK(print_configuration(read(printed)) == print_configuration(options));
    CHECK(text() == "");
}

TEST_CASE_METHOD(ConfigFixture, "config print: the three values of demangle_cxx") {
    for (const auto& [names, printed] :
         {std::pair(CxxNames::raw, "false"), std::pair(CxxNames::plain, "true"),
          std::pair(CxxNames::full, "\"full\"")}) {
        CAPTURE(printed);
        Options options;
        options.demangle_cxx = names;
        const std::string line = std::string("   \"demangle_cxx\": ") + printed + ",\n";
        CHECK_THAT(print_configuration(options), Contains(line));
        CHECK(read("{\"demangle_cxx\": " + std::string(printed) + "}").demangle_cxx == names);
        CHECK(text() == "");
    }
}

TEST_CASE("config print: all options, each once, in valid JSON") {
    std::string all = print_configuration(Options{});
    CHECK(is_json(all));
    CHECK(all.back() == '\n');
    std::set<std::string> variables;
    std::size_t lines = static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n'));
    std::size_t expected_lines = 2 + 2;  // outer braces, closing brackets of the two arrays
    std::set<std::string> sections;
    for (const OptionRow& row : option_table) {
        CAPTURE(row.path);
        CHECK(variables.insert(environment_name(row.path)).second);
        CHECK_FALSE(row.meaning.empty());
        CHECK(row.meaning.find('|') == std::string_view::npos);
        std::string key(row.path.substr(row.path.rfind('.') + 1));
        CHECK_THAT(all, Contains('"' + key + "\": "));
        expected_lines++;
        for (std::size_t dot = row.path.find('.'); dot != std::string_view::npos;
             dot = row.path.find('.', dot + 1))
            sections.insert(std::string(row.path.substr(0, dot)));
    }
    // A section whose rows are not contiguous would be printed twice.
    CHECK(lines == expected_lines + 2 * sections.size());
    CHECK_THAT(all, Contains("   \"profile_table\": {\n      \"show_table\": true,\n"));
    CHECK_THAT(all, Contains("      \"separate\": false,\n"));
    CHECK_THAT(all, Contains("   \"openacc\": {\n"));
}

TEST_CASE_METHOD(ConfigFixture, "config print: what is printed is read back") {
    Options options;
    options.off = true;
    options.output_directory = "a \"b\" \\ c\n\t\x01 \xc3\xa4";
    options.outfile_basename = "x";
    options.logfile_for_ranks = "1,3-5";
    options.max_recursion = 2147483647;
    options.profile_table_sort_table_column = "stack_id";
    options.sampling_sample_interval = 1e-9;  // "%lf" would make 0 of it
    options.sampling_precise_functions = "^\\(a|b\\)$";
    options.hwprof_counters = {{"PAPI_TOT_CYC", "c"}, {"PAPI_TOT_INS", "i"}};
    options.hwprof_observables = {{"ipc", "i/c", ""}, {"rate", "i/T", "1/s"}};
    options.hwprof_sort_by_column = 1;
    std::string printed = print_configuration(options);
    CHECK(is_json(printed));
    CHECK(print_configuration(read(printed)) == printed);
    CHECK(text() == "");
    CHECK_THAT(printed, Contains("      \"counters\": [\n"
                                 "         {\n"
                                 "            \"hwc_name\": \"PAPI_TOT_CYC\",\n"
                                 "            \"symbol\": \"c\"\n"
                                 "         },\n"
                                 "         {\n"
                                 "            \"hwc_name\": \"PAPI_TOT_INS\",\n"
                                 "            \"symbol\": \"i\"\n"
                                 "         }\n"
                                 "      ],\n"));
    CHECK(read(printed).output_directory == options.output_directory);
    CHECK(read(printed).sampling_sample_interval == 1e-9);
}

TEST_CASE("config print: bytes that are not UTF-8 are replaced") {
    auto printed = [](const std::string& directory) {
        Options options;
        options.output_directory = directory;
        std::string all = print_configuration(options);
        CHECK(is_json(all));
        std::size_t start = all.find("\"output_directory\": ") + 20;
        return all.substr(start, all.find(",\n", start) - start);
    };
    const std::string bad = "\xef\xbf\xbd";
    CHECK(printed("a\xff"
                  "b") == "\"a" + bad + "b\"");
    CHECK(printed("\xc3") == '"' + bad + '"');                      // cut short
    CHECK(printed("\xc0\xaf") == '"' + bad + bad + '"');            // overlong
    CHECK(printed("\xed\xa0\x80") == '"' + bad + bad + bad + '"');  // surrogate
    CHECK(printed("\xf4\x90\x80\x80") == '"' + bad + bad + bad + bad + '"');
    CHECK(printed("\xe2\x82\xac\xf0\x9f\x98\x80") == "\"\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

TEST_CASE("config document: every option has its row") {
    std::string page = document_options();
    for (const OptionRow& row : option_table) {
        CAPTURE(row.path);
        CHECK_THAT(page, Contains("`" + environment_name(row.path) + "`"));
        CHECK_THAT(page, Contains("| " + std::string(row.meaning) + " |\n"));
    }
    CHECK_THAT(page, Contains("\n## Top level\n"));
    CHECK_THAT(page, Contains("\n## hwprof\n"));
    CHECK_THAT(page, Contains("| `sort_table.column` | one of `messages`, `send_size`"));
    CHECK_THAT(page, Contains("| `max_recursion` | integer, at least 1 | `8` |"));
    CHECK_THAT(page, Contains("| `precise_functions` | pattern or null | `null` |"));
    // Each table row has five columns.
    std::size_t start = 0;
    for (std::size_t end; (end = page.find('\n', start)) != std::string::npos; start = end + 1) {
        std::string line = page.substr(start, end - start);
        CAPTURE(line);
        if (!line.empty() && line[0] == '|')
            CHECK(std::count(line.begin(), line.end(), '|') == 6);
    }
}
