// The ways in which a rank waits for another one. The definitions are Scalasca's (doc/waits.md).
#pragma once

#include <cstdint>

namespace vftrace {

enum class WaitPattern : std::uint8_t {
    late_sender,     // a receive, until the message is sent
    wrong_order,     // the same, while an earlier message of that rank could have been received
    late_receiver,   // a send, until the message is received
    barrier,         // until the last rank comes to it
    all_to_all,      // the same in a collective in which all need something from all
    late_broadcast,  // until the root comes to a collective that gives something to all
    early_reduce,    // the root, until the last rank comes to a collective that it collects from
    early_scan       // until the last rank of lower number comes to a scan
};
inline constexpr std::size_t wait_patterns = 8;

}  // namespace vftrace
