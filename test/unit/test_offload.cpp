// Constructs of OpenACC and OpenMP for devices: their tables, their merging, and the JSON file.
#include <catch2/catch.hpp>

#include "collation_job.hpp"
#include "compare/merge_profiles.hpp"
#include "json_errors.hpp"
#include "log_text.hpp"
#include "profile/profile_json.hpp"
#include "readers/profile_json_reader.hpp"
#include "record/openacc_events.hpp"
#include "report/offload_tables.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::uint32_t enter_data = 10, compute_construct = 16, enqueue_launch = 18,
                        enqueue_upload = 20, wait = 24;

std::uint32_t add_event(RankProfile& made, const std::string& name, std::uint32_t event,
                        const char* file, std::uint32_t line, std::uint32_t last,
                        const char* within) {
    const std::uint32_t index = made.add_function(
        name, no_index, gpu_call_id(GpuApi::openacc, openacc_callback(event, last)), NodeKind::gpu);
    Function& function = made.profile.functions[index];
    function.display = name;
    function.file = file;
    function.line = line;
    function.symbol = within;
    return index;
}

// main calls step and other, which have a construct each; on odd ranks these are found in the
// opposite order.
RankProfile rank_with_constructs(std::uint32_t rank) {
    RankProfile made(rank);
    const std::uint32_t main = made.add_path(0, made.add_function("main"), 1, 100 * ms, 10 * ms);
    const auto construct = [&](const char* function, const char* file, std::uint64_t bytes) {
        const std::uint32_t caller =
            made.add_path(main, made.add_function(function), 1, 50 * ms, 1 * ms);
        const std::uint32_t compute =
            made.add_path(caller,
                          add_event(made, "openacc_5_9_compute_construct", compute_construct, file,
                                    5, 9, function),
                          4, 30 * ms, 20 * ms);
        const std::uint32_t upload = made.add_path(
            compute, add_event(made, "openacc_enqueue_upload", enqueue_upload, "", 0, 0, ""), 4,
            6 * ms, 6 * ms);
        made.add_path(compute, add_event(made, "openacc_wait", wait, "", 0, 0, ""), 4, 4 * ms,
                      4 * ms);
        made.profile.transfers.push_back({upload, {4, bytes}, {}, {2, 100}});
    };
    if (rank % 2) {
        construct("other", "lib/a.c", 7);
        construct("step", "src/a.c", 1000);
    } else {
        construct("step", "src/a.c", 1000);
        construct("other", "lib/a.c", 7);
    }
    made.profile.construct_devices = {{rank, ProgrammingModel::openacc, false, 0},
                                      {rank, ProgrammingModel::openacc, true, 0}};
    for (std::uint32_t i = 0; i < made.profile.paths.size(); i++)
        made.profile.paths[i].stid = i;
    return made;
}

std::string tables_of(const Profile& profile, ProgrammingModel model, ReportOptions options = {}) {
    const PathText text(profile, options.max_name_width);
    return "\n" + written_tables([&](TableOutput& out) {
               write_offload_tables(profile, model, text, options, LogScope::rank, true, out);
               write_openacc_event_ids(profile, out);
           });
}

}  // namespace

TEST_CASE("events in a construct without a place of their own are the construct's") {
    const Profile profile = rank_with_constructs(0).profile;
    const OffloadRows offload = offload_rows(profile, ProgrammingModel::openacc);
    REQUIRE(offload.rows.size() == 6);
    REQUIRE(offload.regions.size() == 2);
    const OffloadRegion& step = offload.regions[0];
    CHECK(step.function == "step");
    CHECK(step.figures.time(ConstructTime::compute) == 20 * ms);
    CHECK(step.figures.time(ConstructTime::data) == 6 * ms);
    CHECK(step.figures.time(ConstructTime::wait) == 4 * ms);
    CHECK(step.figures.all_time() == 30 * ms);
    CHECK(step.figures.bytes[0] == 1000);
    CHECK(step.figures.all_bytes() == 1100);
    CHECK(offload.regions[1].function == "other");
    CHECK(offload_rows(profile, ProgrammingModel::openmp).rows.empty());
    CHECK_FALSE(uses_offload(profile, ProgrammingModel::openmp));
}

