// Figures of whole processes, single values and series: how series stay small, and the way of both
// into tables, JSON and the profiles of a job and of several runs, and out of a dead process.
#include <catch2/catch.hpp>

#include <cmath>
#include <span>
#include <vector>

#include "collate/list_collation.hpp"
#include "collate/process_figures.hpp"
#include "collate/series_points.hpp"
#include "collation_job.hpp"
#include "compare/merge_profiles.hpp"
#include "compare/metric_difference.hpp"
#include "log_text.hpp"
#include "process_builder.hpp"
#include "profile/profile_json.hpp"
#include "readers/json_object.hpp"
#include "readers/profile_json_reader.hpp"
#include "record/series.hpp"
#include "record/side_table.hpp"
#include "recover/recovered_process.hpp"
#include "sample_profile.hpp"
#include "tree_file_builder.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

class SeriesBuilder {
  public:
    explicit SeriesBuilder(std::uint32_t capacity) : points_(2 * capacity) {
        record.points = points_.data();
        record.metric = MetricId::memory_resident;
        record.capacity = capacity;
        record.each = 1;
    }
    SeriesRecord record{};

  private:
    std::vector<SeriesPoint> points_;
};

std::vector<SeriesPoint> points_of(const SeriesRecord& series) {
    std::vector<SeriesPoint> points;
    visit_points(series, [&](const SeriesPoint& point) { points.push_back(point); });
    return points;
}

constexpr double mebibyte = 1024 * 1024;

// Figures from a source that this version knows, and from one that it does not.
Profile profile_of_rank(std::uint32_t rank) {
    RankProfile made(rank);
    made.add_path(0, made.add_function("main"), 1);
    Profile& profile = made.profile;
    profile.metrics = {{.name = "memory.resident",
                        .unit = "B",
                        .reduction = Reduction::max,
                        .scope = MetricScope::series,
                        .part = MetricPart::point,
                        .title = "Resident memory"},
                       {.name = "memory.peak",
                        .unit = "B",
                        .reduction = Reduction::max,
                        .scope = MetricScope::rank,
                        .part = MetricPart::point,
                        .title = "Peak of resident memory"},
                       {.name = "power.energy", .unit = "J", .scope = MetricScope::rank}};
    profile.rank_metrics = {{rank, 1, (rank + 3) * mebibyte}, {rank, 2, 0.5 + rank}};
    profile.series = {
        {rank,
         0,
         no_index,
         rank,
         {{1'000'000, mebibyte}, {2'000'000, 3 * mebibyte}, {3'000'000, 2 * mebibyte}}}};
    return profile;
}

std::string json_of(const Profile& profile) {
    return written_text([&](OutputFile& out) { write_profile_json(profile, out); });
}

}  // namespace

