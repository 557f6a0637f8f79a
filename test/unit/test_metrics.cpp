// Metrics of paths and threads: tables, JSON, merging, differences, exports, and their storage with
// the trees of a dead process.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "collate/side_figures.hpp"
#include "collation_job.hpp"
#include "compare/merge_profiles.hpp"
#include "compare/metric_difference.hpp"
#include "export/profile_tree.hpp"
#include "log_text.hpp"
#include "profile/metric_rows.hpp"
#include "profile/profile_json.hpp"
#include "readers/profile_json_reader.hpp"
#include "record/counter_sums.hpp"
#include "recover/recovered_process.hpp"
#include "sample_profile.hpp"
#include "tree_file_builder.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

// A metric from a source that this version does not know.
Profile metrics_profile() {
    Profile profile = sample_profile();
    profile.metrics = {{.name = "locks.waits", .title = "Waits"},
                       {.name = "locks.waited", .unit = "ns", .title = "Waited"},
                       {.name = "locks.level",
                        .unit = "K",
                        .reduction = Reduction::mean,
                        .part = MetricPart::point},
                       {.name = "locks.longest",
                        .unit = "ns",
                        .reduction = Reduction::max,
                        .scope = MetricScope::thread,
                        .part = MetricPart::point,
                        .title = "Longest"}};
    profile.metric_values = {{1, 0, 3}, {1, 1, 1.5e6}, {2, 0, 40}, {2, 1, 2e9}, {3, 2, 300.25}};
    ThreadFigures thread;
    thread.start = 1;
    thread.metrics = {{3, 7e8}};
    profile.threads = {thread};
    return profile;
}

// Two columns that this version knows: those of one hardware counter.
constexpr SideColumn two_columns[] = {{MetricId::hwprof_inclusive, 0, SideValue::signed_number},
                                      {MetricId::hwprof_exclusive, 0, SideValue::signed_number}};

class SideTableBuilder {
  public:
    using Address = TreeFileBuilder::Address;

    explicit SideTableBuilder(TreeFileBuilder& file, Address thread)
        : file_(file), thread_(thread) {
        address = file.allocate(side_table_bytes(2));
        table().columns = 2;
        std::copy(std::begin(two_columns), std::end(two_columns), table().described());
        file.at<ThreadRecord>(thread).side_tables = reinterpret_cast<SideTable*>(address);
    }
    SideTable& table() { return file_.at<SideTable>(address); }
    SideRow& row(Address at) { return file_.at<SideRow>(at); }
    Address add_row(Address node, std::uint64_t inclusive, std::uint64_t exclusive) {
        const Address made = file_.allocate(side_row_bytes(2));
        row(made).node = reinterpret_cast<const Node*>(node);
        row(made).values()[0] = inclusive;
        row(made).values()[1] = exclusive;
        auto* const pointer = reinterpret_cast<SideRow*>(made);
        if (last_)
            row(last_).next_created = pointer;
        else
            table().first = pointer;
        last_ = made;
        return made;
    }

    Address address;

  private:
    TreeFileBuilder& file_;
    Address thread_, last_ = 0;
};

std::vector<std::uint64_t> second_values(const RecoveredProcess& process) {
    std::vector<std::uint64_t> values;
    visit_side_tables(*process.record().threads, [&](const SideTable& table) {
        visit_side_rows(table, [&](const SideRow& row) { values.push_back(row.values()[1]); });
    });
    return values;
}

}  // namespace

TEST_CASE("metrics of paths have one table per source, those of threads one column each") {
    const Profile profile = metrics_profile();
    CHECK(table_in(log_of(profile), "locks") ==
          "locks\n"
          "+-------+-------+-----------+----------------+----------+--------+------+\n"
          "| Calls | Waits | Waited[s] | locks.level[K] | Function | Caller | STID |\n"
          "+-------+-------+-----------+----------------+----------+--------+------+\n"
          "|     3 |    40 |  2.000000 |                |      mid |   main |    0 |\n"
          "|     1 |     3 |  0.001500 |                |     main |   init |    4 |\n"
          "|     3 |       |           |        300.250 |     spin |    mid |   11 |\n"
          "+-------+-------+-----------+----------------+----------+--------+------+\n");
    CHECK(contains(table_in(log_of(profile), "Threads"), "| Longest[s] |\n"));
    CHECK(contains(table_in(log_of(profile), "Threads"), "|   0.700000 |\n"));
    Profile counters = sample_profile();
    counters.metrics = {{.name = "hwprof.cycles"}};
    counters.metric_values = {{1, 0, 5}};
    CHECK(!contains(log_of(counters), "\nhwprof\n"));
}

