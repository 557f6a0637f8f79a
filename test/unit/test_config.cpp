// Where options come from: defaults, file, environment, and which of them wins.
#include <catch2/catch.hpp>
#include <clocale>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/message.hpp"
#include "config/config.hpp"
#include "config_fixture.hpp"

using namespace vftrace;
using Catch::Contains;
using vftrace_test::ConfigFixture;

TEST_CASE_METHOD(ConfigFixture, "config: defaults without a file") {
    Configuration configuration = read_environment();
    CHECK(configuration.source.empty());
    CHECK(text().empty());
    const Options& options = configuration.options;
    CHECK_FALSE(options.off);
    CHECK(options.demangle_cxx == CxxNames::full);
    CHECK(options.json);
    CHECK(options.source_lines);
    CHECK(options.max_recursion == 8);
    CHECK(options.profile_table_max_name_width == 60);
    CHECK(options.profile_table_sort_table_column == "time_excl");
    CHECK(options.mpi_sort_table_column == "none");
    CHECK(options.sampling_sample_interval == 0.005);
    CHECK_FALSE(options.sampling_precise_functions.has_value());
    CHECK(options.openacc_active);
}

TEST_CASE_METHOD(ConfigFixture, "config: a file of every type") {
    Options options = read(R"({
        "off": true, "output_directory": "/tmp", "outfile_basename": "run",
        "logfile_for_ranks": "0,2-3", "profile_table": {"separate": true,
        "sort_table": {"column": "stack_id", "ascending": true}},
        "stacklist": {"show_stacklist": false},
        "name_grouped_profile_table": {"sort_table": {"column": "none"}},
        "sampling": {"sample_interval": 1e-3, "outbuffer_size": 16.0,
                     "precise_functions": "^(solve|MPI_.*)$"},
        "openacc": {"active": false, "sort_table": {"column": "memcpy"}},
        "hwprof": {"sort_by_column": 1,
                   "counters": [{"hwc_name": "CYC", "symbol": "c"}],
                   "observables": [{"name": "a", "formula": "c/T", "unit": "1/s"},
                                   {"name": "b", "formula": "c"}]}})");
    CHECK(text() == "");
    CHECK(options.off);
    CHECK(options.output_directory == "/tmp");
    CHECK(options.outfile_basename == std::string("run"));
    CHECK(options.logfile_for_ranks == "0,2-3");
    CHECK(options.profile_table_separate);
    CHECK(options.profile_table_sort_table_column == "stack_id");
    CHECK(options.profile_table_sort_table_ascending);
    CHECK_FALSE(options.stacklist_show_stacklist);  // Vftrace 2.0 never read it
    CHECK(options.name_grouped_profile_table_sort_table_column == "none");
    CHECK(options.sampling_sample_interval == 0.001);
    CHECK(options.sampling_outbuffer_size == 16);
    CHECK(options.sampling_precise_functions == std::string("^(solve|MPI_.*)$"));
    CHECK_FALSE(options.openacc_active);
    CHECK(options.openacc_sort_table_column == "memcpy");
    CHECK(options.hwprof_sort_by_column == 1);
    REQUIRE(options.hwprof_counters.size() == 1);
    CHECK(options.hwprof_counters[0].hwc_name == "CYC");
    CHECK(options.hwprof_counters[0].symbol == "c");
    REQUIRE(options.hwprof_observables.size() == 2);
    CHECK(options.hwprof_observables[0].unit == "1/s");
    CHECK(options.hwprof_observables[1].unit == "");
}

TEST_CASE_METHOD(ConfigFixture, "config: VFTR_OFF in all spellings") {
    for (const char* yes : {"1", "yes", "YES", "on", "On", "true", "TRUE", "t", "y", " 1 "}) {
        CAPTURE(yes);
        set("VFTR_OFF", yes);
        set("VFTR_CONFIG", "/does/not/exist");  // not read then
        set("VFTR_NONSENSE", "1");
        CHECK(read_environment().options.off);
        CHECK(text() == "");
    }
    unsetenv("VFTR_CONFIG");
    unsetenv("VFTR_NONSENSE");
    for (const char* no : {"0", "no", "OFF", "false", "f", "n", ""}) {
        CAPTURE(no);
        set("VFTR_OFF", no);
        CHECK_FALSE(read_environment().options.off);
        CHECK(text() == "");
    }
    set("VFTR_OFF", "maybe");
    CHECK_FALSE(read_environment().options.off);
    CHECK(text() == "off expects a boolean.\n"
                    "This is in the environment variable VFTR_OFF.\n");
}