TEST_CASE("a series has as many points as fit, each for the same number of readings") {
    SeriesBuilder series(8);
    for (std::uint64_t i = 1; i <= 8; i++)
        add_reading(series.record, i, static_cast<double>(i));
    CHECK(points_of(series.record).size() == 8);
    CHECK(series.record.each == 1);
    add_reading(series.record, 9, 9);
    CHECK(series.record.each == 2);
    for (std::uint64_t i = 10; i <= 1'000'000; i++) {
        add_reading(series.record, i, i == 777'777 ? 1e9 : static_cast<double>(i));
        REQUIRE(series.record.count[series.record.half] <= 8);
    }
    end_point(series.record, 1'000'001);
    const std::vector<SeriesPoint> points = points_of(series.record);
    REQUIRE(points.size() >= 4);
    double largest = 0;
    for (std::size_t i = 0; i < points.size(); i++) {
        CHECK((i == 0 || points[i].ticks > points[i - 1].ticks));
        largest = std::max(largest, points[i].value);
    }
    CHECK(largest == 1e9);  // the reduction is the maximum: no peak is lost
    CHECK(points.back().ticks == 1'000'001);
    CHECK(points.back().value == 1e6);
    const std::size_t before = points.size();
    end_point(series.record, 1'000'002);  // nothing has been read since
    CHECK(points_of(series.record).size() == before);
}

TEST_CASE("the figures of a process are those of its rank") {
    ProcessBuilder process;
    struct {
        SideTable table;
        SideColumn column;
        alignas(8) SideRow row;
        std::uint64_t value;
    } peak{};
    peak.table.columns = 1;
    *peak.table.described() = {MetricId::memory_peak};
    peak.table.first = &peak.row;
    *peak.row.values() = 4096;
    process.record.side_tables = &peak.table;
    SeriesBuilder series(4);
    process.record.series = &series.record;
    process.record.start.ticks = 1000;
    series.record.missed = 3;
    add_reading(series.record, 1500, 100);
    add_reading(series.record, 2000, 200);
    SeriesBuilder empty(4);
    series.record.next = &empty.record;
    Profile profile;
    profile.run.rank = 5;
    collect_process_figures(profile, process.record, 2.0, nullptr);
    REQUIRE(profile.rank_metrics.size() == 1);
    CHECK(profile.rank_metrics[0].rank == 5);
    CHECK(profile.rank_metrics[0].value == 4096);
    CHECK(profile.metrics[profile.rank_metrics[0].metric].name == "memory.peak");
    REQUIRE(profile.series.size() == 1);
    CHECK(profile.metrics[profile.series[0].metric].scope == MetricScope::series);
    CHECK(profile.series[0].missed == 3);
    REQUIRE(profile.series[0].points.size() == 2);
    CHECK(profile.series[0].points[1].ns == 2000);
    CHECK(profile.series[0].points[1].value == 200);
}

TEST_CASE("tables of processes") {
    const Profile profile = profile_of_rank(0);
    const std::string log = log_of(profile);
    CHECK(table_in(log, "Memory") == "Memory\n"
                                     "+------+------------------------------+\n"
                                     "| Rank | Peak of resident memory[MiB] |\n"
                                     "+------+------------------------------+\n"
                                     "|    0 |                        3.000 |\n"
                                     "+------+------------------------------+\n");
    CHECK(contains(table_in(log, "power"), "| power.energy[J] |\n"));
    CHECK(table_in(log, "Resident memory over time") ==
          "Resident memory over time\n"
          "+------+--------+---------------+-----------+--------------+-------+-----------+\n"
          "| Rank | Points | Smallest[MiB] | Mean[MiB] | Largest[MiB] | at[s] | Last[MiB] |\n"
          "+------+--------+---------------+-----------+--------------+-------+-----------+\n"
          "|    0 |      3 |         1.000 |     2.000 |        3.000 | 0.002 |     2.000 |\n"
          "+------+--------+---------------+-----------+--------------+-------+-----------+\n");
}

TEST_CASE("figures of processes in JSON and back") {
    const std::string text = json_of(profile_of_rank(0));
    CHECK(contains(text, R"({"rank": 0, "metric": 1, "value": 3145728})"));
    CHECK(contains(text, R"({"rank": 0, "metric": 0, "time_ns": [1000000, 2000000, 3000000], )"
                         R"("values": [1048576, 3145728, 2097152]})"));
    CHECK(json_of(parse_profile_json(text)) == text);
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string copy = text;
        return parse_profile_json(copy.replace(copy.find(from), from.size(), to));
    };
    CHECK_THROWS_AS(changed("\"values\": [1048576, ", "\"values\": ["), ProfileFormatError);
    CHECK_THROWS_AS(changed("\"metric\": 0, \"time", "\"metric\": 9, \"time"), ProfileFormatError);
    CHECK_THROWS_AS(changed("\"rank\": 0, \"metric\": 2", "\"rank\": 0, \"metric\": 0"),
                    ProfileFormatError);
    const Profile no_number = changed("[1048576, ", "[null, ");
    CHECK(std::isnan(no_number.series[0].points[0].value));
}

TEST_CASE("figures of the processes of a job") {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < 5; rank++)
        own.push_back(profile_of_rank(rank));
    const Profile job = collate(own).job;
    REQUIRE(job.rank_metrics.size() == 10);
    REQUIRE(job.series.size() == 5);
    for (std::uint32_t rank = 0; rank < 5; rank++) {
        CHECK(job.rank_metrics[2 * rank].rank == rank);
        CHECK(job.rank_metrics[2 * rank].value == (rank + 3) * mebibyte);
        CHECK(job.series[rank].rank == rank);
        CHECK(job.series[rank].missed == rank);
        REQUIRE(job.series[rank].points.size() == 3);
        CHECK(job.series[rank].points[1].ns == 2'000'000);
        CHECK(job.series[rank].points[1].value == 3 * mebibyte);
    }
}

