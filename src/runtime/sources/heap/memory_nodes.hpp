// Which memory node (NUMA) each processor of this machine belongs to.
#pragma once

#include <cstdint>
#include <string_view>

namespace vftrace {

inline constexpr std::uint16_t no_memory_node = 0xffff;

// Reads the machine's table from the system, or takes this one: the processors of each node,
// "0-3,8;4-7". To be called once per process. Returns the number of nodes; 0: they are not known.
unsigned read_memory_nodes(std::string_view table);

// The node of a processor, no_memory_node if it is not known. Async-signal-safe.
std::uint16_t memory_node_of(unsigned processor);

// The node on which the page of an address is, from the kernel; no_memory_node if it is on none
// yet, or if the kernel does not tell. Async-signal-safe; keeps errno.
std::uint16_t memory_node_of_page(std::uintptr_t address);

}  // namespace vftrace
