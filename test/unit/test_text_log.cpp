// The text logs: wording, order of rows, and percentages in awkward cases.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

#include "config/config.hpp"
#include "log_text.hpp"
#include "notice_texts.hpp"
#include "report/text_log.hpp"
#include "sample_profile.hpp"
#include "written_text.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

std::size_t lines_with(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; count++)
        at = std::min(text.find('\n', at), text.size());
    return count;
}

// The column STID of the runtime profile, from top to bottom.
std::vector<int> stids_of(const std::string& log) {
    std::vector<int> stids;
    std::size_t line = log.find("Runtime profile\n");
    for (line = log.find("\n| ", line) + 1; log[line] == '|' || log[line] == '+';
         line = log.find('\n', line) + 1) {
        const std::size_t end = log.find('\n', line);
        const std::size_t bar = log.rfind('|', end - 2);
        if (log[line] == '|' && !contains(log.substr(line, end - line), "STID"))
            stids.push_back(std::atoi(log.c_str() + bar + 1));
    }
    return stids;
}

std::string file_text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a serial log has the layout that scripts know") {
    setenv("TZ", "UTC", 1);
    std::string log = log_of(sample_profile());
    const std::string version_line = "vftrace ";
    REQUIRE(log.substr(0, version_line.size()) == version_line);
    log.erase(0, log.find('\n') + 1);
    CHECK(log == "Runtime profile for application: heat\n"
                 "Start Date: Sat Nov 21 01:32:50 2026\n"
                 "End Date:   Sat Nov 21 01:32:50 2026\n"
                 "\n"
                 "This is free software with ABSOLUTELY NO WARRANTY.\n"
                 "For details see the file \"LICENSE\" that comes with the source code.\n"
                 "\n"
                 "Total runtime:            0.22 s\n"
                 "Application time:         0.22 s\n"
                 "Overhead:                 0.00 s\n"
                 "   Function hooks:        0.00 s\n"
                 "Vftrace used memory:     71.51 KiB\n"
                 "\n"
                 "Runtime profile\n"
                 "+-------+-----------+-----------+-----------+-----------+-----------+------+\n"
                 "| Calls | t_excl[s] | t_excl[%] | t_incl[s] | Function  |  Caller   | STID |\n"
                 "+-------+-----------+-----------+-----------+-----------+-----------+------+\n"
                 "|     3 |     0.089 |      41.8 |     0.089 |      spin |       mid |   11 |\n"
                 "|     3 |     0.072 |      33.8 |     0.072 |      spin |      leaf |    6 |\n"
                 "|     3 |     0.042 |      19.7 |     0.042 |      spin |      leaf |    5 |\n"
                 "|     1 |     0.010 |       4.7 |     0.010 |      spin |      leaf |    1 |\n"
                 "|     3 |     0.000 |       0.0 |     0.131 |       mid |      main |    0 |\n"
                 "|     3 |     0.000 |       0.0 |     0.042 |      leaf |       mid |    2 |\n"
                 "|     1 |     0.000 |       0.0 |     0.213 |      main |      init |    4 |\n"
                 "|     1 |     0.000 |       0.0 |     0.010 | my region |      main |    7 |\n"
                 "|     1 |     0.000 |       0.0 |     0.010 |      leaf | my region |    8 |\n"
                 "|     3 |     0.000 |       0.0 |     0.072 |      leaf |      main |    9 |\n"
                 "|     0 |     0.000 |       0.0 |     0.000 |      init |      ---- |   10 |\n"
                 "+-------+-----------+-----------+-----------+-----------+-----------+------+\n"
                 "\n"
                 "Global call stacks:\n"
                 "------------------------------------------\n"
                 "    STID   Call stack                     \n"
                 "------------------------------------------\n"
                 "   STID0   mid<main<init                  \n"
                 "   STID1   spin<leaf<my region<main<init  \n"
                 "   STID2   leaf<mid<main<init             \n"
                 "   STID4   main<init                      \n"
                 "   STID5   spin<leaf<mid<main<init        \n"
                 "   STID6   spin<leaf<main<init            \n"
                 "   STID7   my region<main<init            \n"
                 "   STID8   leaf<my region<main<init       \n"
                 "   STID9   leaf<main<init                 \n"
                 "  STID10   init                           \n"
                 "  STID11   spin<mid<main<init             \n"
                 "------------------------------------------\n"
                 "\n"
                 "\n"
                 "Vftrace configuration set by the environment:\n" +
                     print_configuration_of_log(Options{}));
}

