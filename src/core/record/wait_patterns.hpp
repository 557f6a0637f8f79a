// The ways in which a rank waits for another one. The definitions are Scalasca's (doc/waits.md).
#pragma once

#include <cstdint>

namespace vftrace {

enum class WaitPattern : std::uint8_t {
    late_sender,     // a receive, until the message is sent
    wrong_order,     // the same, while an earlier message of that rank could have been received
    late_receiver,   // a send, until the message is received
    barrier,         // until the last rank reaches it
    all_to_all,      // the same in a collective in which all need data from all
    late_broadcast,  // until the root reaches a collective that distributes its data
    early_reduce,    // the root, until the last rank reaches a collective that collects data for it
    early_scan       // until the last rank with a lower number reaches a scan
};
inline constexpr std::size_t wait_patterns = 8;

}  // namespace vftrace