TEST_CASE("tables of constructs") {
    Profile profile = rank_with_constructs(0).profile;
    profile.paths[3].exclusive_ns = 25 * ms;
    const std::string tables = tables_of(profile, ProgrammingModel::openacc);
    CHECK(table_in(tables, "--OpenACC Summary--") == R"(--OpenACC Summary--
Registered GPUs: 1
+----------+----------+---------------+------------+------------+--------------------+--------------------+---------------+
| Position | Function | t_compute [s] | t_data [s] | t_wait [s] | Host -> Device [B] | Device -> Host [B] | On Device [B] |
+----------+----------+---------------+------------+------------+--------------------+--------------------+---------------+
|  a.c - 5 |     step |          0.03 |       0.01 |       0.00 |               1000 |                  0 |           100 |
|  a.c - 5 |    other |          0.02 |       0.01 |       0.00 |                  7 |                  0 |           100 |
+----------+----------+---------------+------------+------------+--------------------+--------------------+---------------+
)");
    CHECK(contains(tables, "|    4 |    20 |        1 |      4 |         0.00 |      0.01 |      "
                           "0.00 |  1100 | a.c (5 - 9) |     step |"));
    CHECK(table_in(tables, "OpenACC ratio of memcpy / kernel calls:") ==
          "OpenACC ratio of memcpy / kernel calls:\n"
          "step()<main() (STID 2): 4 in, 0 out\n"
          "    openacc_5_9_compute_construct (STID 3): 4 launches, 1.000 in and 0.000 out per "
          "launch\n"
          "other()<main() (STID 6): 4 in, 0 out\n"
          "    openacc_5_9_compute_construct (STID 7): 4 launches, 1.000 in and 0.000 out per "
          "launch\n");
    CHECK(contains(tables, "     20   enqueue_upload"));
    ReportOptions options;
    options.max_rows = 1;
    CHECK(contains(tables_of(profile, ProgrammingModel::openacc, options), "\n(1 more row)\n"));
}

TEST_CASE("GPUs that take part, or only the host") {
    Profile profile = rank_with_constructs(0).profile;
    profile.construct_devices.erase(profile.construct_devices.begin());
    CHECK(contains(tables_of(profile, ProgrammingModel::openacc),
                   "\nRegistered GPUs: 0 (constructs ran on the host)\n"));
    profile.construct_devices.clear();
    CHECK(contains(tables_of(profile, ProgrammingModel::openacc), "\nRegistered GPUs: 0\n"));
}

TEST_CASE("launches are counted if the library reports them") {
    RankProfile made = rank_with_constructs(0);
    made.add_path(3, add_event(made, "openacc_enqueue_launch", enqueue_launch, "", 0, 0, ""), 40);
    const OffloadRows offload = offload_rows(made.profile, ProgrammingModel::openacc);
    for (const OffloadRow& row : offload.rows)
        CHECK(row.launches == (row.event == enqueue_launch));
}

TEST_CASE("time of a construct includes its callees, except other constructs and threads") {
    RankProfile made = rank_with_constructs(0);
    const std::uint32_t cuda =
        made.add_path(5,
                      made.add_function("cuStreamSynchronize", no_index,
                                        gpu_call_id(GpuApi::driver, 7), NodeKind::gpu),
                      1, 3 * ms, 3 * ms);
    REQUIRE(cuda > 5);
    const std::uint32_t body = made.add_path(3, made.add_function("body"), 1, 2 * ms, 2 * ms);
    const std::uint32_t thread =
        made.add_path(body, made.add_function("[thread]", no_index, 0, NodeKind::thread), 1, 0, 0);
    made.add_path(thread, made.add_function("work"), 1, 90 * ms, 90 * ms);
    const std::uint32_t nested = made.add_path(
        body, add_event(made, "openacc_7_7_wait", wait, "src/b.c", 7, 7, "body"), 1, ms, ms);
    const OffloadRows offload = offload_rows(made.profile, ProgrammingModel::openacc);
    REQUIRE(offload.regions.size() == 3);
    CHECK(offload.regions[0].figures.time(ConstructTime::compute) == 22 * ms);
    CHECK(offload.regions[0].figures.time(ConstructTime::wait) == 7 * ms);
    CHECK(offload.regions[2].construct == nested);
    CHECK(offload.regions[2].figures.time(ConstructTime::wait) == ms);
}