TEST_CASE("options take parts of the log away or add them") {
    Profile profile = sample_profile();
    ReportOptions options;
    SECTION("nothing but the summary") {
        options.show_table = options.show_stacklist = options.print_config = false;
        const std::string log = log_of(profile, options);
        CHECK(!contains(log, "Runtime profile\n"));
        CHECK(!contains(log, "Global call stacks"));
        CHECK(!contains(log, "configuration"));
        CHECK(contains(log, "Vftrace used memory:     71.51 KiB\n"));
    }
    SECTION("source of the configuration") {
        profile.run.config_source = "/home/user/vftrace.json";
        CHECK(contains(log_of(profile),
                       "\nVftrace configuration read from \"/home/user/vftrace.json\"\n{\n"));
    }
    SECTION("overhead and call path are columns") {
        options.show_overhead = options.show_callpath = true;
        profile.paths[3].overhead_ns = 1'500'000;
        const std::string log = log_of(profile, options);
        CHECK(contains(log, "| t_incl[s] | overhead[s] | Function  |  Caller   | STID |  "
                            "         Callpath            |\n"));
        CHECK(contains(log, "|     0.089 |       0.002 |      spin |       mid |   11 |  "
                            "          spin<mid<main<init |\n"));
    }
    SECTION("a limit says what it left out") {
        options.max_rows = 2;
        const std::string log = log_of(profile, options);
        CHECK(stids_of(log) == std::vector{11, 6});
        CHECK(contains(log, "\n(9 more rows)\n"));
    }
    SECTION("parallel runs and warnings") {
        profile.run.uses_mpi = true;
        profile.run.ranks = 12;
        profile.run.threads = 4;
        profile.run.notices = {other_notice("Something happened."), other_notice("two\nlines")};
        const std::string log = log_of(profile);
        CHECK(contains(log, "\nNr. of MPI ranks:           12\n"
                            "Nr. of threads:              4\n"
                            "Total runtime:            0.22 s\n"));
        CHECK(
            contains(log, "KiB\n\nWarning: Something happened.\nWarning: two\\nlines\n\nRuntime"));
    }
}