TEST_CASE("series of many ranks have fewer points each, and keep the largest values") {
    constexpr std::size_t ranks = 200, points = 1000;
    Profile profile = profile_of_rank(0);
    profile.series.clear();
    for (std::uint32_t rank = 0; rank < ranks; rank++) {
        Series series{rank, 0, no_index, 0, {}};
        for (std::size_t i = 1; i <= points; i++)
            series.points.push_back(
                {static_cast<std::int64_t>(i), i == 500 ? 1e9 : static_cast<double>(i)});
        profile.series.push_back(std::move(series));
    }
    ByteWriter out;
    write_lists(out, profile);
    const std::vector<char> message = out.take();
    ByteReader in(message);
    Profile job;
    job.metrics = profile.metrics;
    const std::vector<std::uint32_t> none, metric_of{0, 1, 2};
    const auto no_module = [](std::size_t) { return no_index; };
    ListMerger().add(in, {none, none, metric_of, 0, no_module}, job);
    REQUIRE(in.complete());
    std::size_t all = 0;
    for (const Series& series : job.series) {
        all += series.points.size();
        CHECK(series.points.back().ns == points);
        double largest = 0;
        for (const Series::Point& point : series.points)
            largest = std::max(largest, point.value);
        CHECK(largest == 1e9);
    }
    CHECK(all <= most_series_points);
    CHECK(all > most_series_points / 2);
    for (std::size_t length = 0; length < message.size(); length += 997) {
        ByteReader cut(std::span<const char>(message).first(length));
        Profile damaged;
        damaged.metrics = profile.metrics;
        ListMerger().add(cut, {none, none, metric_of, 0, no_module}, damaged);
        CHECK(!cut.complete());
    }
}

TEST_CASE("figures of the processes of several runs, and how they differ") {
    const Profile first = profile_of_rank(0);
    Profile second = first, third = first;
    second.rank_metrics[0].value = 5 * mebibyte;
    second.rank_metrics[1].value = 1.25;
    for (const RunReduction reduction : {RunReduction::sum, RunReduction::mean}) {
        const Profile all = merge_runs({first, second, third}, {"a", "b", "c"}, reduction);
        REQUIRE(all.rank_metrics.size() == 2);
        CHECK(all.rank_metrics[0].value == 5 * mebibyte);
        CHECK(all.rank_metrics[1].value == (reduction == RunReduction::sum ? 2.25 : 0.75));
        CHECK(all.series.empty());
    }
    const ComparedPair pair{compared_profile(first, "a", false, std::string::npos),
                            compared_profile(second, "b", false, std::string::npos),
                            {}};
    const std::vector<MetricDifference> metrics = metric_differences(pair, DifferenceBy::function);
    REQUIRE(metrics.size() == 2);
    CHECK(metrics[0].metric.name == "memory.peak");
    REQUIRE(metrics[0].rows.size() == 1);
    CHECK(metrics[0].rows[0].difference() == 2 * mebibyte);
}

TEST_CASE("series of a dead process") {
    TreeFileBuilder builder;
    builder.add_thread();
    constexpr std::uint32_t capacity = 8;
    const auto points = builder.allocate(2 * capacity * sizeof(SeriesPoint));
    const auto address = builder.allocate(sizeof(SeriesRecord));
    const auto series = [&]() -> SeriesRecord& { return builder.at<SeriesRecord>(address); };
    series().points = reinterpret_cast<SeriesPoint*>(points);
    series().metric = MetricId::memory_resident;
    series().capacity = capacity;
    series().half = 1;
    series().count[0] = 8;
    series().count[1] = 2;
    const auto at = [&](std::uint64_t i) -> SeriesPoint& {
        return builder.at<SeriesPoint>(points + i * sizeof(SeriesPoint));
    };
    at(capacity) = {2'000'000, 10};
    at(capacity + 1) = {12'000'000, 20};
    builder.record().series = reinterpret_cast<SeriesRecord*>(address);
    const auto read = [&] { return RecoveredProcess(FileImage(builder.contents(), "the file")); };
    SECTION("are there, and say until when it lived") {
        const RecoveredProcess process = read();
        CHECK(process.left_out() == 0);
        REQUIRE(process.record().series);
        const std::vector<SeriesPoint> found = points_of(*process.record().series);
        REQUIRE(found.size() == 2);
        CHECK(found[1].value == 20);
        CHECK(process.latest_ticks() == 12'000'000);
    }
    SECTION("of metrics without series are left out") {
        series().metric = GENERATE(MetricId::memory_peak, static_cast<MetricId>(60'000));
        const RecoveredProcess process = read();
        CHECK(!process.record().series);
        CHECK(process.left_out() == 1);
    }
    SECTION("with more points than there is room for are left out") {
        series().count[1] = 9;
        CHECK(!read().record().series);
    }
    SECTION("whose points are not in the file have none") {
        series().points = reinterpret_cast<SeriesPoint*>(0x1234);
        const RecoveredProcess process = read();
        CHECK(process.left_out() == 1);
    }
    SECTION("end at a circular list") {
        series().next = reinterpret_cast<SeriesRecord*>(address);
        CHECK(read().left_out() > 0);
    }
}
