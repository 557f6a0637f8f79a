// The names of the tracks and the work of GPUs in a vfd file. For tools.
#pragma once

#include <string>
#include <string_view>

#include "readers/vfd_reader.hpp"

namespace vftrace {

// "GPU 0 stream 7"; with its context, "GPU 0 context 2 stream 7", if the file has several contexts
// of the device; "GPU 0 managed memory".
std::string track_name(const VfdFile& file, std::uint32_t track);

// The name of the kernel, or "copy host to device".
std::string_view work_name(const VfdFile& file, const VfdDeviceWork& work);

// "copy", "memset", "migration" or "kernel".
std::string_view work_category(const VfdDeviceWork& work);

}  // namespace vftrace