TEST_CASE_METHOD(ConfigFixture, "config: the environment wins over the file") {
    set("VFTR_CONFIG", file(R"({"off": true, "sampling": {"active": true, "sample_interval": 1},
                               "outfile_basename": "a", "logfile_for_ranks": "all"})"));
    set("VFTR_OFF", "0");
    set("VFTR_SAMPLING_ACTIVE", "no");
    set("VFTR_SAMPLING_SAMPLE_INTERVAL", "0.25");
    set("VFTR_SAMPLING_OUTBUFFER_SIZE", " 32 ");
    set("VFTR_OUTFILE_BASENAME", "");   // null
    set("VFTR_LOGFILE_FOR_RANKS", "");  // unset
    set("VFTR_PROFILE_TABLE_SORT_TABLE_COLUMN", "calls");
    set("VFTR_SAMPLING_PRECISE_FUNCTIONS", "^x");
    set("VFTR_MAX_RECURSION", "");
    set("VFTR_HWPROF_COUNTERS", R"([{"hwc_name": "A", "symbol": "a"}])");
    Configuration configuration = read_environment();
    CHECK(text() == "");
    CHECK(configuration.source == getenv("VFTR_CONFIG"));
    const Options& options = configuration.options;
    CHECK_FALSE(options.off);
    CHECK_FALSE(options.sampling_active);
    CHECK(options.sampling_sample_interval == 0.25);
    CHECK(options.sampling_outbuffer_size == 32);
    CHECK_FALSE(options.outfile_basename.has_value());
    CHECK(options.logfile_for_ranks == "all");
    CHECK(options.profile_table_sort_table_column == "calls");
    CHECK(options.sampling_precise_functions == std::string("^x"));
    CHECK(options.max_recursion == 8);
    REQUIRE(options.hwprof_counters.size() == 1);
    CHECK(options.hwprof_counters[0].symbol == "a");
}

TEST_CASE_METHOD(ConfigFixture, "config: a wrong variable leaves the value of the file") {
    set("VFTR_CONFIG", file(R"({"sampling": {"outbuffer_size": 3}})"));
    set("VFTR_SAMPLING_OUTBUFFER_SIZE", "0");
    CHECK(read_environment().options.sampling_outbuffer_size == 3);
    CHECK(text() == "0 is not a valid value for sampling.outbuffer_size\n"
                    "This is in the environment variable "
                    "VFTR_SAMPLING_OUTBUFFER_SIZE.\n");
}

TEST_CASE_METHOD(ConfigFixture, "config: wrong variables of every type") {
    auto [variable, value, expected] = GENERATE(table<const char*, const char*, const char*>({
        {"VFTR_SAMPLING_ACTIVE", "2", "sampling.active expects a boolean."},
        {"VFTR_MAX_RECURSION", "8x", "max_recursion expects an integer."},
        {"VFTR_MAX_RECURSION", " ", "max_recursion expects an integer."},
        {"VFTR_MAX_RECURSION", "1.5", "max_recursion expects an integer."},
        {"VFTR_MAX_RECURSION", "99999999999", "99999999999 is not a valid value for max_recursion"},
        {"VFTR_SAMPLING_SAMPLE_INTERVAL", "0,5", "sampling.sample_interval expects an float."},
        {"VFTR_SAMPLING_SAMPLE_INTERVAL", " ", "sampling.sample_interval expects an float."},
        {"VFTR_SAMPLING_SAMPLE_INTERVAL", "nan",
         "nan is not a valid value for sampling.sample_interval"},
        {"VFTR_SAMPLING_SAMPLE_INTERVAL", "inf",
         "inf is not a valid value for sampling.sample_interval"},
        {"VFTR_MPI_SORT_TABLE_COLUMN", "calls",
         "\"calls\" is not a valid option for mpi.sort_table.column"},
        {"VFTR_LOGFILE_FOR_RANKS", "1,,2", "Unable to properly parse given list \"1,,2\""},
        {"VFTR_SAMPLING_PRECISE_FUNCTIONS", "(",
         "Invalid Regular Expression \"(\" for sampling.precise_functions"},
        {"VFTR_HWPROF_COUNTERS", "[", "hwprof.counters expects an array of objects."},
        {"VFTR_HWPROF_COUNTERS", "{}", "hwprof.counters expects an array of objects."},
        {"VFTR_HWPROF_OBSERVABLES", "3", "hwprof.observables expects an array of objects."},
    }));
    set(variable, value);
    CHECK(print_configuration(read_environment().options) == print_configuration(Options{}));
    CHECK_THAT(text(), Catch::StartsWith(expected));
    CHECK_THAT(text(), Contains("environment variable " + std::string(variable)));
    CHECK(findings().count() == 1);
}

