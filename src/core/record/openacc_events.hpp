// The OpenACC events that appear in call trees, and the classes of their times.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/gpu_work.hpp"

namespace vftrace {

// What time in a construct, or in a part of one, is spent on.
enum class ConstructTime : std::uint8_t { compute, data, wait, other };
inline constexpr std::size_t construct_times = 4;

struct OpenaccEvent {
    std::uint32_t number;  // acc_event_t; for an event that lasts, that of its start
    bool lasts;            // its end is reported too
    ConstructTime time;
    const char* name;
};

// The end of an event has the number that follows that of its start.
inline constexpr OpenaccEvent openacc_events[] = {
    {1, true, ConstructTime::other, "device_init"},
    {3, true, ConstructTime::other, "device_shutdown"},
    {6, false, ConstructTime::data, "create"},
    {7, false, ConstructTime::data, "delete"},
    {8, false, ConstructTime::data, "alloc"},
    {9, false, ConstructTime::data, "free"},
    {10, true, ConstructTime::data, "enter_data"},
    {12, true, ConstructTime::data, "exit_data"},
    {14, true, ConstructTime::data, "update"},
    {16, true, ConstructTime::compute, "compute_construct"},
    {18, true, ConstructTime::compute, "enqueue_launch"},
    {20, true, ConstructTime::data, "enqueue_upload"},
    {22, true, ConstructTime::data, "enqueue_download"},
    {24, true, ConstructTime::wait, "wait"}};

// The event that has this number, or whose end has it. nullptr: not recorded.
constexpr const OpenaccEvent* openacc_event(std::uint32_t number) {
    for (const OpenaccEvent& event : openacc_events)
        if (event.number == number || (event.lasts && event.number + 1 == number))
            return &event;
    return nullptr;
}

// In place of CUPTI's number of a function: the event, and the last line of its construct (0:
// unknown).
constexpr std::uint32_t openacc_callback(std::uint32_t event, std::uint32_t last_line) {
    constexpr std::uint32_t most = 0xffffff;
    return event | (last_line > most ? most : last_line) << 8;
}
constexpr bool is_openacc(std::uint64_t call_id) {
    return call_id >> 32 == static_cast<std::uint64_t>(GpuApi::openacc);
}
// For a gpu_call_id() for which is_openacc() is true.
constexpr std::uint32_t openacc_event_number(std::uint64_t call_id) { return call_id & 0xff; }
constexpr std::uint32_t openacc_last_line(std::uint64_t call_id) {
    return static_cast<std::uint32_t>(call_id) >> 8;
}

}  // namespace vftrace
