// The wording of the messages about everything that can be wrong in a configuration file.
#include <catch2/catch.hpp>

#include "config/advice.hpp"
#include "config/config.hpp"
#include "config_fixture.hpp"

using namespace vftrace;
using Catch::Contains;
using Catch::StartsWith;
using vftrace_test::ConfigFixture;

TEST_CASE_METHOD(ConfigFixture, "config messages: a wrong value is reported and has no effect") {
    auto [content, expected] = GENERATE(table<const char*, const char*>({
        // wrong types
        {R"({"off": 1})", "off expects a boolean."},
        {R"({"off": null})", "off expects a boolean."},
        {R"({"off": "true"})", "off expects a boolean."},
        {R"({"profile_table": {"show_table": []}})", "profile_table.show_table expects a boolean."},
        {R"({"mpi": {"sort_table": {"ascending": 0}}})",
         "mpi.sort_table.ascending expects a boolean."},
        {R"({"sampling": {"outbuffer_size": "8"}})", "sampling.outbuffer_size expects an integer."},
        {R"({"sampling": {"outbuffer_size": 8.5}})", "sampling.outbuffer_size expects an integer."},
        {R"({"sampling": {"outbuffer_size": null}})",
         "sampling.outbuffer_size expects an integer."},
        {R"({"sampling": {"sample_interval": "1"}})", "sampling.sample_interval expects an float."},
        {R"({"sampling": {"precise_functions": 1}})",
         "sampling.precise_functions expects a string of null."},
        {R"({"outfile_basename": {}})", "outfile_basename expects a string of null."},
        {R"({"output_directory": 3})", "output_directory expects a string."},
        {R"({"logfile_for_ranks": 3})", "logfile_for_ranks expects a string."},
        {R"({"hwprof": {"counters": {}}})", "hwprof.counters expects an array of objects."},
        {R"({"hwprof": {"counters": null}})", "hwprof.counters expects an array of objects."},
        {R"({"hwprof": {"counters": [1]}})", "hwprof.counters expects an array of objects."},
        {R"({"hwprof": {"observables": "a"}})", "hwprof.observables expects an array of objects."},
        {R"({"hwprof": {"counters": [{"symbol": "a"}]}})",
         "hwprof.counters.hwc_name expects a string that is not empty."},
        {R"({"hwprof": {"counters": [{"hwc_name": "A", "symbol": ""}]}})",
         "hwprof.counters.symbol expects a string that is not empty."},
        {R"({"hwprof": {"observables": [{"name": "a", "formula": 3}]}})",
         "hwprof.observables.formula expects a string that is not empty."},
        // sections of a wrong type, which Vftrace 2.0 ignored silently
        {R"({"profile_table": 3})", "profile_table expects an object."},
        {R"({"mpi": null})", "mpi expects an object."},
        {R"({"mpi": {"sort_table": "calls"}})", "mpi.sort_table expects an object."},
        // null where a string is needed; the second and third crashed Vftrace 2.0
        {R"({"output_directory": null})", "output_directory cannot be \"null\""},
        {R"({"logfile_for_ranks": null})", "logfile_for_ranks cannot be \"null\""},
        {R"({"mpi": {"only_for_ranks": null}})", "mpi.only_for_ranks cannot be \"null\""},
        {R"({"output_directory": ""})", "output_directory cannot be empty"},
        // wrong words
        {R"({"profile_table": {"sort_table": {"column": "x"}}})",
         "\"x\" is not a valid option for profile_table.sort_table.column\n"
         "Valid options are: \"time_excl\", \"time_incl\", \"calls\", \"stack_id\", \"overhead\", "
         "\"none\"\n"},
        {R"({"name_grouped_profile_table": {"sort_table": {"column": "stack_id"}}})",
         "\"stack_id\" is not a valid option for name_grouped_profile_table.sort_table.column\n"
         "Valid options are: \"time_excl\", \"time_incl\", \"calls\", \"none\"\n"},
        {R"({"openacc": {"sort_table": {"column": "cbid"}}})",
         "\"cbid\" is not a valid option for openacc.sort_table.column\n"
         "Valid options are: \"time\", \"memcpy\", \"calls\", \"none\"\n"},
        {R"({"cuda": {"sort_table": {"column": ""}}})",
         "\"\" is not a valid option for cuda.sort_table.column\n"},
        {R"({"hwprof": {"type": "PAPI"}})", "\"PAPI\" is not a valid option for hwprof.type\n"
                                            "Must be one of: dummy, papi, likwid, ve, perf\n"},
        // lists of ranks
        {R"({"logfile_for_ranks": "foo"})",
         "Unable to properly parse given list \"foo\" for \"logfile_for_ranks\".\n"
         "Valid values are: \"all\", \"none\", \"a-b\", \"a,b\", or a mix of the latter two.\n"},
        {R"({"mpi": {"only_for_ranks": "1,,2"}})",
         "Unable to properly parse given list \"1,,2\" for \"mpi.only_for_ranks\".\n"},
        // numbers out of range
        {R"({"sampling": {"sample_interval": -1}})",
         "-1.000000 is not a valid value for sampling.sample_interval"},
        {R"({"sampling": {"sample_interval": 1e999}})",
         "inf is not a valid value for sampling.sample_interval"},
        {R"({"sampling": {"outbuffer_size": 0}})",
         "0 is not a valid value for sampling.outbuffer_size"},
        {R"({"sampling": {"outbuffer_size": 1e10}})",
         "10000000000 is not a valid value for sampling.outbuffer_size"},
        {R"({"sampling": {"outbuffer_size": 1e999}})",
         "inf is not a valid value for sampling.outbuffer_size"},
        {R"({"max_recursion": 0})", "0 is not a valid value for max_recursion"},
        {R"({"profile_table": {"max_name_width": 7}})",
         "7 is not a valid value for profile_table.max_name_width"},
        {R"({"name_grouped_profile_table": {"max_stack_ids": 0}})",
         "0 is not a valid value for name_grouped_profile_table.max_stack_ids"},
        {R"({"hwprof": {"sort_by_column": -1}})",
         "-1 is not a valid value for hwprof.sort_by_column"},
        {R"({"hwprof": {"sort_by_column": 1}})",
         "1 is not a valid value for hwprof.sort_by_column"},
        // patterns and symbols
        {R"({"sampling": {"precise_functions": "("}})",
         "Invalid Regular Expression \"(\" for sampling.precise_functions"},
        {R"({"hwprof": {"counters": [{"hwc_name": "A", "symbol": "T"}]}})",
         "hwprof: Symbol T is reserved for a builtin variable."},
        {R"({"hwprof": {"counters": [{"hwc_name": "A", "symbol": "CALLS"}]}})",
         "hwprof: Symbol CALLS is reserved for a builtin variable."},
        {R"({"hwprof": {"counters": [{"hwc_name": "A", "symbol": "a"},
                                     {"hwc_name": "B", "symbol": "a"}]}})",
         "hwprof: Symbol \"a\" is used for more than one counter."},
    }));
    Options options = read(content);
    CAPTURE(content);
    CHECK_THAT(text(), StartsWith(expected));
    CHECK(findings().count(Severity::error) == 1);
    CHECK(findings().count() == 1);
    CHECK(print_configuration(options) == print_configuration(Options{}));
}