TEST_CASE("metrics in JSON and back") {
    const Profile profile = metrics_profile();
    const std::string text =
        written_text([&](OutputFile& out) { write_profile_json(profile, out); });
    CHECK(contains(text,
                   R"({"name": "locks.waits", "unit": "", "reduction": "sum", "title": "Waits"})"));
    CHECK(contains(text, R"({"name": "locks.longest", "unit": "ns", "reduction": "max", "scope": )"
                         R"("thread", "part": "point", "title": "Longest"})"));
    CHECK(contains(text, R"("metrics": [[3, 700000000]])"));
    const Profile read = parse_profile_json(text);
    CHECK(written_text([&](OutputFile& out) { write_profile_json(read, out); }) == text);
    REQUIRE(read.threads.size() == 1);
    REQUIRE(read.threads[0].metrics.size() == 1);
    CHECK(read.threads[0].metrics[0].value == 7e8);
    CHECK(read.metrics[2].part == MetricPart::point);
}

TEST_CASE("metrics of a later version are read as far as they are known") {
    std::string text =
        written_text([&](OutputFile& out) { write_profile_json(metrics_profile(), out); });
    const std::string known = "\"scope\": \"thread\", \"part\": \"point\"";
    text.replace(text.find(known), known.size(), "\"scope\": \"galaxy\", \"part\": \"half\"");
    CHECK(parse_profile_json(text).metrics[3].part == MetricPart::point);
}

TEST_CASE("metrics of threads over ranks") {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < 3; rank++) {
        RankProfile made(rank);
        const std::uint32_t main = made.add_path(0, made.add_function("main"), 1);
        // In another order on each rank.
        made.profile.metrics = {{.name = "locks.longest", .scope = MetricScope::thread},
                                {.name = "locks.waits"}};
        if (rank == 1)
            std::swap(made.profile.metrics[0], made.profile.metrics[1]);
        ThreadFigures thread;
        thread.rank = rank;
        thread.start = main;
        thread.metrics = {{rank == 1 ? 1u : 0u, 100.0 + rank}};
        made.profile.threads = {thread};
        made.profile.metric_values = {{main, rank == 1 ? 0u : 1u, 1.0}};
        own.push_back(std::move(made.profile));
    }
    const Profile job = collate(own).job;
    REQUIRE(job.metrics.size() == 2);
    REQUIRE(job.threads.size() == 3);
    for (std::uint32_t rank = 0; rank < 3; rank++) {
        REQUIRE(job.threads[rank].metrics.size() == 1);
        CHECK(job.metrics[job.threads[rank].metrics[0].metric].name == "locks.longest");
        CHECK(job.threads[rank].metrics[0].value == 100.0 + rank);
    }
    REQUIRE(job.metric_values.size() == 1);
    CHECK(job.metric_values[0].value == 3.0);
}

TEST_CASE("rows of threads are combined as their metrics require") {
    const std::vector<Metric> metrics = {{.name = "sum"},
                                         {.name = "max", .reduction = Reduction::max},
                                         {.name = "min", .reduction = Reduction::min},
                                         {.name = "mean", .reduction = Reduction::mean}};
    ThreadFigures a, b;
    a.threads = 3;
    b.threads = 1;
    a.metrics = {{0, 5}, {1, 5}, {2, 5}, {3, 5}};
    b.metrics = {{0, 1}, {1, 1}, {2, 1}, {3, 1}};
    add_thread_row(a, b, metrics);
    CHECK(a.threads == 4);
    const double expected[] = {6, 5, 1, 4};
    for (std::uint32_t i = 0; i < 4; i++)
        CHECK(*metric_of(a.metrics, i) == expected[i]);
    ThreadFigures none;
    none.threads = 0;
    add_thread_row(none, a, metrics);
    CHECK(*metric_of(none.metrics, 3) == 4);
    CHECK(metric_of(none.metrics, 4) == nullptr);
}

TEST_CASE("metrics of several runs") {
    for (const RunReduction reduction : {RunReduction::sum, RunReduction::mean}) {
        const Profile both =
            merge_runs({metrics_profile(), metrics_profile()}, {"a", "b"}, reduction);
        const double times = reduction == RunReduction::sum ? 2 : 1;
        REQUIRE(both.metric_values.size() == 5);
        CHECK(both.metric_values[2].value == times * 40);
        CHECK(both.metric_values[4].value == 300.25);
        REQUIRE(both.threads.size() == 1);
        CHECK(both.threads[0].metrics[0].value == 7e8);
    }
}