TEST_CASE("a construct without a place is that of its function") {
    RankProfile made(0);
    const std::uint32_t main = made.add_path(0, made.add_function("main"), 1);
    const std::uint32_t enter = add_event(made, "openacc_enter_data", enter_data, "", 0, 0, "");
    const std::uint32_t named =
        add_event(made, "openacc_5_5_wait", wait, "", 5, 5, "_ZN4grid4waitEi");
    made.add_path(main, enter, 2);
    made.add_path(main, named, 3);
    const OffloadRows offload = offload_rows(made.profile, ProgrammingModel::openacc);
    REQUIRE(offload.regions.size() == 2);
    CHECK(offload.regions[0].function == "main()");
    CHECK(offload.regions[1].function == "grid::wait");
    CHECK(contains(tables_of(made.profile, ProgrammingModel::openacc), "|        - |"));
}

TEST_CASE("constructs of OpenMP for devices") {
    RankProfile made(0);
    const std::uint32_t main = made.add_path(0, made.add_function("main"), 1);
    const auto construct = [&](const char* name, std::uint32_t line) {
        const std::uint32_t index = made.add_function(name, no_index, 0, NodeKind::openmp);
        made.profile.functions[index].display = name;
        made.profile.functions[index].file = "/src/heat.c";
        made.profile.functions[index].line = line;
        return made.add_path(main, index, 3, 5 * ms, 5 * ms);
    };
    construct("omp parallel @heat.c:3", 3);
    const std::uint32_t target = construct("omp target @heat.c:7", 7);
    construct("omp target data @heat.c:9", 9);
    construct("omp taskwait @heat.c:11", 11);
    made.profile.transfers.push_back({target, {3, 300}, {3, 30}, {}});
    made.profile.construct_devices = {{0, ProgrammingModel::openmp, false, 0}};
    CHECK_FALSE(uses_offload(made.profile, ProgrammingModel::openacc));
    REQUIRE(uses_offload(made.profile, ProgrammingModel::openmp));
    const OffloadRows offload = offload_rows(made.profile, ProgrammingModel::openmp);
    REQUIRE(offload.rows.size() == 2);
    CHECK(offload.rows[0].figures.time(ConstructTime::compute) == 5 * ms);
    CHECK(offload.rows[0].launches);
    CHECK(offload.rows[1].figures.time(ConstructTime::data) == 5 * ms);
    CHECK_FALSE(offload.rows[1].launches);
    const std::string tables = tables_of(made.profile, ProgrammingModel::openmp);
    CHECK(contains(tables, "--OpenMP Target Summary--\nRegistered GPUs: 1\n"));
    CHECK(contains(tables, "| heat.c - 7 |   main() |"));
    CHECK(contains(tables, "|      omp target |"));
    CHECK(contains(tables, "OpenMP ratio of transfers / target regions:\n"));
}

TEST_CASE("operations in constructs of OpenMP for devices") {
    RankProfile made(0);
    const std::uint32_t step = made.add_path(0, made.add_function("step"), 1);
    // Functions that compilers make of the bodies of tasks and regions are not the program's.
    const std::uint32_t body = made.add_path(step, made.add_function("step.omp_outlined"), 1);
    const auto add = [&](std::uint32_t parent, const char* name, std::int64_t own) {
        const std::uint32_t index = made.add_function(name, no_index, 0, NodeKind::openmp);
        made.profile.functions[index].display = name;
        return made.add_path(parent, index, 2, own, own);
    };
    const std::uint32_t target = add(body, "omp target @step+0x1f", 5 * ms);
    const std::uint32_t copy = add(target, "omp target to device @step+0x1f", 2 * ms);
    add(target, "omp target launch @step+0x1f", 3 * ms);
    const std::uint32_t memory = add(body, "omp target alloc @step+0x3f", 1 * ms);
    made.profile.transfers = {{copy, {2, 70}, {}, {}}, {memory, {}, {}, {2, 40}}};
    const OffloadRows offload = offload_rows(made.profile, ProgrammingModel::openmp);
    REQUIRE(offload.rows.size() == 4);
    for (const OffloadRow& row : offload.rows)
        CHECK(row.launches == (row.path == target));
    REQUIRE(offload.regions.size() == 2);
    CHECK(offload.regions[0].function == "step()");
    CHECK(offload.regions[0].figures.time(ConstructTime::compute) == 8 * ms);
    CHECK(offload.regions[0].figures.time(ConstructTime::data) == 2 * ms);
    CHECK(offload.regions[0].figures.all_bytes() == 70);
    CHECK(offload.regions[1].figures.time(ConstructTime::data) == 1 * ms);
    CHECK(offload.regions[1].figures.all_bytes() == 40);
}

