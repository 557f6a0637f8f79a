// Files that are not JSON: the position of the error, whatever the file contains.
#include <catch2/catch.hpp>

#include "config/config.hpp"
#include "config/json_file.hpp"
#include "config_fixture.hpp"

using namespace vftrace;
using Catch::Contains;
using Catch::StartsWith;
using vftrace_test::ConfigFixture;

namespace {

std::string error_of(const std::string& text) {
    std::size_t position = 0;
    JsonTree tree = parse_json(text, &position);
    return tree ? "no error" : parse_error_text(text, position);
}

std::string text_of(const ConfigurationCheck& check) {
    std::string text;
    for (const Finding& finding : check.findings)
        text += finding.text + '\n';
    return text;
}

std::string text_of_vftrace_2(const ConfigurationCheck& check) {
    std::string text;
    for (const Finding& finding : check.findings)
        text += finding.text_of_vftrace_2 + '\n';
    return text;
}

}  // namespace

TEST_CASE("config syntax: two lines of context before, two lines after") {
    CHECK(error_of("{\n"
                   "   \"off\": false,\n"
                   "   \"print_config\": true,\n"
                   "   \"json\": true,\n"
                   "   \"demangle_cxx\" false,\n"
                   "   \"a\": 1,\n"
                   "   \"b\": 2,\n"
                   "   \"c\": 3,\n"
                   "   \"d\": 4\n"
                   "}\n") == "Could not parse vftrace config file.\n"
                             "Parsing failed in line 5\n"
                             "...\n"
                             "   \"print_config\": true,\n"
                             "   \"json\": true,\n"
                             "   \"demangle_cxx\"                 <= Parsing error occurred here\n"
                             "false,\n"
                             "   \"a\": 1,\n"
                             "   \"b\": 2,\n"
                             "...");
}

TEST_CASE("config syntax: short files are shown whole") {
    CHECK(error_of("{\r\n \"off\": tru\r\n}\r\n") ==
          "Could not parse vftrace config file.\n"
          "Parsing failed in line 2\n"
          "{\n"
          " \"off\":                 <= Parsing error occurred here\n"
          "tru\n"
          "}");
    CHECK(error_of("{") == "Could not parse vftrace config file.\n"
                           "Parsing failed in line 1\n"
                           "                <= Parsing error occurred here\n"
                           "{");
    CHECK(error_of("{\"off\": true\n") == "Could not parse vftrace config file.\n"
                                          "Parsing failed in line 1\n"
                                          "{\"off\": true                <= Parsing error occurred "
                                          "here");
}

TEST_CASE("config syntax: what follows a missing comma is shown without its indentation") {
    CHECK(error_of("{\n"
                   "   \"off\": false,\n"
                   "   \"print_config\": true\n"
                   "   \"json\": true\n"
                   "}\n") == "Could not parse vftrace config file.\n"
                             "Parsing failed in line 4\n"
                             "...\n"
                             "   \"off\": false,\n"
                             "   \"print_config\": true\n"
                             "                   <= Parsing error occurred here\n"
                             "\"json\": true\n"
                             "}");
}

TEST_CASE("config syntax: what is and is not JSON") {
    for (const char* good : {"{}", " {} \n", "\xef\xbb\xbf{}", "[]", "3", "null"}) {
        CAPTURE(good);
        CHECK(error_of(good) == "no error");
    }
    for (const char* bad : {"{} x", "{}{}", "{\"a\": 1,}", "{'a': 1}", "{a: 1}", "nonsense", "}",
                            "{\"a\": \"unfinished", "// comment\n{}", "{\"a\": \"\\u12\"}", "\\"}) {
        CAPTURE(bad);
        CHECK_THAT(error_of(bad), StartsWith("Could not parse vftrace config file.\n"
                                             "Parsing failed in line 1\n"));
        CHECK_THAT(error_of(bad), Contains("                <= Parsing error occurred here"));
    }
}

TEST_CASE("config syntax: a NUL is not the end of the file") {
    CHECK_THAT(error_of(std::string("{}\n\0\n{\"off\": true}", 19)),
               Contains("Parsing failed in line 2\n"));
    CHECK(error_of(std::string("{\"a\0b\" 1}", 9)) != "no error");
}

