// Searches the code of a module for jumps to the exit hook.
#include "patch/tail_jumps.hpp"

#include <cstring>
#include <initializer_list>

namespace vftrace {
namespace {

constexpr std::uint8_t jump_relative = 0xe9, jump_indirect = 0xff;

// Goes through the function around `candidate` up to there, because the bytes may be only a part of
// an instruction.
TailJump verified(const ModuleCode& module, std::uintptr_t candidate, std::uintptr_t hook,
                  const SiteTable& patched) {
    CodeRange body = body_around(module, candidate);
    if (!body)
        return {};
    BodySweep sweep(module, body, patched);
    while (sweep.next() && sweep.next_address() <= candidate)
        ;
    TailJump jump{};
    if (sweep.instruction().length == 0 ||
        sweep.address() + sweep.instruction().opcode_at != candidate)
        return {};
    jump.site = tail_jump_at(sweep, hook, jump.function);
    return jump;
}

// Calls found(TailJump) for each jump whose argument is known.
template <class Found>
void search(const ModuleCode& module, CodeRange code, std::uintptr_t hook, const SiteTable& patched,
            Found found) {
    for (std::uint8_t opcode : {jump_relative, jump_indirect}) {
        const auto* at = reinterpret_cast<const std::uint8_t*>(code.start);
        const auto* end = reinterpret_cast<const std::uint8_t*>(code.end);
        while ((at = static_cast<const std::uint8_t*>(std::memchr(at, opcode, end - at)))) {
            auto candidate = reinterpret_cast<std::uintptr_t>(at++);
            if (opcode == jump_indirect && (at == end || *at != 0x25))
                continue;
            if (!leads_to_hook(module, candidate, opcode, hook))
                continue;
            TailJump jump = verified(module, candidate, hook, patched);
            if (jump.site && jump.function)
                found(jump);
        }
    }
}

}  // namespace

const TailJump* TailJumpIndex::around(const ModuleCode& module, std::uintptr_t address,
                                      std::uintptr_t hook, const SiteTable& patched,
                                      std::size_t& count) {
    count = 0;
    for (unsigned i = 0; i < used_; i++)
        if (searched_[i].code.contains(address)) {
            count = searched_[i].count;
            return searched_[i].jumps;
        }
    CodeRange code = module.code_around(address);
    if (!code || used_ == max_searched)
        return nullptr;
    std::size_t room = 0;
    search(module, code, hook, patched, [&](const TailJump&) { room++; });
    Searched result{code, nullptr, 0, room * sizeof(TailJump)};
    if (room)
        result.jumps = static_cast<TailJump*>(map_memory(result.mapped_bytes));
    if (result.jumps)
        search(module, code, hook, patched, [&](const TailJump& jump) {
            if (result.count < room)
                result.jumps[result.count++] = jump;
        });
    searched_[used_++] = result;
    count = result.count;
    return result.jumps;
}

void TailJumpIndex::forget(std::uintptr_t start, std::uintptr_t end) {
    for (unsigned i = 0; i < used_;) {
        if (searched_[i].code.start - start >= end - start) {
            i++;
            continue;
        }
        if (searched_[i].jumps)
            unmap_memory(searched_[i].jumps, searched_[i].mapped_bytes);
        searched_[i] = searched_[--used_];
    }
}

}  // namespace vftrace
