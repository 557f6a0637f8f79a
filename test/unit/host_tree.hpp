// A synthetic /sys and /proc, in a temporary folder.
#pragma once

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "host_signals/signal_reader.hpp"

namespace vftrace::test {

class HostTree {
  public:
    HostTree() { REQUIRE(mkdtemp(path.data())); }
    ~HostTree() { std::filesystem::remove_all(path); }
    HostTree(const HostTree&) = delete;
    HostTree& operator=(const HostTree&) = delete;

    std::string operator/(const std::string& file) const { return path + '/' + file; }

    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(*this / file).parent_path());
        std::ofstream(*this / file) << text << '\n';
    }
    void remove(const std::string& file) const { std::filesystem::remove_all(*this / file); }

    // "0" is a zone, "0:1" one in it. Returns the counter.
    std::string zone(const std::string& number, const std::string& name, std::uint64_t energy,
                     std::uint64_t range = 262143328850) const {
        const std::string folder = "sys/class/powercap/intel-rapl:" + number;
        write(folder + "/name", name);
        write(folder + "/energy_uj", std::to_string(energy));
        write(folder + "/max_energy_range_uj", std::to_string(range));
        return folder + "/energy_uj";
    }

    void processor(int number, int package, int core) const {
        const std::string folder =
            "sys/devices/system/cpu/cpu" + std::to_string(number) + "/topology";
        write(folder + "/physical_package_id", std::to_string(package));
        write(folder + "/core_id", std::to_string(core));
    }
    // Two packages of two cores of two processors, numbered as Linux does: first one of each core.
    void processors() const {
        for (int number = 0; number < 8; number++)
            processor(number, number / 2 % 2, number % 2 * 4);
    }

    SignalSettings settings() const { return {path + "/sys", path + "/proc", false}; }

    std::string path = "/tmp/vftrace_host_XXXXXX";
};

inline std::vector<SignalRequest> requests(const char* text) {
    std::string error;
    auto found = signal_requests(text, error);
    REQUIRE(error == "");
    return *found;
}

inline std::vector<std::string> labels(const SignalReader& reader) {
    std::vector<std::string> all;
    for (const Signal& signal : reader.signals())
        all.push_back(label(signal));
    return all;
}

inline std::map<std::string, double> values(SignalReader& reader) {
    std::vector<double> read(reader.signals().size(), -1);
    reader.read(read);
    std::map<std::string, double> by_label;
    for (std::size_t i = 0; i < read.size(); i++)
        by_label[label(reader.signals()[i])] = read[i];
    return by_label;
}

}  // namespace vftrace::test
