// Signals of a host (energy, power, frequency, temperature, cycles) by name and by part of the
// host, and how users request them.
//
// Names and syntax are GEOPM's: geopm_pio(7), GEOPM_REPORT_SIGNALS in geopm_report(7).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

enum class SignalDomain : std::uint8_t { board, package, core, gpu };
// By SignalDomain.
inline constexpr std::array<std::string_view, 4> signal_domain_words = {"board", "package", "core",
                                                                        "gpu"};
constexpr std::string_view signal_domain_word(SignalDomain domain) {
    return signal_domain_words[static_cast<std::size_t>(domain)];
}

struct Signal {
    std::string name;
    SignalDomain domain = SignalDomain::board;
    std::uint32_t index = 0;  // of the package, core or gpu
    const char* unit = "";
    bool is_sum = false;  // a counter; else a state, whose mean over time is wanted
};

// "CPU_ENERGY" of the board, else "CPU_ENERGY@package-0".
std::string label(const Signal& signal);

struct SignalRequest {
    std::string name;
    SignalDomain domain = SignalDomain::board;
    // The user has requested it by name. Otherwise it is wanted only if the hardware exists.
    bool required = true;
};

// "CPU_ENERGY@package, TIME@core". Nothing if the text does not have this form; `error` then says
// what is wrong. SignalReader checks whether such signals exist.
std::optional<std::vector<SignalRequest>> signal_requests(std::string_view text,
                                                          std::string& error);

}  // namespace vftrace
