// The report of regions: rows by host, energy by path, the names of rows, YAML.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "collate/region_energy.hpp"
#include "collate/side_figures.hpp"
#include "profile/row_keys.hpp"
#include "record/region_id.hpp"
#include "record/region_rows.hpp"
#include "report/region_report.hpp"
#include "report/region_yaml.hpp"
#include "sample_profile.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

constexpr std::int64_t ms = 1'000'000;

RegionFigures figures(const char* host, std::uint64_t machine, RegionPart part,
                      std::uint32_t function, std::uint64_t id, std::uint64_t processes,
                      std::int64_t runtime_ns, double entries) {
    RegionFigures row;
    row.host = host;
    row.machine = machine;
    row.part = part;
    row.function = function;
    row.id = id;
    row.processes = processes;
    row.runtime_ns = runtime_ns;
    row.entries = entries;
    return row;
}

constexpr std::uint32_t my_region = 4;  // function of sample_profile()

// Of three processes, two of which were in the region.
Profile one_host() {
    Profile profile = sample_profile();
    for (const MetricId metric : {MetricId::region_sync_runtime, MetricId::region_package_energy})
        profile.metrics.push_back(described_metric(metric, 0));
    profile.regions = {figures("node", 1, RegionPart::region, my_region, 77, 2, 60 * ms, 4),
                       figures("node", 1, RegionPart::epoch, no_index, 0, 3, 600 * ms, 30),
                       figures("node", 1, RegionPart::application, no_index, 0, 3, 900 * ms, 0)};
    profile.region_metrics = {{"node", 1, RegionPart::region, 77, 0, 15e6},
                              {"node", 1, RegionPart::region, 77, 1, 3},
                              {"node", 1, RegionPart::region, 99, 1, 1000},  // unknown
                              {"node", 1, RegionPart::unmarked, 0, 1, 2},
                              {"node", 1, RegionPart::application, 0, 0, 300e6},
                              {"node", 1, RegionPart::application, 0, 1, 5}};
    return profile;
}

}  // namespace

TEST_CASE("a host's figures are means over its processes") {
    const std::vector<RegionReportHost> hosts = region_report(one_host());
    REQUIRE(hosts.size() == 1);
    const RegionReportHost& host = hosts[0];
    CHECK(host.name == "node");
    REQUIRE(host.regions.size() == 1);
    const RegionReportRow& region = host.regions[0];
    CHECK(region.name == "my region");
    CHECK(region.runtime_s == Approx(0.02));
    CHECK(region.count == Approx(4.0 / 3));
    CHECK(region.sync_runtime_s == Approx(0.015));
    CHECK(region.package_energy_J == 3);
    CHECK(region.power_W() == Approx(200));
    CHECK(host.unmarked.runtime_s == Approx(0.28));
    CHECK(host.unmarked.power_W() == 0);  // no time was sampled there
    CHECK(host.has_epochs);
    CHECK(host.epoch.count == 10);
    CHECK(host.application.sync_runtime_s == Approx(0.3));
    CHECK_FALSE(region.is_known(region.dram_energy_J));
    CHECK_FALSE(region.is_known(region.gpu_power_W()));
    CHECK_FALSE(region.is_known(region.frequency_percent()));
}

TEST_CASE("hosts with equal names are distinguished") {
    Profile profile = one_host();
    profile.regions.push_back(figures("node", 2, RegionPart::region, my_region, 77, 1, 7 * ms, 1));
    profile.regions.push_back(
        figures("node", 2, RegionPart::application, no_index, 0, 1, 10 * ms, 0));
    const std::vector<RegionReportHost> hosts = region_report(profile);
    REQUIRE(hosts.size() == 2);
    CHECK(hosts[0].name == "node");
    CHECK(hosts[1].name == "node (2)");
    CHECK(hosts[0].regions[0].runtime_s == Approx(0.02));
    CHECK(hosts[1].regions[0].runtime_s == Approx(0.007));
    CHECK_FALSE(hosts[1].has_epochs);
}

TEST_CASE("energy is distributed by the time of paths in a region and outside all regions") {
    Profile profile = one_host();
    estimate_energy_of_paths(profile);
    const std::size_t values = profile.metric_values.size();
    estimate_energy_of_paths(profile);  // anew, not again
    CHECK(profile.metric_values.size() == values);
    double in_region = 0, outside = 0;
    for (const MetricValue& value : profile.metric_values) {
        CHECK(profile.metrics[value.metric].name == "region.path_energy");
        const Path& path = profile.paths[value.path];
        // Paths 6 to 8 are the region and what it calls.
        const bool is_in_region = value.path >= 6 && value.path <= 8;
        (is_in_region ? in_region : outside) += value.value;
        if (!is_in_region)
            CHECK(value.value ==
                  Approx(2.0 * static_cast<double>(path.exclusive_ns) / (203.0 * ms)));
    }
    CHECK(in_region == Approx(3));
    CHECK(outside == Approx(2));
}