TEST_CASE_METHOD(ConfigFixture, "config messages: one wrong value does not spoil the others") {
    Options options = read(R"({"off": 3, "print_config": false, "mpi": 1, "max_recursion": 9})");
    CHECK_FALSE(options.print_config);
    CHECK(options.max_recursion == 9);
    CHECK(findings().count(Severity::error) == 2);
}

TEST_CASE_METHOD(ConfigFixture, "config messages: the top level must be an object") {
    for (const char* content : {"[]", "3", "null", "\"off\"", "[{\"off\": true}]"}) {
        CAPTURE(content);
        CHECK_FALSE(read(content).off);
        CHECK_THAT(text(), StartsWith("The configuration expects an object.\n"));
    }
}

TEST_CASE_METHOD(ConfigFixture, "config messages: rules between options") {
    Options options = read(R"({"hwprof": {"default_scenario": "s.json", "sort_by_column": 7,
                               "observables": [{"name": "a", "formula": "T"}]}})");
    CHECK_THAT(text(), StartsWith("hwprof.default_scenario cannot be used with"));
    CHECK(options.hwprof_default_scenario.empty());
    CHECK_THAT(text(), Contains("7 is not a valid value for hwprof.sort_by_column"));
    CHECK(options.hwprof_sort_by_column == 0);

    options = read(R"({"hwprof": {"type": "likwid"}})");
    CHECK(text() == "hwprof.type \"likwid\" is not supported: no counters are read\n");
    CHECK(options.hwprof_type == "likwid");
    CHECK(findings().count(Severity::warning) == 1);
    read(R"({"hwprof": {"type": "ve", "active": false}})");
    CHECK(text() == "");
}