TEST_CASE("config syntax: long lines are cut, control characters are not printed") {
    std::string error = error_of(std::string(10000, ' ') + "x" + std::string(10000, 'y') + "\n" +
                                 std::string(10000, 'z'));
    CHECK(error.size() < 1000);
    CHECK_THAT(error, Contains("...  "));
    CHECK_THAT(error, Contains("zzz..."));
    CHECK_THAT(error_of("\x1b[31m{"), Contains("?[31  "));
}

TEST_CASE("config syntax: deep nesting") {
    std::string error = error_of(std::string(100000, '['));
    CHECK_THAT(error, Contains("It is nested deeper than 1000 levels\n"));
    CHECK_THAT(error_of(R"({"[[[": 1,})"), !Contains("nested"));
    std::string deep = "{\"mpi\": " + std::string(900, '[') + std::string(900, ']') + "}";
    CHECK(error_of(deep) == "no error");
}

TEST_CASE_METHOD(ConfigFixture, "config syntax: a broken file changes nothing") {
    set("VFTR_SAMPLING_ACTIVE", "1");
    Options options = read("{\"off\": true,,}");
    CHECK_FALSE(options.off);
    CHECK(options.sampling_active);  // the environment is read all the same
    CHECK(findings().count(Severity::malformed) == 1);
}

TEST_CASE_METHOD(ConfigFixture, "config check: counts and report") {
    ConfigurationCheck check = check_configuration_file(
        file(R"({"offf": 1, "mpi": 3, "off": true, "off": true, "sampling": {"active": 0}})"));
    CHECK(check.errors == 2);
    CHECK(check.unknown_keys == 1);
    CHECK(check.warnings == 1);
    CHECK(text_of(check) == "Warning: \"offf\" is not a valid vftrace option.\n"
                            "         Did you mean \"off\"?\n"
                            "Warning: \"off\" is given more than once: the last value is used.\n"
                            "mpi expects an object.\n"
                            "sampling.active expects a boolean.\n");

    set("VFTR_SAMPLING_ACTIVE", "nonsense");  // a check concerns only the file
    check = check_configuration_file(file("{\"off\": false}"));
    CHECK(check.errors + check.unknown_keys + check.warnings == 0);
    CHECK(text_of(check) == "");

    check = check_configuration_file("/does/not/exist");
    CHECK(check.errors == 1);
    CHECK(text_of(check) == "cannot read the configuration file \"/does/not/exist\": No "
                            "such file or directory\n");
}

TEST_CASE_METHOD(ConfigFixture, "config check: the words of Vftrace 2.0") {
    const ConfigurationCheck check =
        check_configuration_file(file(R"({"mpi": {"show_tables": true}, "demangle_cxx": 1,
                 "hwprof": {"counters": [{"hwc_name": "", "symbol": "a"}]}})"));
    CHECK(text_of(check) == "Warning: \"show_tables\" is not a valid vftrace option.\n"
                            "         Did you mean \"show_table\"?\n"
                            "         This is in \"mpi\".\n"
                            "demangle_cxx expects a boolean or \"full\".\n"
                            "hwprof.counters.hwc_name expects a string that is not empty.\n");
    CHECK(text_of_vftrace_2(check) == "Warning: \"show_tables\" is not a valid vftrace option.\n"
                                      "         Did you mean \"show_table\"?\n"
                                      "demangle_cxx expects a boolean.\n"
                                      "hwprof.counters.hwc_name expects a string.\n");
}

TEST_CASE_METHOD(ConfigFixture, "config: a file that cannot be read is said in one line") {
    set("VFTR_CONFIG", "/does/not/exist");
    Findings missing;
    read_configuration(missing);
    REQUIRE(missing.count() == 1);
    CHECK(missing.list()[0].text ==
          "cannot read the configuration file \"/does/not/exist\": No such file or directory");
    CHECK(missing.count(Severity::error) == 0);  // no value of it is invalid
}
