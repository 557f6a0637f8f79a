// What this process has read and written, as the kernel counts it.
#pragma once

#include <cstdint>

namespace vftrace {

struct ProcessBytes {
    std::uint64_t read, written;
};

// Since it began to record; zeros if that is not known.
ProcessBytes bytes_since_start();

}  // namespace vftrace
