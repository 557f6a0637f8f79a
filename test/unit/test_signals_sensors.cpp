// Topology, frequencies and temperatures of synthetic hosts.
#include <cmath>
#include <thread>

#include "host_signals/processors.hpp"
#include "host_tree.hpp"

using namespace vftrace;
using namespace vftrace::test;

namespace {

using Labels = std::vector<std::string>;

// A sensor of hwmon.
void sensor(const HostTree& host, const std::string& device, int number, const char* label,
            int millidegrees) {
    const std::string input = "sys/class/hwmon/" + device + "/temp" + std::to_string(number);
    host.write(input + "_label", label);
    host.write(input + "_input", std::to_string(millidegrees));
}

void device(const HostTree& host, const std::string& name, const char* driver, const char* bus_id) {
    host.write("sys/class/hwmon/" + name + "/name", driver);
    std::filesystem::create_directory_symlink(std::string("../../../devices/") + bus_id,
                                              host / ("sys/class/hwmon/" + name + "/device"));
}

}  // namespace

TEST_CASE("processors belong to cores and packages") {
    const HostTree host;
    host.processors();
    const Processors processors(host / "sys");
    CHECK(processors.packages() == std::vector<std::uint32_t>{0, 1});
    REQUIRE(processors.cores().size() == 4);
    std::vector<std::uint32_t> packages, cores;
    for (std::uint32_t number = 0; number < 9; number++) {  // there are eight
        packages.push_back(processors.package_of(number));
        cores.push_back(processors.core_of(number));
    }
    CHECK(packages == std::vector<std::uint32_t>{0, 0, 1, 1, 0, 0, 1, 1, 0});
    CHECK(cores == std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3, 0});
    CHECK(processors.cores()[3].first_processor == 3);
    CHECK(processors.core_with_id(1, 4) == &processors.cores()[3]);
    CHECK(processors.core_with_id(1, 5) == nullptr);

    const HostTree unknown;
    for (const char* name : {"cpu0", "cpu1", "cpufreq", "cpuidle"})
        std::filesystem::create_directories(unknown / std::string("sys/devices/system/cpu/") +
                                            name);
    const Processors alike(unknown / "sys");
    CHECK(alike.packages() == std::vector<std::uint32_t>{0});
    CHECK(alike.package_of(1) == 0);
    CHECK(alike.cores().size() == 2);
    CHECK(alike.core_of(1) == 1);
    CHECK(Processors("/nowhere").packages() == std::vector<std::uint32_t>{0});

    // As on machines whose packages are numbered by address.
    host.processor(8, 36, 0);
    CHECK(Processors(host / "sys").packages() == std::vector<std::uint32_t>{0, 1, 36});
}

TEST_CASE("time is known in all domains of processors") {
    const HostTree host;
    host.processors();
    SignalReader reader(host.settings(), requests("TIME@package, TIME, TIME@core"));
    CHECK(labels(reader) == Labels{"TIME@package-0", "TIME@package-1", "TIME", "TIME@core-0",
                                   "TIME@core-1", "TIME@core-2", "TIME@core-3"});
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto now = values(reader);
    CHECK(now.at("TIME") > 0.002);
    CHECK(now.at("TIME") < 60);
    CHECK(now.at("TIME@core-3") == now.at("TIME"));
}

TEST_CASE("frequencies of cores, packages and the board") {
    const HostTree host;
    host.processors();
    const auto file = [](int number) {
        return "sys/devices/system/cpu/cpu" + std::to_string(number) + "/cpufreq/scaling_cur_freq";
    };
    for (int number = 0; number < 8; number++)
        host.write(file(number), std::to_string(2000000 + 100000 * number));
    SignalReader reader(host.settings(), requests("CPU_FREQUENCY_STATUS@core, CPU_FREQUENCY_STATUS@"
                                                  "package, CPU_FREQUENCY_STATUS"));
    CHECK(reader.problems().empty());
    auto now = values(reader);
    CHECK(now.size() == 7);
    CHECK(now["CPU_FREQUENCY_STATUS@core-0"] == 2.0e9);
    CHECK(now["CPU_FREQUENCY_STATUS@core-3"] == Approx(2.3e9));
    CHECK(now["CPU_FREQUENCY_STATUS@package-0"] == Approx(2.05e9));
    CHECK(now["CPU_FREQUENCY_STATUS@package-1"] == Approx(2.25e9));
    CHECK(now["CPU_FREQUENCY_STATUS"] == Approx(2.15e9));
    CHECK(!reader.signals()[0].is_sum);
    host.remove(file(3));  // switched off
    now = values(reader);
    CHECK(std::isnan(now["CPU_FREQUENCY_STATUS@core-3"]));
    CHECK(std::isnan(now["CPU_FREQUENCY_STATUS@package-1"]));
    CHECK(now["CPU_FREQUENCY_STATUS@package-0"] == Approx(2.05e9));
    host.write(file(3), "1000000");
    CHECK(values(reader)["CPU_FREQUENCY_STATUS@core-3"] == 1e9);
}

