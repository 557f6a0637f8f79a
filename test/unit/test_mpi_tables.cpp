// The tables of runs with MPI: layout, order of rows, and figures that could cause a division by
// zero.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>

#include "log_text.hpp"
#include "mpi_sample_profile.hpp"
#include "report/rank_tables.hpp"
#include "report/text_log.hpp"
#include "sample_profile.hpp"
#include "written_text.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// The cells of one column, without the headers.
std::vector<std::string> column_of(const std::string& table, const std::string& header) {
    std::vector<std::string> cells;
    std::size_t wanted = 0;
    for (std::size_t line = 0; line < table.size(); line = table.find('\n', line) + 1) {
        if (table[line] != '|')
            continue;
        std::vector<std::string> row;
        const std::string text = table.substr(line, table.find('\n', line) - line);
        for (std::size_t bar = 0, next; (next = text.find('|', bar + 1)) != std::string::npos;
             bar = next) {
            std::string cell = text.substr(bar + 1, next - bar - 1);
            cell.erase(0, std::min(cell.find_first_not_of(' '), cell.size()));
            cell.erase(cell.find_last_not_of(' ') + 1);
            row.push_back(cell);
        }
        const auto found = std::find(row.begin(), row.end(), header);
        if (wanted == 0 && found != row.end())
            wanted = static_cast<std::size_t>(found - row.begin()) + 1;
        else
            cells.push_back(row.at(wanted - 1));
    }
    return cells;
}

std::string file_text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

using Cells = std::vector<std::string>;

}  // namespace

TEST_CASE("the summary of several ranks has the overhead of one") {
    CHECK(contains(log_of(mpi_sample_profile()), "\n\n"
                                                 "Nr. of MPI ranks:            4\n"
                                                 "Total runtime:            2.00 s\n"
                                                 "Application time:         1.99 s\n"
                                                 "Overhead:                 0.01 s\n"
                                                 "   Function hooks:        0.00 s\n"
                                                 "   MPI wrappers:          0.01 s\n"
                                                 "Vftrace used memory:    640.00 KiB\n"
                                                 "\n"));
    Profile own = mpi_sample_profile();
    own.ranks.resize(1);
    own.spread.clear();
    CHECK(contains(log_of(own, {}, LogScope::rank), "Application time:         1.96 s\n"
                                                    "Overhead:                 0.05 s\n"));
    own.run.ranks = 1;
    own.ranks.clear();
    CHECK(contains(log_of(own), "Nr. of MPI ranks:            1\n"));
    own.run.uses_mpi = false;
    CHECK(!contains(log_of(own), "MPI ranks"));
}

TEST_CASE("the communication profile has the columns that scripts know") {
    ReportOptions options;
    options.show_communication_callpath = true;
    CHECK(table_in(log_of(mpi_sample_profile(), options), "Communication profile") ==
          "Communication profile\n"
          "+----------+------------------+------------------+------------------+------------------+"
          "------------------+---------------+----------+------+------------------------------+\n"
          "| Messages | avg send size[B] | avg recv size[B] | avg send BW[B/s] | avg recv BW[B/s] |"
          " avg comm time[s] |   Function    |  Caller  | STID |           Callpath           |\n"
          "+----------+------------------+------------------+------------------+------------------+"
          "------------------+---------------+----------+------+------------------------------+\n"
          "|     3200 |        8.000e+00 |        8.000e+00 |        1.250e+05 |        1.250e+05 |"
          "        6.400e-05 | MPI_Allreduce |     main |    7 |      MPI_Allreduce<main<init |\n"
          "|        6 |        0.000e+00 |        3.200e+04 |        0.000e+00 |        1.280e+07 |"
          "        1.254e-03 |      MPI_Recv |     main |    6 |           MPI_Recv<main<init |\n"
          "|      600 |        0.000e+00 |        8.000e+03 |        0.000e+00 |        6.667e+07 |"
          "        1.200e-04 |     MPI_Irecv | exchange |    5 | MPI_Irecv<exchange<main<init |\n"
          "|        6 |        3.200e+04 |        0.000e+00 |        4.000e+07 |        0.000e+00 |"
          "        4.010e-04 |      MPI_Send |     main |    2 |           MPI_Send<main<init |\n"
          "|      600 |        8.000e+03 |        0.000e+00 |        3.200e+08 |        0.000e+00 |"
          "        2.500e-05 |     MPI_Isend | exchange |    0 | MPI_Isend<exchange<main<init |\n"
          "+----------+------------------+------------------+------------------+------------------+"
          "------------------+---------------+----------+------+------------------------------+\n");
    CHECK(
        contains(log_of(mpi_sample_profile(), options, LogScope::rank), "Communication profile\n"));
    options.show_communication_callpath = false;
    CHECK(!contains(log_of(mpi_sample_profile(), options), "Callpath"));
}

