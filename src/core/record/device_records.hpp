// Device work as stored in its buffer (trace/device_buffer.hpp) and in chunks of the trace: records
// of 64-bit words.
//
//   first word:  bits 0-7 DeviceRecordKind, 8-31 for work its track, else the number of words that
//                follow, 32-63 for work its site, else the number of the described object
//
// A record of work refers to a track and a site, each described once, in an earlier record. Its
// times are in nanoseconds of CUPTI's clock; moments relate that clock to ours.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

enum class DeviceRecordKind : std::uint8_t {
    work = 1,    // start, duration, ticks of the call that launched it (0: unknown)
    sized_work,  // the same and a number of bytes
    site,        // SiteRecord and the kernel's name
    track,       // TrackRecord
    device,      // length of the name, and the name; the number is that of the device
    moment,      // MomentRecord
    dropped      // the number of missing pieces of work
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

// The number of words that follow the first one.
constexpr std::size_t words_of_device_record(std::uint64_t word) {
    constexpr std::size_t of_work = 3, of_sized_work = 4;
    const DeviceRecordKind kind = device_record_kind(word);
    return kind == DeviceRecordKind::work         ? of_work
           : kind == DeviceRecordKind::sized_work ? of_sized_work
                                                  : device_record_detail(word);
}

// Work of one kind, and of one kernel, that one call path has launched.
struct SiteRecord {
    std::uint32_t thread, node;  // thread no_target: unknown
    std::uint32_t work;          // GpuWork
    std::uint32_t text_bytes;    // of the kernel's name; 0: no kernel
};
static_assert(sizeof(SiteRecord) == 16);

// CUPTI's numbers. Stream 0xffffffff: pages of managed memory, which migrate on demand.
struct TrackRecord {
    std::uint32_t device, context, stream, unused;
};
static_assert(sizeof(TrackRecord) == 16);

// The same moment on both clocks; `ticks` may be wrong by `error_ticks`.
struct MomentRecord {
    std::uint64_t device_ns, ticks, error_ticks;
};
static_assert(sizeof(MomentRecord) == 24);

}  // namespace vftrace
