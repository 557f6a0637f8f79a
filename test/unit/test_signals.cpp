// Requests of users, and energy of processors on synthetic hosts.
#include <cmath>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "host_tree.hpp"

using namespace vftrace;
using namespace vftrace::test;
using Catch::Matchers::Contains;

namespace {

// Whether there is a problem that contains this text.
bool is_reported(const SignalReader& reader, const char* words) {
    for (const std::string& problem : reader.problems())
        if (problem.find(words) != problem.npos)
            return true;
    return false;
}

std::size_t open_files() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        count++;
    return count;
}

// The descriptor that is open on a file.
int descriptor_of(const std::string& path) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code error;
        if (std::filesystem::read_symlink(entry.path(), error) == path)
            return std::stoi(entry.path().filename());
    }
    return -1;
}

}  // namespace

TEST_CASE("signals are requested in GEOPM's syntax") {
    const std::vector<SignalRequest> asked =
        requests(" CPU_ENERGY@package,TIME @ core ,GPU_POWER@gpu, DRAM_ENERGY@board,CPU_POWER");
    REQUIRE(asked.size() == 5);
    CHECK(asked[0].name == "CPU_ENERGY");
    CHECK(asked[0].domain == SignalDomain::package);
    CHECK(asked[0].required);
    CHECK(asked[1].name == "TIME");
    CHECK(asked[1].domain == SignalDomain::core);
    CHECK(asked[2].domain == SignalDomain::gpu);
    CHECK(asked[3].domain == SignalDomain::board);
    CHECK(asked[4].name == "CPU_POWER");
    CHECK(asked[4].domain == SignalDomain::board);
    CHECK(requests("").empty());
    CHECK(requests("  ").empty());

    const auto error_of = [](const char* text) {
        std::string error;
        CHECK(!signal_requests(text, error));
        return error;
    };
    CHECK_THAT(error_of("CPU_ENERGY,"), Contains("a name is missing before or after a comma"));
    CHECK_THAT(error_of(",CPU_ENERGY"), Contains("a name is missing before or after a comma"));
    CHECK_THAT(error_of("CPU_ENERGY@node"),
               Contains("\"node\" is not a domain") && Contains("core, gpu"));
    CHECK_THAT(error_of("CPU_ENERGY@"), Contains("\"\" is not a domain"));
    CHECK_THAT(error_of("@package"), Contains("not the name of a signal"));
    CHECK_THAT(error_of("CPU ENERGY"), Contains("\"CPU ENERGY\" is not the name"));
    CHECK(label({"CPU_ENERGY", SignalDomain::board, 0, "J", true}) == "CPU_ENERGY");
    CHECK(label({"CPU_ENERGY", SignalDomain::package, 1, "J", true}) == "CPU_ENERGY@package-1");
}

TEST_CASE("requests that no machine can satisfy are reported") {
    const HostTree host;
    SignalReader reader(host.settings(),
                        requests("CPU_ENERG, CPU_ENERGY@core, CPU_CYCLES_THREAD@package, TIME@gpu, "
                                 "GPU_POWER@core, GPU_ENERGY, NOTHING_LIKE_IT"));
    CHECK(reader.signals().empty());
    REQUIRE(reader.problems().size() == 7);
    CHECK(reader.problems()[0] == "unknown signal CPU_ENERG (did you mean CPU_ENERGY?)");
    CHECK_THAT(reader.problems()[1],
               Contains("machine is package; use CPU_ENERGY@package or CPU_ENERGY"));
    CHECK_THAT(reader.problems()[2], Contains("machine is board; use CPU_CYCLES_THREAD"));
    CHECK(reader.problems()[3] == "TIME@gpu: GPUs do not have this signal");
    CHECK_THAT(reader.problems()[4], Contains("a GPU is not part of a core"));
    CHECK_THAT(reader.problems()[5], Contains("switched off"));
    CHECK_THAT(reader.problems()[6], Contains("unknown signal NOTHING_LIKE_IT"));
}