TEST_CASE("the communication profile is sorted by each of its columns") {
    const Profile profile = mpi_sample_profile();
    ReportOptions options;
    auto order = [&](const char* column, bool ascending) {
        options.communication_sort = {column_named<MessageColumn>(column).value(), ascending};
        return column_of(table_in(log_of(profile, options), "Communication profile"), "STID");
    };
    CHECK(order("none", false) == Cells{"7", "6", "5", "2", "0"});
    CHECK(order("stack_id", true) == Cells{"0", "2", "5", "6", "7"});
    // Equal ones are in the order of their STIDs in both directions.
    CHECK(order("messages", false) == Cells{"7", "0", "5", "2", "6"});
    CHECK(order("messages", true) == Cells{"2", "6", "0", "5", "7"});
    CHECK(order("send_size", false) == Cells{"2", "0", "7", "5", "6"});
    CHECK(order("send_size", true) == Cells{"5", "6", "7", "0", "2"});
    CHECK(order("recv_size", false) == Cells{"6", "5", "7", "0", "2"});
    CHECK(order("recv_size", true) == Cells{"0", "2", "7", "5", "6"});
    CHECK(order("send_bw", false) == Cells{"0", "2", "7", "5", "6"});
    CHECK(order("send_bw", true) == Cells{"5", "6", "7", "2", "0"});
    CHECK(order("recv_bw", false) == Cells{"5", "6", "7", "0", "2"});
    CHECK(order("recv_bw", true) == Cells{"0", "2", "7", "6", "5"});
    CHECK(order("comm_time", false) == Cells{"6", "2", "5", "7", "0"});
    CHECK(order("comm_time", true) == Cells{"0", "7", "5", "2", "6"});
    CHECK(!column_named<MessageColumn>("calls"));
}

TEST_CASE("the communication profile says for which ranks it is") {
    ReportOptions options;
    auto title = [&](const char* ranks) {
        options.communication_ranks = ranks;
        const std::string log = log_of(mpi_sample_profile(), options);
        const std::size_t begin = log.find("Communication profile");
        return log.substr(begin, log.find('\n', begin) - begin);
    };
    CHECK(title("all") == "Communication profile");
    CHECK(title("ALL") == "Communication profile");
    CHECK(title("0,2-3") == "Communication profile for ranks: 0,2-3");
    CHECK(title("nonsense\n") == "Communication profile");
}

TEST_CASE("the communication profile of a run without messages is an empty table") {
    Profile profile = mpi_sample_profile();
    ReportOptions options;
    options.show_communication = false;
    CHECK(!contains(log_of(profile, without_findings(options)), "Communication"));
    for (PathMessages& messages : profile.messages)
        messages.sent = messages.received = {};
    const auto messages = [](const Profile& of) {
        return column_of(table_in(log_of(of), "Communication profile"), "Messages");
    };
    CHECK(messages(profile) == Cells{});
    profile.messages[1].sent.messages = 1;
    CHECK(messages(profile) == Cells{"1"});
    profile.messages.clear();
    CHECK(messages(profile) == Cells{});
    profile.run.uses_mpi = false;
    CHECK(!contains(log_of(profile), "Communication"));
}