TEST_CASE_METHOD(ConfigFixture, "config: unknown and former variables") {
    set("VFTR_SAMPLING_ACTIV", "1");
    read_environment();
    CHECK(text() == "Warning: \"VFTR_SAMPLING_ACTIV\" is not a valid vftrace option.\n"
                    "         Did you mean \"VFTR_SAMPLING_ACTIVE\"?\n");
    CHECK(findings().count(Severity::unknown_key) == 1);

    unsetenv("VFTR_SAMPLING_ACTIV");
    set("VFTR_SAMPLING", "1");
    set("VFTR_STOPTIME", "60");
    read_environment();
    CHECK_THAT(text(), Contains("VFTR_SAMPLING belongs to an earlier version of Vftrace and has no "
                                "effect; use VFTR_SAMPLING_ACTIVE\n"));
    CHECK_THAT(text(), Contains("VFTR_STOPTIME belongs to an earlier version of Vftrace and has no "
                                "effect\n"));
    CHECK(findings().count(Severity::warning) == 2);
    CHECK(findings().count() == 2);

    unsetenv("VFTR_SAMPLING");
    unsetenv("VFTR_STOPTIME");
    set("VFTR_", "1");
    set("VFTR_QQQQQQQQQ", "1");
    read_environment();
    CHECK_THAT(text(), Contains("Warning: \"VFTR_\" is not a valid vftrace option.\n"));
    CHECK_THAT(text(), !Contains("Did you mean"));
}

TEST_CASE_METHOD(ConfigFixture, "config: files that cannot be read") {
    auto problem_of = [&](const std::string& path) {
        set("VFTR_CONFIG", path);
        Configuration configuration = read_environment();
        CHECK(configuration.source.empty());
        CHECK(print_configuration(configuration.options) == print_configuration(Options{}));
        CHECK_THAT(text(), Contains("the configuration file \"" + path + "\""));
        CHECK(findings().count(Severity::unreadable) + findings().count(Severity::malformed) == 1);
        CHECK(findings().count(Severity::error) == 0);
        return text();
    };
    CHECK_THAT(problem_of("/does/not/exist"), Contains("No such file or directory"));
    CHECK_THAT(problem_of("/tmp"), Contains("it is a directory"));
    CHECK_THAT(problem_of("/dev/zero"), Contains("it is not a regular file"));
    CHECK_THAT(problem_of(file("")), Contains("it is empty"));
    CHECK_THAT(problem_of(file(" \n\t\n")), Contains("it is empty"));
    CHECK_THAT(problem_of(file(std::string(2 << 20, ' '))), Contains("it is larger than 1 MiB"));
    if (geteuid() != 0) {
        std::string unreadable = file("{}");
        chmod(unreadable.c_str(), 0);
        CHECK_THAT(problem_of(unreadable), Contains("Permission denied"));
    }
    std::string pipe = file("");
    std::remove(pipe.c_str());
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THAT(problem_of(pipe), Contains("it is not a regular file"));

    set("VFTR_CONFIG", "");
    read_environment();
    CHECK(text() == "");
}

TEST_CASE_METHOD(ConfigFixture, "config: numbers do not follow the locale") {
    const char* german = setlocale(LC_ALL, "de_DE.UTF-8");
    if (!german)
        german = setlocale(LC_ALL, "de_DE.utf8");
    if (!german)
        WARN("no locale with a decimal comma here, only the C locale is tested");
    CHECK(read(R"({"sampling": {"sample_interval": 0.25}})").sampling_sample_interval == 0.25);
    CHECK(text() == "");
    set("VFTR_SAMPLING_SAMPLE_INTERVAL", "0.5");
    CHECK(read_environment().options.sampling_sample_interval == 0.5);
    CHECK_THAT(print_configuration(Options{}), Contains("0.005000"));
    setlocale(LC_ALL, "C");
}

TEST_CASE_METHOD(ConfigFixture, "config: problems are reported on stderr, once each") {
    set("VFTR_CONFIG", file(R"({"offf": 1, "offf": 1, "sampling": {"active": 3}})"));
    std::string log = file("");
    int descriptor = open(log.c_str(), O_WRONLY | O_TRUNC);
    int saved = dup(STDERR_FILENO);
    dup2(descriptor, STDERR_FILENO);
    remember_stderr();
    load_configuration();
    dup2(saved, STDERR_FILENO);
    remember_stderr();
    close(saved);
    close(descriptor);
    std::ifstream stream(log);
    std::string reported((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
    CHECK(reported ==
          "vftrace: Warning: \"offf\" is not a valid vftrace option.\n"
          "                  Did you mean \"off\"?\n"
          "vftrace: Warning: \"offf\" is given more than once: the last value is used.\n"
          "vftrace: sampling.active expects a boolean.\n"
          "vftrace: invalid values in the configuration are ignored; the run continues\n");
}

TEST_CASE_METHOD(ConfigFixture, "config: a file full of rubbish is not reported in full") {
    std::string content = "{";
    for (int i = 0; i < 20000; i++)
        content += "\"qqqqqqqqqqq" + std::to_string(i) + "\": 1,";
    read(content + "\"off\": true}");
    CHECK(findings().count(Severity::unknown_key) == 20000);
    CHECK(findings().list().size() == 1000);
}
