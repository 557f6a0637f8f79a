// Goes through the instructions of a function as they were before they were overwritten.
#include "patch/body_sweep.hpp"

#include <algorithm>
#include <cstring>

#include "patch/hook_sites.hpp"

namespace vftrace {

Instruction BodySweep::decode_here() const {
    // A copy: other processors may write, and what was overwritten is put back here. It is the
    // opcode, behind two prefixes at most.
    constexpr std::size_t longest = 15, deepest_site = 3;
    std::uint8_t bytes[longest];
    std::size_t available = std::min<std::size_t>(body_.end - address_, longest);
    std::memcpy(bytes, reinterpret_cast<const void*>(address_), available);
    for (std::size_t i = 0; i < std::min(available, deepest_site); i++) {
        if (!is_replacement(bytes[i]))
            continue;
        const KnownSite* known = patched_.find(address_ + i);
        if (known && known->state == SiteState::removed && bytes[i] == known->replacement)
            bytes[i] = known->original;
    }
    return decode(bytes, available);
}

bool BodySweep::next() {
    if (!address_) {
        address_ = body_.start;
    } else {
        registers_.apply(instruction_, address_, module_);
        address_ += instruction_.length;
    }
    if (address_ >= body_.end)
        return false;
    instruction_ = decode_here();
    return instruction_.length != 0;
}

}  // namespace vftrace
