// The tables of threads and parallel regions: layout, order of rows, and when they are omitted.
#include <catch2/catch.hpp>

#include "log_text.hpp"
#include "mpi_sample_profile.hpp"
#include "report/text_log.hpp"
#include "report/thread_tables.hpp"
#include "thread_sample_profile.hpp"
#include "written_text.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {}  // namespace

TEST_CASE("the table of threads") {
    CHECK(table_in(log_of(thread_sample_profile()), "Threads") ==
          "Threads\n"
          "+--------+--------+---------------+------+---------+-------+---------+---------+--------"
          "-----+------------+\n"
          "| Thread |  Name  |     Start     | STID | Threads | Calls | Time[s] | Time[%] | "
          "Parallel[s] | Waiting[s] |\n"
          "+--------+--------+---------------+------+---------+-------+---------+---------+--------"
          "-----+------------+\n"
          "|      0 |        |          main |    3 |       1 |   301 |   2.000 |    24.3 |       "
          "1.800 |      0.100 |\n"
          "|      1 |        | OpenMP worker |      |       1 |   200 |   1.800 |    21.9 |       "
          "1.800 |      0.600 |\n"
          "|      2 |        | OpenMP worker |      |       1 |   200 |   1.800 |    21.9 |       "
          "1.800 |      0.640 |\n"
          "|      3 |        | OpenMP worker |      |       1 |   200 |   1.800 |    21.9 |       "
          "1.800 |      0.660 |\n"
          "|      4 | output |  write_frames |    7 |       1 |     2 |   0.500 |     6.1 |       "
          "0.000 |      0.000 |\n"
          "|      5 |        |         check |    4 |       8 |    16 |   0.320 |     3.9 |       "
          "0.000 |      0.000 |\n"
          "+--------+--------+---------------+------+---------+-------+---------+---------+--------"
          "-----+------------+\n");
    CHECK(table_in(log_of(thread_sample_profile(), {}, LogScope::rank), "Threads") ==
          table_in(log_of(thread_sample_profile()), "Threads"));
}

TEST_CASE("the threads beyond the largest ones are one row") {
    Profile profile = thread_sample_profile();
    ReportOptions options;
    options.max_thread_rows = 2;
    CHECK(table_in(log_of(profile, options), "Threads") ==
          "Threads\n"
          "+--------+------+---------------+------+---------+-------+---------+---------+----------"
          "---+------------+\n"
          "| Thread | Name |     Start     | STID | Threads | Calls | Time[s] | Time[%] | "
          "Parallel[s] | Waiting[s] |\n"
          "+--------+------+---------------+------+---------+-------+---------+---------+----------"
          "---+------------+\n"
          "|      0 |      |          main |    3 |       1 |   301 |   2.000 |    24.3 |       "
          "1.800 |      0.100 |\n"
          "|      1 |      | OpenMP worker |      |       1 |   200 |   1.800 |    21.9 |       "
          "1.800 |      0.600 |\n"
          "|    ... |      |    all others |      |      11 |   418 |   4.420 |    53.8 |       "
          "3.600 |      1.300 |\n"
          "+--------+------+---------------+------+---------+-------+---------+---------+----------"
          "---+------------+\n");
    // A single row is not replaced by a row with less information.
    options.max_thread_rows = 5;
    CHECK(!contains(log_of(profile, options), "all others"));
    // What merging has left out is part of the row of all others, or has a row of its own.
    profile.threads.push_back(
        {no_index, no_index, "", no_index, false, 4000, 50'000, 9'000'000'000, 0, 0, 0});
    options.max_thread_rows = 6;
    CHECK(
        contains(log_of(profile, options), "|    ... |        |    all others |      |    4000 "));
    options.max_rows = 3;
    CHECK(contains(log_of(profile, options), "4010 "));
}

TEST_CASE("the table of threads of several ranks names the rank") {
    Profile profile = mpi_sample_profile();
    profile.run.threads = 2;
    for (std::uint32_t rank = 0; rank < 2; rank++)
        for (std::uint32_t number = 0; number < 2; number++)
            profile.threads.push_back(
                {rank, number, "", 1, false, 1, 7, 1'000'000 * (rank + number), 0, 0, 0});
    CHECK(table_in(log_of(profile), "Threads") ==
          "Threads\n"
          "+------+--------+------+-------+------+---------+-------+---------+---------+\n"
          "| Rank | Thread | Name | Start | STID | Threads | Calls | Time[s] | Time[%] |\n"
          "+------+--------+------+-------+------+---------+-------+---------+---------+\n"
          "|    1 |      1 |      |  main |    3 |       1 |     7 |   0.002 |    50.0 |\n"
          "|    0 |      1 |      |  main |    3 |       1 |     7 |   0.001 |    25.0 |\n"
          "|    1 |      0 |      |  main |    3 |       1 |     7 |   0.001 |    25.0 |\n"
          "|    0 |      0 |      |  main |    3 |       1 |     7 |   0.000 |     0.0 |\n"
          "+------+--------+------+-------+------+---------+-------+---------+---------+\n");
}

