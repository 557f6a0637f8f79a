#include "patch/entry_jumps.hpp"

#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "patch/hook_sites.hpp"
#include "patch/instruction.hpp"

namespace vftrace {
namespace {

constexpr std::size_t room_per_function = 96;
constexpr std::uint8_t jump_opcode = 0xe9;
constexpr std::uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

// No calls of hooks have been removed yet.
const SiteTable nothing_removed;

// `to` - `from`, if four bytes can hold it.
bool distance_between(std::uintptr_t from, std::uintptr_t to, std::int32_t& distance) {
    const auto wide = static_cast<std::int64_t>(to - from);
    distance = static_cast<std::int32_t>(wide);
    return distance == wide;
}

// Memory that jumps of four bytes reach from everywhere in the module.
std::uint8_t* map_near(std::uintptr_t code, std::size_t bytes) {
    constexpr std::uintptr_t step = 1 << 20, reach = std::uintptr_t{1} << 30;
    for (std::uintptr_t away = step; away < reach; away += step) {
        if (code <= away)
            break;
        const auto wanted = (code - away) & -std::uintptr_t{4096};
        const long got = syscall(SYS_mmap, wanted, bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == static_cast<long>(wanted))
            return reinterpret_cast<std::uint8_t*>(wanted);
        if (got > 0 || got < -4095)  // a kernel that does not know the flag
            syscall(SYS_munmap, got, bytes);
    }
    return nullptr;
}

// Writes instructions one after the other.
struct Writer {
    std::uint8_t* at;
    const std::uint8_t* end;

    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(at); }
    bool put(const void* bytes, std::size_t size) {
        if (static_cast<std::size_t>(end - at) < size)
            return false;
        std::memcpy(at, bytes, size);
        at += size;
        return true;
    }
    // A jump or conditional jump whose opcode these bytes are.
    bool branch(const std::uint8_t* opcode, std::size_t size, std::uintptr_t target) {
        std::int32_t distance = 0;
        return distance_between(address() + size + sizeof distance, target, distance) &&
               put(opcode, size) && put(&distance, sizeof distance);
    }
};

bool is_conditional(const Instruction& instruction) {
    return instruction.map == OpcodeMap::one_byte && (instruction.opcode & 0xf0) == 0x70;
}

// Copies an instruction so that it does the same at the other place.
bool copy(Writer& to, std::uintptr_t from, const Instruction& instruction) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(from);
    const std::uintptr_t next = from + instruction.length;
    if (const Branch branch = branch_of(instruction); branch != Branch::none) {
        const std::uintptr_t target = direct_target(instruction, next);
        if (target == 0 || branch == Branch::call)
            return false;
        if (branch == Branch::jump || instruction.is(OpcodeMap::one_byte, 0xeb))
            return to.branch(&jump_opcode, sizeof jump_opcode, target);
        const bool is_short = is_conditional(instruction);
        if (!is_short && branch != Branch::conditional_jump)
            return false;  // loop, jrcxz
        const std::uint8_t opcode[] = {
            0x0f, static_cast<std::uint8_t>(0x80 | (instruction.opcode & 0xf))};
        return to.branch(opcode, sizeof opcode, target);
    }
    if (ends_flow(instruction))
        return false;
    std::uint8_t* const copied = to.at;
    if (!to.put(bytes, instruction.length))
        return false;
    if (!instruction.rip_relative())
        return true;
    // Its displacement follows the ModRM byte, which follows the opcode.
    const std::size_t place = static_cast<std::size_t>(instruction.opcode_at) + 2;
    std::int32_t distance = 0;
    if (place + sizeof distance > instruction.length)
        return false;
    std::memcpy(&distance, bytes + place, sizeof distance);
    if (distance != instruction.displacement ||
        !distance_between(to.address(), next + static_cast<std::uintptr_t>(distance), distance))
        return false;
    std::memcpy(copied + place, &distance, sizeof distance);
    return true;
}