TEST_CASE_METHOD(ConfigFixture, "config messages: scenarios of hardware counters") {
    const auto with_scenario = [&](const std::string& content) {
        return read(R"({"hwprof": {"sort_by_column": 1, "default_scenario": ")" + file(content) +
                    "\"}}");
    };
    Options options = with_scenario(R"({"counters": [{"hwc_name": "A", "symbol": "a"}],
        "observables": [{"name": "x", "formula": "a"}, {"name": "y", "formula": "T"}]})");
    CHECK(text() == "");
    CHECK(options.hwprof_sort_by_column == 1);
    CHECK(options.hwprof_counters.size() == 1);
    CHECK(options.hwprof_observables.size() == 2);
    // The complete configuration is printed, and can be read again.
    CHECK(options.hwprof_default_scenario == "");

    for (const char* content : {"[]", "{", "", R"({"counters": 3})",
                                R"({"counters": [{"hwc_name": "A", "symbol": "T"}]})",
                                R"({"counters": [{"hwc_name": "A", "symbol": "a"}],
                                    "observables": [{"name": "x"}]})"}) {
        CAPTURE(content);
        options = with_scenario(content);
        CHECK(findings().count(Severity::error) >= 1);
        CHECK_THAT(text(), Contains("the scenario file \"/tmp/"));
        CHECK(options.hwprof_counters.empty());
        CHECK(options.hwprof_observables.empty());
    }
    with_scenario(R"({"conters": [], "counters": []})");
    CHECK_THAT(text(), Contains("Did you mean \"counters\"?"));
    read(R"({"hwprof": {"active": false, "default_scenario": "/nowhere/s.json"}})");
    CHECK(text() == "");
}

TEST_CASE_METHOD(ConfigFixture, "config messages: symbols that formulas cannot use") {
    read(R"({"hwprof": {"counters": [{"hwc_name": "A", "symbol": "a b"}]}})");
    CHECK_THAT(text(), StartsWith("hwprof: Symbol \"a b\" cannot be used in a formula"));
    read(R"({"hwprof": {"counters": [{"hwc_name": "A", "symbol": "sin"}]}})");
    CHECK_THAT(text(), StartsWith("hwprof: Symbol \"sin\" is the name of a function"));
}

