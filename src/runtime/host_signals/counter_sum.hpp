// The increase of a counter since it was first read.
#pragma once

#include <cstdint>

#include "host_signals/powercap.hpp"

namespace vftrace {

class CounterSum {
  public:
    explicit CounterSum(std::uint64_t first) : last_(first) {}

    // `range`: the counter counts from 0 to this and then starts again; 0: it never wraps.
    std::uint64_t after(std::uint64_t now, std::uint64_t range = 0) {
        sum_ += energy_between(last_, now, range);
        last_ = now;
        return sum_;
    }

    std::uint64_t last() const { return last_; }

  private:
    std::uint64_t last_;
    std::uint64_t sum_ = 0;
};

}  // namespace vftrace