TEST_CASE("the nominal frequency of a processor") {
    const HostTree host;
    const auto sticker = [&] { return SignalReader(host.settings(), {}).sticker_hz(); };
    CHECK(sticker() == 0);
    host.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC\ncpu MHz\t\t: 2250.5\n");
    CHECK(sticker() == Approx(2250.5e6));
    host.write("proc/cpuinfo", "model name\t: Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz\n"
                               "cpu MHz\t\t: 1000.0\n");
    CHECK(sticker() == Approx(2.4e9));
    host.write("sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "2500000");
    CHECK(sticker() == Approx(2.5e9));
}

TEST_CASE("temperatures of Intel's packages and cores") {
    const HostTree host;
    host.processors();
    device(host, "hwmon0", "nvme", "nvme0");
    sensor(host, "hwmon0", 1, "Composite", 30000);
    device(host, "hwmon1", "coretemp", "coretemp.1");
    sensor(host, "hwmon1", 1, "Package id 1", 70000);
    sensor(host, "hwmon1", 2, "Core 0", 61000);
    sensor(host, "hwmon1", 6, "Core 4", 62000);
    device(host, "hwmon2", "coretemp", "coretemp.0");
    sensor(host, "hwmon2", 1, "Package id 0", 50000);
    sensor(host, "hwmon2", 2, "Core 0", 41000);
    SignalReader reader(host.settings(),
                        requests("CPU_PACKAGE_TEMPERATURE@package, CPU_PACKAGE_TEMPERATURE, "
                                 "CPU_CORE_TEMPERATURE@core, CPU_CORE_TEMPERATURE@package"));
    CHECK(reader.problems().empty());
    const auto now = values(reader);
    const std::map<std::string, double> expected = {
        {"CPU_PACKAGE_TEMPERATURE@package-0", 50}, {"CPU_PACKAGE_TEMPERATURE@package-1", 70},
        {"CPU_PACKAGE_TEMPERATURE", 60},           {"CPU_CORE_TEMPERATURE@core-0", 41},
        {"CPU_CORE_TEMPERATURE@core-2", 61},       {"CPU_CORE_TEMPERATURE@core-3", 62},
        {"CPU_CORE_TEMPERATURE@package-0", 41},    {"CPU_CORE_TEMPERATURE@package-1", 61.5}};
    CHECK(now.size() == expected.size());
    for (const auto& [name, value] : expected) {
        INFO(name);
        CHECK(now.at(name) == Approx(value));
    }
}

TEST_CASE("temperatures of AMD's packages") {
    const HostTree host;
    host.processors();
    // Two nodes in each package.
    const char* const addresses[] = {"0000:00:1b.3", "0000:00:18.3", "0000:00:1a.3",
                                     "0000:00:19.3"};
    const int millidegrees[] = {80000, 50000, 70000, 52000};
    for (int i = 0; i < 4; i++) {
        const std::string name = "hwmon" + std::to_string(i);
        device(host, name, "k10temp", addresses[i]);
        sensor(host, name, 1, "Tctl", millidegrees[i]);
        sensor(host, name, 3, "Tccd1", 99000);
    }
    SignalReader reader(host.settings(), requests("CPU_PACKAGE_TEMPERATURE@package"));
    const auto now = values(reader);
    CHECK(now.at("CPU_PACKAGE_TEMPERATURE@package-0") == Approx(51));
    CHECK(now.at("CPU_PACKAGE_TEMPERATURE@package-1") == Approx(75));
}