TEST_CASE("energy of packages and memory, and a counter that wraps") {
    const HostTree host;
    const std::string first = host.zone("0", "package-0", 262143000000),
                      second = host.zone("1", "package-1", 7000000),
                      memory = host.zone("0:0", "dram", 100);
    host.zone("0:1", "core", 55);
    host.zone("2", "psys", 20000000);
    const std::size_t before = open_files();
    {
        SignalReader reader(host.settings(),
                            requests("CPU_ENERGY, CPU_ENERGY@package, DRAM_ENERGY, "
                                     "DRAM_ENERGY@package, CPU_ENERGY"));
        CHECK(reader.problems().empty());
        const std::vector<std::string> expected = {"CPU_ENERGY", "CPU_ENERGY@package-0",
                                                   "CPU_ENERGY@package-1", "DRAM_ENERGY",
                                                   "DRAM_ENERGY@package-0"};
        CHECK(labels(reader) == expected);
        CHECK(reader.signals()[1].unit == std::string("J"));
        CHECK(reader.signals()[1].is_sum);
        CHECK(open_files() == before + 3);  // psys was not requested
        auto now = values(reader);
        CHECK(now["CPU_ENERGY"] == 0);
        host.write(first, "5000000");
        host.write(second, "9000000");
        host.write(memory, "350");
        now = values(reader);
        CHECK(now["CPU_ENERGY@package-0"] == Approx(5.328850).epsilon(1e-12));
        CHECK(now["CPU_ENERGY@package-1"] == Approx(2).epsilon(1e-12));
        CHECK(now["CPU_ENERGY"] == Approx(7.328850).epsilon(1e-12));
        CHECK(now["DRAM_ENERGY@package-0"] == Approx(0.00025).epsilon(1e-12));
        CHECK(open_files() == before + 3);
    }
    CHECK(open_files() == before);
}

TEST_CASE("the dies of a package are one package") {
    const HostTree host;
    const std::string first = host.zone("0", "package-1-die-0", 0),
                      second = host.zone("1", "package-1-die-1", 0);
    SignalReader reader(host.settings(), requests("CPU_ENERGY@package"));
    CHECK(labels(reader) == std::vector<std::string>{"CPU_ENERGY@package-1"});
    host.write(first, "1000000");
    host.write(second, "500000");
    CHECK(values(reader)["CPU_ENERGY@package-1"] == Approx(1.5));
}

TEST_CASE("values unreadable for a while are counted when they are readable again") {
    const HostTree host;
    const std::string counter = host.zone("0", "package-0", 1000000);
    SignalReader reader(host.settings(), requests("CPU_ENERGY"));
    const auto joules = [&] { return values(reader)["CPU_ENERGY"]; };
    host.write(counter, "3000000");
    CHECK(joules() == Approx(2));
    host.remove(counter);
    CHECK(std::isnan(joules()));
    CHECK(std::isnan(joules()));
    host.write(counter, "6000000");  // another file, of the same name
    CHECK(joules() == Approx(5));
    for (const char* garbage : {"much", "", "-5", "7000000 J", "99999999999999999999"}) {
        host.write(counter, garbage);
        INFO(garbage);
        CHECK(std::isnan(joules()));
    }
    host.write(counter, "7000000");
    CHECK(joules() == Approx(6));
    host.write(counter, "500000");  // back by less than half the range: after standby
    CHECK(joules() == Approx(6.5));
}

