// What a descriptor is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

// All of a kind from `pipe` on are one, without a name.
enum class FileKind : std::uint8_t { file, folder, device, pipe, socket, terminal, other };

inline constexpr std::size_t file_kinds = 7;

}  // namespace vftrace