TEST_CASE("figures of messages that cannot be divided or are very large") {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    Profile profile = mpi_sample_profile();
    profile.messages = {
        {4, {1, most, std::numeric_limits<std::int64_t>::max(), 1e300}, {}},
        {5, {2, 0, 0, std::numeric_limits<double>::quiet_NaN()}, {}},
        {6, {}, {5'000'000'000, 20'000'000'000, 0, std::numeric_limits<double>::infinity()}}};
    for (int column = 0; column <= static_cast<int>(MessageColumn::stack_id); column++) {
        ReportOptions options;
        options.communication_sort.column = static_cast<MessageColumn>(column);
        const std::string table = table_in(log_of(profile, options), "Communication profile");
        CHECK(!contains(table, "nan"));
        CHECK(!contains(table, "inf"));
        CHECK(contains(table, "|          1 |        1.845e+19 |        0.000e+00 |       "
                              "1.000e+300 |        0.000e+00 |        9.223e+09 |"));
        CHECK(contains(table, "| 5000000000 |        0.000e+00 |        4.000e+00 |        "
                              "0.000e+00 |        0.000e+00 |        0.000e+00 |"));
    }
}

TEST_CASE("imbalances are those of the rank farthest from the mean") {
    Profile profile = mpi_sample_profile();
    auto imbalance = [&](std::int64_t sum, RankSpread spread) {
        profile.paths[3].exclusive_ns = sum;
        profile.spread[3] = spread;
        return imbalance_of(profile, 3);
    };
    CHECK(imbalance(40, {4, 1, 2, 8, 14}).percent == Approx(40.0));
    CHECK(imbalance(40, {4, 1, 2, 8, 14}).rank == 2);
    CHECK(imbalance(40, {4, 1, 2, 2, 14}).percent == Approx(-80.0));
    CHECK(imbalance(40, {4, 1, 2, 2, 14}).rank == 1);
    // A path that only some ranks have: the other ranks do not count.
    CHECK(imbalance(30, {2, 2, 3, 10, 20}).percent == Approx(-100.0 / 3));
    CHECK(imbalance(7, {1, 3, 3, 7, 7}).percent == 0.0);
    CHECK(imbalance(7, {1, 3, 3, 7, 7}).rank == 3);
    CHECK(imbalance(0, {4, 0, 0, 0, 0}).percent == 0.0);
    CHECK(imbalance(5, {}).percent == 0.0);
    CHECK(imbalance(-4, {2, 1, 0, -5, 1}).percent == 0.0);
    profile.spread.clear();
    CHECK(imbalance_of(profile, 3).percent == 0.0);
}

TEST_CASE("imbalance columns are in the summary log") {
    ReportOptions options;
    options.show_imbalances = options.show_overhead = options.show_callpath = true;
    const Profile profile = mpi_sample_profile();
    const std::string log = log_of(profile, options);
    CHECK(contains(log, "| t_incl[s] | overhead[s] | Imbalances[%] | on rank |   Function    |"));
    CHECK(contains(
        log, "|     4.606 |       0.000 |         38.95 |       0 |       compute |     main |"));
    CHECK(contains(
        log, "|     2.030 |       0.000 |        -94.48 |       0 |   MPI_Waitall | exchange |"));
    CHECK(contains(
        log, "|     0.005 |       0.000 |          0.00 |       0 |  write_result |     main |"));
    CHECK(!contains(log_of(profile, options, LogScope::rank), "Imbalances"));
    CHECK(!contains(log_of(profile), "Imbalances"));
    CHECK(contains(log_of(sample_profile(), options), "|          0.00 |       0 |"));
}