TEST_CASE("if no path has time, the outermost one has the energy") {
    Profile profile = one_host();
    for (Path& path : profile.paths)
        path.exclusive_ns = 0;
    estimate_energy_of_paths(profile);
    REQUIRE(profile.metric_values.size() == 2);
    CHECK(profile.metric_values[0].path == 0);
    CHECK(profile.metric_values[0].value == 2);
    CHECK(profile.metric_values[1].path == 6);
    CHECK(profile.metric_values[1].value == 3);
}

TEST_CASE("the names of rows say what they refer to") {
    for (const RegionPart part :
         {RegionPart::region, RegionPart::unmarked, RegionPart::epoch, RegionPart::application})
        for (const char* signal : {"", "CPU_ENERGY@package-0"}) {
            char name[64];
            const std::uint64_t id = part == RegionPart::region ? 0xc0ffee0123 : 0;
            write_region_row(name, sizeof name, part, id, signal);
            const RegionRow row = read_region_row(name);
            CHECK(row.is_sound);
            CHECK(row.part == part);
            CHECK(row.region == id);
            CHECK(row.signal == signal);
        }
    for (const char* wrong : {"", "x", "r", "r123", "rg000000000", "uu", "r0123456789x"})
        CHECK_FALSE(read_region_row(wrong).is_sound);
}

TEST_CASE("regions have the same id in all processes") {
    const auto id = [](const char* name) {
        Node node{};
        node.kind = NodeKind::region;
        node.key = reinterpret_cast<std::uintptr_t>(name);
        return region_id(node, {});
    };
    const std::string copy = "solve";
    CHECK(id("solve") == id(copy.c_str()));
    CHECK(id("solve") != id("solver"));
    CHECK(id("solve") >> region_id_bits == 0);
    LoadedModule here{0x1000, 0x9000, 0x1000, "/a/prog", true, {}},
        there{0x5000, 0xd000, 0x5000, "/b/prog", true, {}};
    const auto of_construct = [](LoadedModule& module, std::uintptr_t offset) {
        Node node{};
        node.kind = NodeKind::openmp;
        node.key = openmp_key(OpenmpConstruct::parallel, module.bias + offset);
        node.module = 0;
        return region_id(node, {&module, 1});
    };
    CHECK(of_construct(here, 0x123) == of_construct(there, 0x123));
    CHECK(of_construct(here, 0x123) != of_construct(here, 0x124));
}

TEST_CASE("what YAML would misread is quoted") {
    for (const char* plain : {"solve", "MPI_Init", "a b", "Solver<double>", "_x", "a.b-c"})
        CHECK(yaml_text(plain) == plain);
    CHECK(yaml_text("") == "\"\"");
    CHECK(yaml_text("no") == "\"no\"");
    CHECK(yaml_text("NULL") == "\"NULL\"");
    CHECK(yaml_text("1e5") == "\"1e5\"");
    CHECK(yaml_text("a: b") == "\"a: b\"");
    CHECK(yaml_text("- a") == "\"- a\"");
    CHECK(yaml_text("a #b") == "\"a #b\"");
    CHECK(yaml_text("a ") == "\"a \"");
    CHECK(yaml_text("a\"\\b\n\t\x01") == "\"a\\\"\\\\b\\n\\t\\x01\"");
    CHECK(yaml_text("\xff") == "\"\xEF\xBF\xBD\"");
    CHECK(yaml_number(1e-9) == "1.0e-09");
    CHECK(yaml_number(1.25e20) == "1.25e+20");
    CHECK(yaml_number(3) == "3");
}

TEST_CASE("the file has GEOPM's keys") {
    std::string text;
    OutputFile out(text);
    write_region_yaml(one_host(), {.profile = "heat"}, out);
    out.close();
    CHECK(text.find("Profile: heat\nAgent: monitor\nPolicy: {}\n\nHosts:\n  node:\n    Regions:\n"
                    "    - region: my region\n      hash: 0x") != text.npos);
    CHECK(text.find("      runtime (s): 0.02\n      count: 1.333333333\n"
                    "      sync-runtime (s): 0.015\n      package-energy (J): 3\n"
                    "      dram-energy (J): .nan\n      power (W): 200\n") != text.npos);
    CHECK(text.find("    Epoch Totals:\n") != text.npos);
    // GEOPM's readers need the keys of all hints.
    CHECK(text.find("time-hint-unknown (s): ") != text.npos);
}