TEST_CASE("how metrics differ") {
    const Profile a = metrics_profile();
    Profile b = a;
    b.metric_values[2].value = 50;
    b.metric_values.erase(b.metric_values.begin());
    b.threads[0].metrics[0].value = 8e8;
    const ComparedPair pair{compared_profile(a, "a", false, std::string::npos),
                            compared_profile(b, "b", false, std::string::npos),
                            {}};
    const std::vector<MetricDifference> metrics = metric_differences(pair, DifferenceBy::function);
    REQUIRE(metrics.size() == 4);
    CHECK(metrics[0].metric.name == "locks.waits");
    REQUIRE(metrics[0].rows.size() == 2);
    CHECK(metrics[0].rows[0].text == "mid");
    CHECK(metrics[0].rows[0].difference() == 10);
    CHECK(metrics[0].rows[1].text == "main");
    CHECK(!metrics[0].rows[1].b);
    CHECK(metrics[0].rows[1].difference() == -3);
    REQUIRE(metrics[3].rows.size() == 1);
    CHECK(metrics[3].rows[0].difference() == 1e8);
}

TEST_CASE("values that are not numbers do not disturb the order of others") {
    Profile profile = metrics_profile();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                     infinite = std::numeric_limits<double>::infinity();
    profile.metric_values = {{1, 0, nan}, {2, 0, 3}, {3, 0, -infinite}, {4, 0, 5}};
    profile.threads[0].metrics[0].value = nan;
    const std::string table = table_in(log_of(profile), "locks");
    CHECK(table.find("|     5 |") < table.find("|     3 |     3 |"));
    const ComparedPair pair{compared_profile(profile, "a", false, std::string::npos),
                            compared_profile(metrics_profile(), "b", false, std::string::npos),
                            {}};
    const std::vector<MetricDifference> metrics = metric_differences(pair, DifferenceBy::path);
    for (const MetricDifference& metric : metrics)
        for (const MetricDifferenceRow& row : metric.rows)
            CHECK(std::isfinite(row.difference()));
    CHECK(!contains(log_of(profile), "locks.level"));  // the metric has no values
}

TEST_CASE("metrics that formats can add up") {
    const std::vector<AdditiveMetric> metrics = additive_metrics(metrics_profile());
    REQUIRE(metrics.size() == 2);
    CHECK(metrics[1].name == "locks.waited");
    CHECK(metrics[1].unit == "ns");
    CHECK(metrics[1].values[2] == 2e9);
    CHECK(metrics[1].values[3] == 0);
}

TEST_CASE("side tables of a dead process") {
    TreeFileBuilder builder;
    const TreeFileBuilder::Address thread = builder.add_thread();
    const auto main = builder.add_region(thread, builder.root(thread), "main");
    const auto work = builder.add_region(thread, main, "work");
    SideTableBuilder table(builder, thread);
    const auto first = table.add_row(main, 10, 4);
    table.add_row(work, 6, 6);
    const auto read = [&] { return RecoveredProcess(FileImage(builder.contents(), "the file")); };
    SECTION("are there") {
        const RecoveredProcess process = read();
        CHECK(second_values(process) == std::vector<std::uint64_t>{4, 6});
        CHECK(process.left_out() == 0);
    }
    SECTION("whose rows belong to no node are left out") {
        table.row(first).node = reinterpret_cast<const Node*>(0x1234);
        const RecoveredProcess process = read();
        CHECK(second_values(process) == std::vector<std::uint64_t>{6});
        CHECK(process.left_out() == 1);
    }
    SECTION("of a thread have no nodes, and the other way round") {
        table.row(first).node = nullptr;
        CHECK(second_values(read()) == std::vector<std::uint64_t>{6});
    }
    SECTION("with unknown columns are left out") {
        table.table().described()[1].metric = static_cast<MetricId>(60'000);
        const RecoveredProcess process = read();
        CHECK(second_values(process).empty());
        CHECK(process.left_out() == 1);
    }
    SECTION("with values of an unknown kind are left out") {
        table.table().described()[0].value = static_cast<SideValue>(200);
        CHECK(second_values(read()).empty());
    }
    SECTION("without columns, or with too many, are left out") {
        table.table().columns = GENERATE(0u, 5'000u, 0xffff'ffffu);
        const RecoveredProcess process = read();
        CHECK(second_values(process).empty());
        CHECK(process.left_out() == 1);
    }
    SECTION("end at circular lists") {
        table.table().next = reinterpret_cast<SideTable*>(table.address);
        CHECK(second_values(read()).size() >= 2);
        table.table().next = nullptr;
        table.row(first).next_created = reinterpret_cast<SideRow*>(first);
        CHECK(read().left_out() > 0);
    }
}