TEST_CASE("the min/max table has the STIDs of the other tables") {
    ReportOptions options;
    options.show_minmax = true;
    Profile profile = mpi_sample_profile();
    const std::string log = log_of(profile, options);
    CHECK(contains(log,
                   "\n\n\n Summary: Min/Max runtime across all ranks\n"
                   "+------+---------------+----------+------+----------+------+----------+\n"
                   "| STID |   Function    | t_max[s] | rank | t_min[s] | rank | t_avg[s] |\n"
                   "+------+---------------+----------+------+----------+------+----------+\n"
                   "|    4 |       compute |    1.600 |    0 |    0.803 |    3 |    1.151 |\n"
                   "|   10 |   MPI_Waitall |    0.882 |    3 |    0.028 |    0 |    0.507 |\n"
                   "|    7 | MPI_Allreduce |    0.302 |    0 |    0.242 |    2 |    0.274 |\n"
                   "|    9 |      MPI_Init |    0.051 |    3 |    0.047 |    2 |    0.049 |\n"
                   "|    6 |      MPI_Recv |    0.009 |    0 |    0.001 |    1 |    0.003 |\n"
                   "|    0 |     MPI_Isend |    0.006 |    2 |    0.003 |    0 |    0.004 |\n"
                   "|   11 |  write_result |    0.005 |    0 |    0.005 |    0 |    0.005 |\n"));
    CHECK(!contains(log_of(profile, options, LogScope::rank), "Min/Max"));
    CHECK(!contains(log_of(sample_profile(), options), "Min/Max"));
    profile.spread[7] = {};  // a path that no rank has
    CHECK(
        column_of(table_in(log_of(profile, options), " Summary: Min/Max runtime across all ranks"),
                  "STID")
            .front() == "10");
}

TEST_CASE("the table of ranks and the load imbalance") {
    const Profile profile = mpi_sample_profile();
    CHECK(table_in(log_of(profile), "MPI time by rank") ==
          "MPI time by rank\n"
          "+------+--------+------------+--------+--------+----------------+-------+\n"
          "| Rank |  Host  | Runtime[s] | MPI[s] | MPI[%] | Outside MPI[s] | Calls |\n"
          "+------+--------+------------+--------+--------+----------------+-------+\n"
          "|    3 | node02 |      2.002 |  1.191 |   59.5 |          0.811 |   403 |\n"
          "|    2 | node02 |      2.003 |  0.989 |   49.4 |          1.014 |   603 |\n"
          "|    1 | node01 |      2.004 |  0.788 |   39.3 |          1.216 |   603 |\n"
          "|    0 | node01 |      2.005 |  0.394 |   19.7 |          1.611 |   407 |\n"
          "+------+--------+------------+--------+--------+----------------+-------+\n"
          "Load imbalance: 1.39 (time outside MPI: longest 1.611 s on rank 0, mean 1.163 s)\n");
    CHECK(!contains(log_of(profile, {}, LogScope::rank), "MPI time by rank"));
    CHECK(!contains(log_of(sample_profile()), "MPI time by rank"));
    ReportOptions options;
    options.show_overhead = true;
    CHECK(contains(log_of(profile, options), "| Outside MPI[s] | overhead[s] | Calls |"));
    options.show_rank_table = false;
    CHECK(!contains(log_of(profile, options), "MPI time by rank"));
    Profile alone = profile;
    alone.ranks.resize(1);
    CHECK(!contains(log_of(alone), "MPI time by rank"));
}

TEST_CASE("ranks that did nothing do not distort the table of ranks") {
    Profile profile = mpi_sample_profile();
    for (RankFigures& rank : profile.ranks)
        rank.runtime_ns = rank.mpi_ns = 0;
    profile.ranks[1].mpi_ns = 5'000'000;  // more than the run time: several threads
    profile.ranks[2].host = "evil\n\x1b[2J";
    const std::string table = table_in(log_of(profile), "MPI time by rank");
    CHECK(column_of(table, "Rank") == Cells{"1", "0", "2", "3"});
    CHECK(column_of(table, "MPI[%]") == Cells{"0.0", "0.0", "0.0", "0.0"});
    CHECK(column_of(table, "Outside MPI[s]") == Cells{"0.000", "0.000", "0.000", "0.000"});
    CHECK(contains(table, "Load imbalance: 1.00 (time outside MPI: longest 0.000 s on rank 0"));
    CHECK(!contains(table, "\x1b"));
}