TEST_CASE("constructs of several ranks are added up, each at its place") {
    std::vector<Profile> own;
    for (std::uint32_t rank = 0; rank < 5; rank++)
        own.push_back(rank_with_constructs(rank).profile);
    const Profile job = collate(own).job;
    REQUIRE(job.transfers.size() == 2);
    REQUIRE(job.construct_devices.size() == 10);
    const OffloadRows offload = offload_rows(job, ProgrammingModel::openacc);
    REQUIRE(offload.regions.size() == 2);
    for (const OffloadRegion& region : offload.regions) {
        CHECK(region.figures.calls == 5 * 12);
        CHECK(region.figures.bytes[0] == (region.function == "step" ? 5000u : 35u));
        CHECK(region.figures.time(ConstructTime::compute) == 100 * ms);
        CHECK(job.functions[job.paths[region.construct].function].file ==
              (region.function == "step" ? "src/a.c" : "lib/a.c"));
    }
}

TEST_CASE("offloaded work in the JSON file") {
    Profile profile = rank_with_constructs(0).profile;
    profile.run.ranks = 4;
    profile.construct_devices.push_back({3, ProgrammingModel::openmp, false, -7});
    const std::string text = json_of(profile);
    const Profile copy = parse_profile_json(text);
    CHECK(json_of(copy) == text);
    REQUIRE(copy.transfers.size() == 2);
    CHECK(copy.transfers[0].path == profile.transfers[0].path);
    CHECK(copy.transfers[0].to_device.count == profile.transfers[0].to_device.count);
    CHECK(copy.transfers[1].on_device.bytes == profile.transfers[1].on_device.bytes);
    REQUIRE(copy.construct_devices.size() == 3);
    CHECK(copy.construct_devices[1].is_host);
    CHECK(copy.construct_devices[2].model == ProgrammingModel::openmp);
    CHECK(copy.construct_devices[2].number == -7);
    CHECK(tables_of(copy, ProgrammingModel::openacc) ==
          tables_of(profile, ProgrammingModel::openacc));
}

TEST_CASE("devices of a model from a later version are left out") {
    const std::string good = json_of(rank_with_constructs(0).profile);
    const Profile read = parse_profile_json(
        replaced(good, "\"openacc\", \"host\": true", "\"sycl\", \"host\": true"));
    CHECK(read.construct_devices.size() + 1 == parse_profile_json(good).construct_devices.size());
}

TEST_CASE("wrong figures of offloaded work are refused") {
    const std::string good = json_of(rank_with_constructs(0).profile);
    REQUIRE(error_of(good) == "no error");
    const auto error = [&](const std::string& what, const std::string& by) {
        return error_of(replaced(good, what, by));
    };
    CHECK(error("{\"node\": 4, \"host", "{\"node\": 10, \"host") ==
          "offload.nodes[0].node: must be at most 9");
    CHECK(error("{\"node\": 4, \"host", "{\"node\": 8, \"host") ==
          "offload.nodes[1]: must be sorted by node");
    CHECK(error("\"bytes\": 1000", "\"bytes\": -1") != "no error");
    CHECK(error("\"openacc\", \"host\": true", "5, \"host\": true") ==
          "offload.devices[1].model: must be a string");
    CHECK(error("\"host\": true", "\"host\": false") ==
          "offload.devices[1]: must be sorted by rank, model, host and number");
}