TEST_CASE_METHOD(ConfigFixture, "config messages: unknown keys") {
    read(R"({"offf": false})");
    CHECK(text() == "Warning: \"offf\" is not a valid vftrace option.\n"
                    "         Did you mean \"off\"?\n");
    CHECK(findings().count(Severity::unknown_key) == 1);

    read(R"({"mpi": {"sort_table": {"colum": "none"}, "show_tables": true},
             "openacc": {"activ": true}, "": 1})");
    CHECK(text() == "Warning: \"\" is not a valid vftrace option.\n"
                    "Warning: \"show_tables\" is not a valid vftrace option.\n"
                    "         Did you mean \"show_table\"?\n"
                    "         This is in \"mpi\".\n"
                    "Warning: \"colum\" is not a valid vftrace option.\n"
                    "         Did you mean \"column\"?\n"
                    "         This is in \"mpi.sort_table\".\n"
                    "Warning: \"activ\" is not a valid vftrace option.\n"
                    "         Did you mean \"active\"?\n"
                    "         This is in \"openacc\".\n");

    // A key of another section, and one that is unlike any known key.
    read(R"({"outbuffer_size": 4, "zzzzzzzzzzzzzzzzz": 1})");
    CHECK(text() == "Warning: \"outbuffer_size\" is not a valid vftrace option.\n"
                    "         Did you mean \"sampling.outbuffer_size\"?\n"
                    "Warning: \"zzzzzzzzzzzzzzzzz\" is not a valid vftrace option.\n");

    Options options = read(R"({"hwprof": {"counters": [
                               {"hwc_name": "A", "symbol": "a", "unti": "b"}],
                               "observables": [{"name": "n", "formula": "a", "unti": "b"}]}})");
    CHECK(text() == "Warning: \"unti\" is not a valid vftrace option.\n"
                    "         This is in \"hwprof.counters\".\n"
                    "Warning: \"unti\" is not a valid vftrace option.\n"
                    "         Did you mean \"unit\"?\n"
                    "         This is in \"hwprof.observables\".\n");
    CHECK(options.hwprof_counters.size() == 1);
}

TEST_CASE_METHOD(ConfigFixture, "config messages: another case is honoured and warned about") {
    Options options = read(R"({"OFF": true, "Sampling": {"Active": true}})");
    CHECK(options.off);
    CHECK(options.sampling_active);
    CHECK(text() == "Warning: \"OFF\" is not a valid vftrace option.\n"
                    "         Did you mean \"off\"?\n"
                    "Warning: \"Sampling\" is not a valid vftrace option.\n"
                    "         Did you mean \"sampling\"?\n"
                    "Warning: \"Active\" is not a valid vftrace option.\n"
                    "         Did you mean \"active\"?\n"
                    "         This is in \"sampling\".\n");
    CHECK_FALSE(read(R"({"off": false, "OFF": true})").off);
}

TEST_CASE_METHOD(ConfigFixture, "config messages: of two equal keys the last one is used") {
    Options options = read(R"({"mpi": {"show_callpath": true}, "off": true, "off": false,
                               "off": true, "mpi": {"show_sync_time": true}})");
    CHECK(options.off);
    CHECK_FALSE(options.mpi_show_callpath);
    CHECK(options.mpi_show_sync_time);
    CHECK(text() == "Warning: \"mpi\" is given more than once: the last value is used.\n"
                    "Warning: \"off\" is given more than once: the last value is used.\n");
}

TEST_CASE("config messages: the nearest word") {
    const std::string_view words[] = {"off", "mpi", "show_table", "sample_interval"};
    CHECK(closest("offf", words) == "off");
    CHECK(closest("OFF", words) == "off");
    CHECK(closest("mip", words) == "mpi");
    CHECK(closest("showtable", words) == "show_table");
    CHECK(closest("sample_intervall", words) == "sample_interval");
    CHECK(closest("", words) == "");
    CHECK(closest("completely_different", words) == "");
    CHECK(closest(std::string(1 << 20, 'o'), words) == "");
    CHECK(closest("off", {}) == "");
}

TEST_CASE("config messages: the nearest option") {
    CHECK(closest_option("mpi.show_tabel") == "mpi.show_table");
    CHECK(closest_option("outbuffer_size") == "sampling.outbuffer_size");
    CHECK(closest_option("outbufer_size") == "sampling.outbuffer_size");
    CHECK(closest_option("mpi.outbuffer_size") == "sampling.outbuffer_size");
    CHECK(closest_option("profil_table.show_calpath") == "profile_table.show_callpath");
    CHECK(closest_option("zzzzzzzzzzzzzzzzz") == "");
    CHECK(closest_option("") == "");
}