TEST_CASE("of many ranks, those with the most and the least MPI time are shown") {
    Profile profile = mpi_sample_profile();
    auto with_ranks = [&](std::uint32_t count) {
        const RankFigures one = profile.ranks.front();
        profile.ranks.assign(count, one);
        profile.run.ranks = count;
        for (std::uint32_t i = 0; i < count; i++) {
            profile.ranks[i].rank = i;
            profile.ranks[i].mpi_ns = std::int64_t{i / 2} * 1'000'000;
        }
    };
    with_ranks(21);
    std::string table = table_in(log_of(profile), "MPI time by rank");
    CHECK(column_of(table, "Rank").size() == 21);
    with_ranks(100'000);
    table = table_in(log_of(profile), "MPI time by rank");
    CHECK(column_of(table, "Rank") == Cells{"99998", "99999", "99996", "99997", "99994", "99995",
                                            "99992", "99993", "99990", "99991", "...",   "8",
                                            "9",     "6",     "7",     "4",     "5",     "2",
                                            "3",     "0",     "1"});
    CHECK(column_of(table, "Host")[10] == "99980 ranks");
    CHECK(column_of(table, "Calls")[10].empty());
    with_ranks(22);
    table = table_in(log_of(profile), "MPI time by rank");
    CHECK(column_of(table, "Rank").size() == 21);
    CHECK(column_of(table, "Host")[10] == "2 ranks");
    ReportOptions options;
    options.max_rows = 3;
    table = table_in(log_of(profile, options), "MPI time by rank");
    CHECK(column_of(table, "Rank") == Cells{"20", "21", "18"});
    CHECK(contains(table, "(19 more rows)\n"));
}

TEST_CASE("tables of MPI go to the files that their names say") {
    char directory[] = "/tmp/vftrace_mpi_tables_XXXXXX";
    REQUIRE(mkdtemp(directory));
    const std::string base = std::string(directory) + "/halo_";
    Profile profile = mpi_sample_profile();
    ReportOptions options;
    options.show_minmax = options.separate = true;
    CHECK(published([&](NewFiles& files) {
              write_all_logs(profile, options, base, files);
          }).error == 0);
    const std::string log = file_text(base + "all.log");
    const std::string header = log.substr(0, log.find("Nr. of MPI ranks:"));
    CHECK(contains(log, "Global call stacks"));
    for (const char* title : {"Min/Max", "Communication profile", "MPI time by rank"})
        CHECK(!contains(log, title));
    CHECK(file_text(base + "all_minmax.log").find(header + "\n Summary: Min/Max") == 0);
    const std::string mpi = file_text(base + "all_mpi.log");
    CHECK(mpi.find(header + "Communication profile\n") == 0);
    CHECK(contains(mpi, "\n\nMPI time by rank\n"));
    CHECK(!contains(mpi, "Global call stacks"));

    profile.run.ranks = 1000;
    profile.run.rank = 17;
    CHECK(published([&](NewFiles& files) {
              write_rank_log(profile, options, base, files);
          }).error == 0);
    CHECK(!contains(file_text(base + "0017.log"), "Communication profile"));
    const std::string rank_mpi = file_text(base + "0017_mpi.log");
    CHECK(rank_mpi.find(header + "Communication profile\n") == 0);
    CHECK(!contains(rank_mpi, "MPI time by rank"));
    CHECK(file_text(base + "0017_minmax.log").empty());

    profile.messages.clear();
    const auto error_of = [&](const std::string& name) {
        return published(
                   [&](NewFiles& files) { write_rank_log(profile, options, base + name, files); })
            .error;
    };
    CHECK(error_of("quiet_") == 0);
    CHECK(file_text(base + "quiet_0017_mpi.log").find(header + "Communication profile\n") == 0);
    profile.run.uses_mpi = false;
    CHECK(error_of("serial_") == 0);
    CHECK(!std::ifstream(base + "serial_0017_mpi.log").is_open());
    CHECK(std::system(("rm -r " + std::string(directory)).c_str()) == 0);
}

TEST_CASE("the parts of the log of an MPI run have a fixed order") {
    ReportOptions options;
    options.show_minmax = options.show_name_groups = true;
    const std::string log = log_of(mpi_sample_profile(), options);
    std::size_t last = 0;
    for (const char* title :
         {"Nr. of MPI ranks:", "\nRuntime profile\n", "\n Summary: Min/Max",
          "\nRuntime profile (Grouped by function name)\n", "\nCommunication profile\n",
          "\nMPI time by rank\n", "\nGlobal call stacks:\n", "\nVftrace configuration"}) {
        const std::size_t at = log.find(title);
        REQUIRE(at != std::string::npos);
        CHECK(at > last);
        last = at;
    }
}