TEST_CASE("a descriptor that the program has closed or reused is left alone") {
    const HostTree host;
    const std::string counter = host.zone("0", "package-0", 0);
    int descriptor = -1;
    {
        SignalReader reader(host.settings(), requests("CPU_ENERGY"));
        descriptor = descriptor_of(host / counter);
        REQUIRE(descriptor >= 0);
        CHECK((fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
        host.write("other", "77");
        const int other = open((host / "other").c_str(), O_RDONLY | O_CLOEXEC);
        REQUIRE(dup2(other, descriptor) == descriptor);
        close(other);
        host.write(counter, "2000000");
        CHECK(values(reader)["CPU_ENERGY"] == Approx(2));
        CHECK(descriptor_of(host / counter) != descriptor);
    }
    CHECK(descriptor_of(host / "other") == descriptor);
    close(descriptor);
}

TEST_CASE("power is energy divided by time") {
    const HostTree host;
    const std::string counter = host.zone("0", "package-0", 0);
    SignalReader reader(host.settings(), requests("CPU_POWER@package, CPU_POWER, TIME"));
    CHECK(labels(reader) == std::vector<std::string>{"CPU_POWER@package-0", "CPU_POWER", "TIME"});
    CHECK(!reader.signals()[0].is_sum);
    const double start = values(reader)["TIME"];
    host.write(counter, "50000000");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    auto now = values(reader);
    const double watts = 50 / (now["TIME"] - start);
    CHECK(now["CPU_POWER@package-0"] == Approx(watts).epsilon(0.05));
    CHECK(now["CPU_POWER"] == now["CPU_POWER@package-0"]);
    host.write(counter, "garbage");
    CHECK(std::isnan(values(reader)["CPU_POWER"]));
    host.write(counter, "50000000");
    CHECK(values(reader)["CPU_POWER"] == 0);
}

TEST_CASE("the board has psys, or a meter that is known to be its own") {
    HostTree host;
    SECTION("psys, and power derived from it") {
        const std::string counter = host.zone("2", "psys", 0);
        SignalReader reader(host.settings(), requests("BOARD_POWER, BOARD_ENERGY"));
        CHECK(reader.problems().empty());
        host.write(counter, "4000000");
        auto now = values(reader);
        CHECK(now["BOARD_ENERGY"] == Approx(4));
        CHECK(now["BOARD_POWER"] > 4);
    }
    SECTION("a meter of ACPI, with older kernels in the folder of the device") {
        host.write("sys/class/hwmon/hwmon0/name", "power_meter");
        host.write("sys/class/hwmon/hwmon0/device/power1_average", "350000000");
        host.write("sys/class/hwmon/hwmon1/name", "nvme");
        host.write("sys/class/hwmon/hwmon1/power1_input", "5000000");
        SignalReader reader(host.settings(), requests("BOARD_POWER"));
        CHECK(values(reader)["BOARD_POWER"] == Approx(350));
    }
    SECTION("of several meters those for a whole socket") {
        const char* const names[] = {"Module Power Socket 0", "Grace Power Socket 0",
                                     "Module Power Socket 1"};
        for (int i = 0; i < 3; i++) {
            const std::string folder = "sys/class/hwmon/hwmon" + std::to_string(i) + "/";
            host.write(folder + "name", "power_meter");
            host.write(folder + "power1_average", std::to_string((i + 1) * 1000000));
            host.write(folder + "device/power1_oem_info", names[i]);
        }
        SignalReader reader(host.settings(), requests("BOARD_POWER"));
        CHECK(values(reader)["BOARD_POWER"] == Approx(4));
    }
    SECTION("firmware of OpenPOWER") {
        host.write("sys/class/hwmon/hwmon0/name", "ibmpowernv");
        host.write("sys/class/hwmon/hwmon0/energy1_label", "Chip 0 Vdd");
        host.write("sys/class/hwmon/hwmon0/energy1_input", "5");
        host.write("sys/class/hwmon/hwmon0/energy2_label", "System");
        host.write("sys/class/hwmon/hwmon0/energy2_input", "9000000");
        SignalReader reader(host.settings(), requests("BOARD_ENERGY"));
        host.write("sys/class/hwmon/hwmon0/energy2_input", "9500000");
        CHECK(values(reader)["BOARD_ENERGY"] == Approx(0.5));
    }
    SECTION("nothing") {
        SignalReader reader(host.settings(), requests("BOARD_POWER, BOARD_ENERGY"));
        CHECK(reader.signals().empty());
        CHECK(is_reported(reader, "BOARD_POWER: hwmon does not have a known meter"));
        CHECK(is_reported(reader, "BOARD_ENERGY: powercap does not have a zone psys"));
    }
}

TEST_CASE("a host without counters says so if they are requested") {
    const HostTree host;
    std::vector<SignalRequest> asked = requests(
        "CPU_ENERGY, CPU_POWER, CPU_FREQUENCY_STATUS, CPU_PACKAGE_TEMPERATURE, BOARD_ENERGY@board");
    SignalReader reader(host.settings(), asked);
    CHECK(reader.signals().empty());
    CHECK(reader.problems().size() == 4);  // power is missing for the same reason as energy
    CHECK(is_reported(reader, "CPU_ENERGY: neither powercap nor the kernel's PMU"));
    for (const std::string& problem : reader.problems())
        CHECK_THAT(problem, Catch::EndsWith("(see man vftrace-run)"));
    for (SignalRequest& request : asked)
        request.required = false;
    SignalReader silent(host.settings(), asked);
    CHECK(silent.signals().empty());
    CHECK(silent.problems().empty());
}

TEST_CASE("counters that are garbage from the start have no signal") {
    const HostTree host;
    const std::string counter = host.zone("0", "package-0", 0);
    host.zone("1", "package-1", 0);
    host.write(counter, "much");
    std::vector<SignalRequest> asked = requests("CPU_ENERGY, CPU_ENERGY@package");
    asked[0].required = asked[1].required = false;
    SignalReader reader(host.settings(), asked);
    // The board includes more than what can be read.
    CHECK(labels(reader) == std::vector<std::string>{"CPU_ENERGY@package-1"});
    REQUIRE(reader.problems().size() == 1);
    CHECK_THAT(reader.problems()[0],
               Contains("intel-rapl:0/energy_uj") && Contains("not a number"));
}

TEST_CASE("counters that are closed are named, with what helps") {
    const HostTree host;
    for (const char* number : {"0", "1"})
        chmod((host / host.zone(number, std::string("package-") + number, 0)).c_str(), 0);
    if (access((host / "sys/class/powercap/intel-rapl:0/energy_uj").c_str(), R_OK) == 0)
        return;  // root; test/runtime/sources/test_signals.py does this as another user
    std::vector<SignalRequest> asked = requests("CPU_ENERGY@package");
    asked[0].required = false;
    SignalReader reader(host.settings(), asked);
    CHECK(reader.signals().empty());
    REQUIRE(reader.problems().size() == 1);
    CHECK_THAT(reader.problems()[0],
               Contains("intel-rapl:0/energy_uj: Permission denied (and 1 more file") &&
                   Contains("chmod a+r") && Contains("CAP_DAC_READ_SEARCH"));
}

TEST_CASE("without powercap the kernel's energy events are read") {
    const HostTree host;
    host.processors();
    // A clock of the kernel replaces the PMU: 1e9 counts per second.
    const std::string folder = "sys/bus/event_source/devices/power";
    host.write(folder + "/type", "1");
    host.write(folder + "/cpumask", "0");
    host.write(folder + "/events/energy-pkg", "event=0x00");
    host.write(folder + "/events/energy-pkg.scale", "1.0e-9");
    SignalReader reader(host.settings(), requests("CPU_ENERGY@package, CPU_POWER, TIME"));
    if (reader.signals().size() != 3) {
        WARN("perf_event_open: " << reader.problems().at(0));
        CHECK(is_reported(reader, "CPU_ENERGY: the event power/energy-pkg/: "));
        return;
    }
    CHECK(reader.problems().empty());
    const auto before = values(reader);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto after = values(reader);
    const double seconds = after.at("TIME") - before.at("TIME");
    CHECK(after.at("CPU_ENERGY@package-0") - before.at("CPU_ENERGY@package-0") ==
          Approx(seconds).epsilon(0.1));
    CHECK(after.at("CPU_POWER") == Approx(1).epsilon(0.1));
}
