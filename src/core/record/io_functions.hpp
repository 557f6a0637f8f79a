// The functions of the C library that work with files, and the keys and names of their nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vftrace {

// What a call does. `copy`: from one file to another; `map`: makes a file readable as memory.
enum class IoOperation : std::uint8_t { open, close, read, write, copy, seek, sync, metadata, map };

enum class IoFunction : std::uint16_t {
#define VFTRACE_IO_NAME(name, operation) name,
#include "record/io_functions.inc"
};

inline constexpr std::size_t io_function_count = 0
#define VFTRACE_IO_NAME(name, operation) +1
#include "record/io_functions.inc"
    ;

// The key of a call's node: not an address.
inline constexpr unsigned io_key_shift = 4;
inline constexpr std::uintptr_t io_key_mark = std::uintptr_t{1} << 62 | 4;
inline constexpr std::uintptr_t io_key(IoFunction function) {
    return io_key_mark | static_cast<std::uintptr_t>(function) << io_key_shift;
}
// "fread"; of a key that is none, "(unknown)".
const char* io_name(std::uintptr_t key);
// Of a key that is none, `metadata`.
IoOperation io_operation(std::uintptr_t key);
// The same for the name of a function.
IoOperation io_operation(std::string_view name);
// Whether it works with a stream (FILE*).
bool is_stream_function(std::string_view name);

}  // namespace vftrace