// Whether no jump in the function leads to a byte of `range` but the first, as far as its
// instructions are known.
bool is_only_entered_at_start(const ModuleCode& module, CodeRange body, CodeRange range) {
    CodeRange parts[max_parts];
    std::size_t count = parts_of(module, body.start, nothing_removed, parts, max_parts);
    if (count == 0) {  // no unwind table
        parts[0] = body;
        count = 1;
    }
    for (std::size_t i = 0; i < count; i++)
        for (std::uintptr_t at = parts[i].start; at < parts[i].end;) {
            const Instruction instruction =
                decode(reinterpret_cast<const std::uint8_t*>(at), parts[i].end - at);
            if (instruction.length == 0)
                return false;
            at += instruction.length;
            const std::uintptr_t target =
                branch_of(instruction) == Branch::none ? 0 : direct_target(instruction, at);
            if (target > range.start && target < range.end)
                return false;
        }
    return true;
}

}  // namespace

const char* reason_of(EntryJump outcome) {
    switch (outcome) {
    case EntryJump::made:
        return "";
    case EntryJump::too_short:
        return "it is too short";
    case EntryJump::entry_unfit:
        return "an instruction at its entry cannot be moved";
    case EntryJump::is_jumped_to:
        return "it may jump back to its entry";
    case EntryJump::no_memory:
        return "there is no memory near it";
    default:
        return "its code cannot be written";
    }
}

EntryCopies::EntryCopies(const ModuleCode& module, std::size_t functions) : module_(module) {
    constexpr std::size_t page = 4096;
    bytes_ = (functions * room_per_function + page - 1) & -page;
#if defined(__x86_64__)
    memory_ = map_near(module.start(), bytes_);
#endif
}

bool EntryCopies::finish() {
    return memory_ && syscall(SYS_mprotect, memory_, bytes_, PROT_READ | PROT_EXEC) == 0;
}

EntryCopies::Made EntryCopies::prepare(std::uintptr_t function, std::size_t size,
                                       std::uintptr_t target) {
    if (!memory_ || bytes_ - used_ < room_per_function)
        return {EntryJump::no_memory};
    const CodeRange code = module_.code_around(function);
    if (!code || code.end - function < size)
        return {EntryJump::not_writable};
    const CodeRange body{function, function + size};
    std::uintptr_t entry = function;
    if (size >= sizeof endbr64 &&
        std::memcmp(reinterpret_cast<const void*>(entry), endbr64, sizeof endbr64) == 0)
        entry += sizeof endbr64;
    if (body.end - entry < longest_jump)
        return {EntryJump::too_short};

    // The way to the target, which may be far away, and then the copy.
    std::uint8_t* const start = memory_ + used_;
    Writer writer{start, start + room_per_function};
    constexpr std::uint8_t jump_to_next_word[] = {0xff, 0x25, 0, 0, 0, 0};
    writer.put(jump_to_next_word, sizeof jump_to_next_word);
    writer.put(&target, sizeof target);
    Made made{EntryJump::made, entry};
    made.original = writer.at;
    std::uintptr_t at = entry;
    while (at < entry + longest_jump) {
        const Instruction instruction =
            decode(reinterpret_cast<const std::uint8_t*>(at), body.end - at);
        if (instruction.length == 0 || !copy(writer, at, instruction))
            return {EntryJump::entry_unfit};
        at += instruction.length;
    }
    if (!writer.branch(&jump_opcode, sizeof jump_opcode, at))
        return {EntryJump::no_memory};
    if (!is_only_entered_at_start(module_, body, {entry, at}))
        return {EntryJump::is_jumped_to};
    Writer jump{made.jump, made.jump + longest_jump};
    std::int32_t distance = 0;
    if (!distance_between(entry + longest_jump, reinterpret_cast<std::uintptr_t>(start), distance))
        return {EntryJump::no_memory};
    jump.put(&jump_opcode, sizeof jump_opcode);
    jump.put(&distance, sizeof distance);
    used_ += room_per_function;
    return made;
}

}  // namespace vftrace
