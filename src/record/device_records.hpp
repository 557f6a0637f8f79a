// Device work as stored in its buffer (trace/device_buffer.hpp) and in chunks of the trace: records
// of 64-bit words.
//
//   first word:  bits 0-7 DeviceRecordKind, 8-31 for work its track, else how many words follow,
//                32-63 number: for work its site, else that of the described object
//
// Work names its track and its site, which are described once, in records before it. Its times are
// those of CUPTI's clock, in nanoseconds; moments relate that clock to ours.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

enum class DeviceRecordKind : std::uint8_t {
    work = 1,    // start, duration, ticks of the call that launched it (0: not known)
    sized_work,  // the same, and bytes
    site,        // SiteRecord and the kernel's name
    track,       // TrackRecord
    device,      // length of the name, and the name; the number is the device's
    moment,      // MomentRecord
    dropped      // how many pieces of work are missing
};

inline constexpr unsigned device_detail_shift = 8, device_detail_bits = 24,
                          device_number_shift = 32;

constexpr std::uint64_t device_word(DeviceRecordKind kind, std::uint32_t detail,
                                    std::uint32_t number) {
    return std::uint64_t{number} << device_number_shift |
           std::uint64_t{detail} << device_detail_shift | static_cast<std::uint64_t>(kind);
}
constexpr DeviceRecordKind device_record_kind(std::uint64_t word) {
    return static_cast<DeviceRecordKind>(word & 255);
}
constexpr std::uint32_t device_record_detail(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> device_detail_shift) &
           ((1u << device_detail_bits) - 1);
}
constexpr std::uint32_t device_record_number(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> device_number_shift);
}

// How many words follow the first one.
constexpr std::size_t words_of_device_record(std::uint64_t word) {
    constexpr std::size_t of_work = 3, of_sized_work = 4;
    const DeviceRecordKind kind = device_record_kind(word);
    return kind == DeviceRecordKind::work         ? of_work
           : kind == DeviceRecordKind::sized_work ? of_sized_work
                                                  : device_record_detail(word);
}

// Work of one kind, and of one kernel, that one call path has asked for.
struct SiteRecord {
    std::uint32_t thread, node;  // thread no_target: it is not known
    std::uint32_t work;          // GpuWork
    std::uint32_t text_bytes;    // of the kernel's name; 0: no kernel
};
static_assert(sizeof(SiteRecord) == 16);

// CUPTI's numbers. Stream 0xffffffff: pages of managed memory, which move by themselves.
struct TrackRecord {
    std::uint32_t device, context, stream, unused;
};
static_assert(sizeof(TrackRecord) == 16);

// One moment by both clocks; `ticks` may be wrong by `error_ticks` ticks.
struct MomentRecord {
    std::uint64_t device_ns, ticks, error_ticks;
};
static_assert(sizeof(MomentRecord) == 24);

}  // namespace vftrace
