// Iterates over the instructions of a function as they were before they were overwritten.
#include "patch/body_sweep.hpp"

#include <algorithm>
#include <cstring>

#include "patch/hook_sites.hpp"

namespace vftrace {
namespace {

bool is_padding(const Instruction& instruction) {
    return instruction.is(OpcodeMap::one_byte, 0x90) || instruction.is(OpcodeMap::two_byte, 0x1f);
}

}  // namespace

BodySweep::ForwardJump BodySweep::jumps_[max_jumps];

Instruction BodySweep::decode_here() const {
    if (patched_.empty())
        return decode(reinterpret_cast<const std::uint8_t*>(address_), body_.end - address_);
    // A copy, because other processors may write, and overwritten bytes are restored in it. Such a
    // byte is the opcode, after at most two prefixes.
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

// Remembers the first jump to a place, if there is room.
void BodySweep::note_jump(std::uintptr_t target) {
    ForwardJump* free = nullptr;
    for (ForwardJump& jump : jumps_) {
        if (jump.target == target)
            return;
        if (jump.target <= address_)
            free = &jump;
    }
    if (free)
        *free = {target, registers_.carried()};
}

void BodySweep::step() {
    std::uintptr_t target = direct_target(instruction_, next_address());
    if (target > address_ && target < body_.end && branch_of(instruction_) != Branch::call)
        note_jump(target);
    registers_.apply(instruction_, address_, module_);
    address_ += instruction_.length;
    behind_end_ = ends_flow(instruction_) || (behind_end_ && is_padding(instruction_));
    lost_ |= behind_end_;
    if (lost_)
        for (const ForwardJump& jump : jumps_)
            if (jump.target == address_) {
                registers_.continue_from(jump.registers, address_, !behind_end_);
                lost_ = false;
            }
}

bool BodySweep::next() {
    if (!address_) {
        address_ = body_.start;
    } else {
        step();
    }
    if (address_ >= body_.end)
        return false;
    instruction_ = decode_here();
    return instruction_.length != 0;
}

}  // namespace vftrace