TEST_CASE("rows are sorted as asked, equal ones by STID") {
    const Profile profile = sample_profile();
    auto order = [&](const char* column, bool ascending) {
        ReportOptions options;
        options.sort = {column_named<SortColumn>(column).value(), ascending};
        return stids_of(log_of(profile, options));
    };
    CHECK(order("time_excl", false) == std::vector{11, 6, 5, 1, 0, 2, 4, 7, 8, 9, 10});
    CHECK(order("time_excl", true) == std::vector{0, 2, 4, 7, 8, 9, 10, 1, 5, 6, 11});
    CHECK(order("time_incl", false) == std::vector{4, 0, 11, 6, 9, 2, 5, 1, 7, 8, 10});
    CHECK(order("calls", false) == std::vector{0, 2, 5, 6, 9, 11, 1, 4, 7, 8, 10});
    CHECK(order("overhead", false) == std::vector{0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(order("stack_id", true) == std::vector{0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(order("none", false) == std::vector{11, 10, 9, 8, 7, 6, 5, 4, 2, 1, 0});
    CHECK(!column_named<SortColumn>("time"));
}

TEST_CASE("paused time is shown but is not part of the 100 per cent") {
    Profile profile = sample_profile();
    add_pause(profile, 50'000'000);
    ReportOptions options;
    const std::string log = log_of(profile, options);
    CHECK(contains(log, "Total runtime:            0.22 s\n"
                        "Paused time:              0.05 s\n"
                        "Application time:         0.17 s\n"));
    CHECK(
        contains(log, "|     1 |     0.050 |       0.0 |     0.050 | vftrace_pause |      main |"));
    CHECK(contains(log, "|     3 |     0.089 |      41.8 |"));
    // Scripts count these lines: there is one in the table and one in the list of stacks.
    CHECK(lines_with(log, " vftrace_pause") == 2);
    options.show_name_groups = true;
    CHECK(contains(log_of(profile, options),
                   "|     1 |     0.050 |       0.0 |     0.050 | vftrace_pause | 12"));
    CHECK(!contains(log_of(sample_profile()), "Paused"));
}

TEST_CASE("a run in which nothing was measured has percentages of 0.0") {
    Profile profile = sample_profile();
    for (Path& path : profile.paths)
        path.exclusive_ns = path.inclusive_ns = 0;
    CHECK(!contains(log_of(profile), "nan"));
    CHECK(lines_with(log_of(profile), "|       0.0 |") == profile.paths.size());
    profile.paths[3].exclusive_ns = -5'000'000;
    CHECK(contains(log_of(profile), "|    -0.005 |       0.0 |"));
    profile.paths.clear();
    profile.functions.clear();
    CHECK(contains(log_of(profile), "Global call stacks:\n"));
    profile.run = {};
    profile.run.overhead = {{OverheadKind::function_hooks, 5'000'000'000}};
    CHECK(contains(log_of(profile), "Application time:         0.00 s\n"));
}

TEST_CASE("functions are grouped by displayed name") {
    Profile profile = sample_profile();
    ReportOptions options;
    options.show_name_groups = true;
    options.max_stack_ids = 3;
    options.name_group_sort = {SortColumn::calls, false};
    const std::string expected =
        "Runtime profile (Grouped by function name)\n"
        "+-------+-----------+-----------+-----------+-----------+-----------+\n"
        "| Calls | t_excl[s] | t_excl[%] | t_incl[s] | Function  |   STIDs   |\n"
        "+-------+-----------+-----------+-----------+-----------+-----------+\n"
        "|    10 |     0.213 |     100.0 |     0.213 |      spin | 1,5,6,... |\n"
        "|     7 |     0.000 |       0.0 |     0.124 |      leaf | 2,8,9     |\n"
        "|     3 |     0.000 |       0.0 |     0.131 |       mid | 0         |\n"
        "|     1 |     0.000 |       0.0 |     0.213 |      main | 4         |\n"
        "|     1 |     0.000 |       0.0 |     0.010 | my region | 7         |\n"
        "|     0 |     0.000 |       0.0 |     0.000 |      init | 10        |\n"
        "+-------+-----------+-----------+-----------+-----------+-----------+\n"
        "\n";
    std::string log = log_of(profile, options);
    log.erase(0, std::min(log.find("Runtime profile (Grouped"), log.size()));
    log.erase(std::min(log.find("Global"), log.size()));
    CHECK(log == expected);
    CHECK(!contains(log_of(profile, options, LogScope::rank), "Grouped"));
    SECTION("no name is shown although the limit is 0") {
        options.max_stack_ids = 0;
        CHECK(contains(log_of(profile, options), "|      spin | ,... "));
    }
    SECTION("two functions of one name") {
        profile.functions[2].display = "spin";
        CHECK(contains(log_of(profile, options), "|      spin | 0,1,5,... |"));
    }
}

TEST_CASE("long and hostile names do not break the tables") {
    Profile profile = sample_profile();
    ReportOptions options;
    options.max_name_width = 20;
    profile.functions[3].display = "a_very_long_name_of_a_function_indeed";
    profile.functions[4].display = "my\nregion|";
    const std::string log = log_of(profile, without_findings(options));
    CHECK(!contains(log, "a_very_long_name_of_a_function_indeed"));
    CHECK(contains(log, "| my\\nregion| |"));
    std::size_t begin = log.find("Runtime profile\n") + 16;
    std::size_t width = log.find('\n', begin) - begin;
    for (; log[begin] != '\n'; begin = log.find('\n', begin) + 1)
        CHECK(log.find('\n', begin) - begin == width);
}

TEST_CASE("the middle of a very deep call path is left out") {
    Profile profile = sample_profile();
    for (int i = 0; i < 5000; i++) {
        Path path = profile.paths.back();
        path.parent = static_cast<std::uint32_t>(profile.paths.size() - 1);
        path.stid = static_cast<std::uint32_t>(profile.paths.size() + 1);
        profile.paths.push_back(path);
    }
    const std::string log = log_of(profile);
    CHECK(contains(log, "<spin<...<spin<"));
    CHECK(contains(log, "<spin<leaf<main<init\n"));
    CHECK(!contains(log, "...<..."));
    CHECK(log.size() < 6'000'000);
}

TEST_CASE("numbers have a decimal point in every locale") {
    const char* found = nullptr;
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"})
        if (!found)
            found = std::setlocale(LC_ALL, name);
    if (!found)
        WARN("no locale with a decimal comma is installed: nothing is tested");
    const std::string log = log_of(sample_profile());
    std::setlocale(LC_ALL, "C");
    CHECK(contains(log, "0.089"));
}

TEST_CASE("logs go to the files that their names say") {
    char directory[] = "/tmp/vftrace_text_log_XXXXXX";
    REQUIRE(mkdtemp(directory));
    const std::string base = std::string(directory) + "/heat_";
    Profile profile = sample_profile();
    ReportOptions options;
    options.show_name_groups = options.separate = true;
    CHECK(published([&](NewFiles& files) {
              write_all_logs(profile, options, base, files);
          }).error == 0);
    CHECK(!contains(file_text(base + "all.log"), "Grouped"));
    const std::string groups = file_text(base + "all_namegroup.log");
    CHECK(groups.substr(0, 8) == "vftrace ");
    CHECK(contains(groups, "Grouped"));
    CHECK(!contains(groups, "Global call stacks"));

    profile.run.ranks = 12;
    profile.run.rank = 3;
    CHECK(published([&](NewFiles& files) {
              write_rank_log(profile, options, base, files);
          }).error == 0);
    CHECK(contains(file_text(base + "03.log"), "Runtime profile\n"));

    const FileFailure failure = published(
        [&](NewFiles& files) { write_all_logs(profile, options, base + "missing/", files); });
    CHECK(failure.error == ENOENT);
    CHECK(failure.path == base + "missing/all.log");
    CHECK(std::system(("rm -r " + std::string(directory)).c_str()) == 0);
}

TEST_CASE("a full disk is reported") {
    OutputFile out("/dev/full");
    write_text_log(sample_profile(), {}, LogScope::summary, out);
    CHECK(out.close() == ENOSPC);
}
