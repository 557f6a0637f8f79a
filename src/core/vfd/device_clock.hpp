// Converts times of CUPTI's clock to times of the process, using moments at which both clocks were
// read.
//
// Clocks drift, and the error of a reading is its duration. As long as the offsets of moments
// differ by no more than that, the offset stays the same, so that durations equal CUPTI's to the
// nanosecond. Otherwise it changes linearly from one moment to the next.
#pragma once

#include <cstdint>
#include <vector>

namespace vftrace {

class DeviceClock {
  public:
    // Adds a moment, in the order of time; moments that go backwards are left out. `error_ns`: the
    // error of the comparison.
    void add(std::uint64_t device_ns, std::int64_t own_ns, std::int64_t error_ns);
    bool is_known() const { return !turns_.empty(); }
    // The nearest time that is not negative. At least one moment must be known.
    std::int64_t own_ns(std::uint64_t device_ns) const;

  private:
    // A moment and how far the process's clock is ahead of the device's; the offset is interpolated
    // between two.
    struct Turn {
        std::int64_t device_ns, offset_ns;
    };
    std::vector<Turn> turns_;
    std::int64_t latest_device_ns_ = 0;  // of all moments
    std::int64_t error_ns_ = 0;          // of the latest turn
};

}  // namespace vftrace
