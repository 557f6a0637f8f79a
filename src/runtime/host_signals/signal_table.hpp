// All signals: one row for each, with its unit, the domain in which the machine has it, and its
// source.
#pragma once

#include <optional>
#include <string_view>

#include "host_signals/signal.hpp"

namespace vftrace {

// By row of the table.
enum class SignalFigure : std::uint8_t {
    time,
    package_energy,
    dram_energy,
    board_energy,
    package_power,
    dram_power,
    board_power,
    core_frequency,
    cycles,
    reference_cycles,
    instructions,
    package_temperature,
    core_temperature,
    gpu_energy,
    gpu_power,
    gpu_frequency,
    gpu_temperature,
    gpu_utilization,
};

enum class SignalOrigin : std::uint8_t {
    clock,
    processor_energy,  // powercap, or perf's PMU of energy
    board_meters,      // powercap's psys, hwmon
    rate,              // what another signal has counted, per time
    cpufreq,
    threads,  // perf, of each thread
    temperatures,
    gpus,
};

// How the values of several parts become one.
enum class SignalTogether : std::uint8_t { sum, mean };

struct SignalRow {
    SignalFigure figure;
    const char* name;
    SignalDomain native;  // the finest
    const char* unit;
    bool is_sum;
    SignalTogether together;
    SignalOrigin origin;
    double file_unit = 1;                       // that of the kernel's files, in `unit`
    SignalFigure rate_of = SignalFigure::time;  // for a rate
};

// In the order of SignalFigure.
inline constexpr SignalRow signal_table[] = {
    {SignalFigure::time, "TIME", SignalDomain::core, "s", true, SignalTogether::mean,
     SignalOrigin::clock},
    {SignalFigure::package_energy, "CPU_ENERGY", SignalDomain::package, "J", true,
     SignalTogether::sum, SignalOrigin::processor_energy, 1e-6},
    {SignalFigure::dram_energy, "DRAM_ENERGY", SignalDomain::package, "J", true,
     SignalTogether::sum, SignalOrigin::processor_energy, 1e-6},
    {SignalFigure::board_energy, "BOARD_ENERGY", SignalDomain::board, "J", true,
     SignalTogether::sum, SignalOrigin::board_meters, 1e-6},
    {SignalFigure::package_power, "CPU_POWER", SignalDomain::package, "W", false,
     SignalTogether::sum, SignalOrigin::rate, 1, SignalFigure::package_energy},
    {SignalFigure::dram_power, "DRAM_POWER", SignalDomain::package, "W", false, SignalTogether::sum,
     SignalOrigin::rate, 1, SignalFigure::dram_energy},
    {SignalFigure::board_power, "BOARD_POWER", SignalDomain::board, "W", false, SignalTogether::sum,
     SignalOrigin::board_meters, 1e-6},
    {SignalFigure::core_frequency, "CPU_FREQUENCY_STATUS", SignalDomain::core, "Hz", false,
     SignalTogether::mean, SignalOrigin::cpufreq, 1e3},
    {SignalFigure::cycles, "CPU_CYCLES_THREAD", SignalDomain::board, "1", true, SignalTogether::sum,
     SignalOrigin::threads},
    {SignalFigure::reference_cycles, "CPU_CYCLES_REFERENCE", SignalDomain::board, "1", true,
     SignalTogether::sum, SignalOrigin::threads},
    {SignalFigure::instructions, "CPU_INSTRUCTIONS_RETIRED", SignalDomain::board, "1", true,
     SignalTogether::sum, SignalOrigin::threads},
    {SignalFigure::package_temperature, "CPU_PACKAGE_TEMPERATURE", SignalDomain::package, "degC",
     false, SignalTogether::mean, SignalOrigin::temperatures, 1e-3},
    {SignalFigure::core_temperature, "CPU_CORE_TEMPERATURE", SignalDomain::core, "degC", false,
     SignalTogether::mean, SignalOrigin::temperatures, 1e-3},
    {SignalFigure::gpu_energy, "GPU_ENERGY", SignalDomain::gpu, "J", true, SignalTogether::sum,
     SignalOrigin::gpus},
    {SignalFigure::gpu_power, "GPU_POWER", SignalDomain::gpu, "W", false, SignalTogether::sum,
     SignalOrigin::gpus},
    {SignalFigure::gpu_frequency, "GPU_CORE_FREQUENCY_STATUS", SignalDomain::gpu, "Hz", false,
     SignalTogether::mean, SignalOrigin::gpus},
    {SignalFigure::gpu_temperature, "GPU_TEMPERATURE", SignalDomain::gpu, "degC", false,
     SignalTogether::mean, SignalOrigin::gpus},
    {SignalFigure::gpu_utilization, "GPU_UTILIZATION", SignalDomain::gpu, "1", false,
     SignalTogether::mean, SignalOrigin::gpus},
};

consteval bool signal_table_is_in_order() {
    std::size_t position = 0;
    for (const SignalRow& row : signal_table)
        if (static_cast<std::size_t>(row.figure) != position++)
            return false;
    return true;
}
static_assert(signal_table_is_in_order());

constexpr const SignalRow& row_of(SignalFigure figure) {
    return signal_table[static_cast<std::size_t>(figure)];
}

// The row with this name; nullptr if there is none.
constexpr const SignalRow* signal_row(std::string_view name) {
    for (const SignalRow& row : signal_table)
        if (name == row.name)
            return &row;
    return nullptr;
}

}  // namespace vftrace
