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

BodySweep::Jump BodySweep::jumps_[max_jumps], BodySweep::jumps_back_[max_jumps];

BodySweep BodySweep::with_jumps_back(const ModuleCode& module, CodeRange body,
                                     const SiteTable& patched) {
    forget(jumps_back_);
    // The second one knows what the first has found: an inner loop's registers may be those of the
    // outer one.
    for (int sweeps = 0; sweeps < 2; sweeps++) {
        BodySweep collecting(module, body, patched, JumpsBack::collected);
        while (collecting.next())
            ;
    }
    return {module, body, patched, JumpsBack::ignored};
}

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
    Jump* free = nullptr;
    for (Jump& jump : jumps_) {
        if (jump.target == target)
            return;
        if (jump.target <= address_)
            free = &jump;
    }
    if (free)
        *free = {target, registers_.carried()};
}

// Remembers what the jumps to a place know, each register from the first that does.
void BodySweep::note_jump_back(std::uintptr_t target) {
    const RegisterConstants::Carried here = registers_.carried();
    for (Jump& jump : jumps_back_) {
        if (jump.target == 0)
            jump = {target, here};
        if (jump.target != target)
            continue;
        jump.registers.complete(here);
        return;
    }
}

void BodySweep::step() {
    const std::uintptr_t target = direct_target(instruction_, next_address());
    if (body_.contains(target) && branch_of(instruction_) != Branch::call) {
        if (target > address_)
            note_jump(target);
        else if (jumps_back_mode_ == JumpsBack::collected)
            note_jump_back(target);
    }
    registers_.apply(instruction_, address_, module_);
    address_ += instruction_.length;
    behind_end_ = ends_flow(instruction_) || (behind_end_ && is_padding(instruction_));
    lost_ |= behind_end_;
    if (lost_)
        for (const Jump& jump : jumps_)
            if (jump.target == address_) {
                registers_.continue_from(jump.registers, address_, !behind_end_);
                lost_ = false;
            }
    for (const Jump& jump : jumps_back_) {
        if (jump.target == 0)
            break;
        if (jump.target == address_)
            registers_.continue_from(jump.registers, address_, true);
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