TEST_CASE("threads are not shown if there is only one or they are not requested") {
    Profile profile = thread_sample_profile();
    ReportOptions options;
    options.show_threads = options.show_openmp = false;
    CHECK(!contains(log_of(profile, options), "\nThreads\n"));
    CHECK(!contains(log_of(profile, without_findings(options)), "OpenMP"));

    // A log as it was before the tables of threads existed.
    profile = sample_profile();
    const std::string before = log_of(profile);
    profile.threads = {{0, 0, "", 1, false, 1, 20, 213'000'000, 0, 0, 220'000'000}};
    CHECK(log_of(profile) == before);
    profile = mpi_sample_profile();
    const std::string before_mpi = log_of(profile);
    for (std::uint32_t rank = 0; rank < 4; rank++)
        profile.threads.push_back({rank, 0, "", 1, false, 1, 20, 213'000'000, 0, 0, 220'000'000});
    CHECK(log_of(profile) == before_mpi);
    // But it is shown on request.
    ReportOptions all_rows;
    all_rows.all_rows = true;
    const std::string asked = written_tables([&](TableOutput& out) {
        write_thread_table(profile, PathText(profile, 60), all_rows, out);
    });
    CHECK(contains(asked, "|    3 |      0 |"));
}

TEST_CASE("the table of parallel regions") {
    Profile profile = thread_sample_profile();
    CHECK(table_in(log_of(profile), "OpenMP parallel regions") ==
          "OpenMP parallel regions\n"
          "+---------+---------+-----------+---------+------------+------------+--------------+----"
          "---------------------+--------+------+\n"
          "| Entries | Threads | t_incl[s] | Busy[s] | Waiting[s] | Waiting[%] | Imbalance[%] |    "
          "     Region          | Caller | STID |\n"
          "+---------+---------+-----------+---------+------------+------------+--------------+----"
          "---------------------+--------+------+\n"
          "|     100 |       4 |     7.200 |   5.200 |      2.000 |       27.8 |         30.8 | "
          "omp parallel @heat.c:42 |   main |    0 |\n"
          "+---------+---------+-----------+---------+------------+------------+--------------+----"
          "---------------------+--------+------+\n");
    profile.parallel_regions.front() = {2, 0, 0, 0, 0, 0};
    profile.parallel_regions.push_back({3, 1, 4, -4, 1, 4});
    CHECK(table_in(log_of(profile), "OpenMP parallel regions") ==
          "OpenMP parallel regions\n"
          "+---------+---------+-----------+---------+------------+------------+--------------+----"
          "---------------------+-------------------------+------+\n"
          "| Entries | Threads | t_incl[s] | Busy[s] | Waiting[s] | Waiting[%] | Imbalance[%] |    "
          "     Region          |         Caller          | STID |\n"
          "+---------+---------+-----------+---------+------------+------------+--------------+----"
          "---------------------+-------------------------+------+\n"
          "|       0 |       0 |     7.200 |   0.000 |      0.000 |        0.0 |          0.0 | "
          "omp parallel @heat.c:42 |                    main |    0 |\n"
          "|       1 |       4 |     5.160 |   0.000 |      0.000 |        0.0 |          0.0 |    "
          "                step | omp parallel @heat.c:42 |    1 |\n"
          "+---------+---------+-----------+---------+------------+------------+--------------+----"
          "---------------------+-------------------------+------+\n");
    ReportOptions options;
    options.max_rows = 1;
    CHECK(contains(log_of(profile, options), "(1 more row)"));
}

TEST_CASE("the imbalance of a parallel region is by how much the longest exceeds the mean") {
    CHECK(imbalance_percent({0, 1, 4, 400, 100, 0}) == Approx(0.0));
    CHECK(imbalance_percent({0, 1, 4, 400, 400, 0}) == Approx(300.0));
    CHECK(imbalance_percent({0, 1, 4, 400, 139, 7}) == Approx(39.0));
    CHECK(imbalance_percent({0, 1, 0, 0, 0, 0}) == 0.0);
    CHECK(imbalance_percent({0, 1, 4, 0, 0, 5}) == 0.0);
}

TEST_CASE("the summary says how a program ended") {
    Profile profile = sample_profile();
    CHECK(!contains(log_of(profile), "Ended by"));
    CHECK(!contains(log_of(profile), "Snapshot"));
    profile.run.ended = "signal 15 (SIGTERM)\n";
    CHECK(contains(log_of(profile), "\nEnded by:             signal 15 (SIGTERM)\\n\n"
                                    "Total runtime:            0.22 s\n"));
    profile.run.ended = "signal 15 (Terminated) (ranks 0, 2); signal 40 (rank 3); signal 11 "
                        "(Segmentation fault) (rank 1); signal 15 (Terminated) (rank 5)";
    const std::string frame(55, '*');
    CHECK(
        contains(log_of(profile), "\n\n" + frame +
                                      "\nApplication was cancelled by signal: Terminated\n"
                                      "Application was cancelled by signal: Segmentation fault\n" +
                                      frame + "\n\n"));
    for (const char* other : {"_exit with status 3", "signal 40", "signal ", "signal 1 (", ""}) {
        profile.run.ended = other;
        CHECK(!contains(log_of(profile), "cancelled by signal"));
    }
    profile.run.ended.clear();
    profile.run.snapshot = true;
    CHECK(contains(log_of(profile), "\nSnapshot:             the program was still running\n"
                                    "Total runtime:"));
}
