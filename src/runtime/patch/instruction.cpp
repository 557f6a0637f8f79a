// The length of an x86-64 instruction: prefixes, opcode map, ModRM, immediate.
#include "patch/instruction.hpp"

#include <cstring>

namespace vftrace {
namespace {

constexpr std::size_t longest = 15;

// What follows the opcode.
enum Form : std::uint8_t {
    bad,
    none,
    imm8,
    imm16,
    imm16_8,   // enter
    immz,      // 4 bytes, 2 with prefix 66
    immv,      // as immz, 8 with REX.W
    relative,  // 4 bytes, whatever the prefixes
    offset,    // an address of 8 bytes, 4 with prefix 67
    modrm = 0x40,
    modrm_imm8 = modrm | imm8,
    modrm_immz = modrm | immz,
    modrm_test8 = modrm | 0x20,  // an immediate byte if the opcode extension is 0 or 1
    modrm_testz = modrm | 0x21
};

constexpr Form one_byte_form(unsigned opcode) {
    unsigned low = opcode & 7;
    if (opcode < 0x40)
        return low < 4 ? modrm : low == 4 ? imm8 : low == 5 ? immz : bad;
    switch (opcode) {
    case 0x60 ... 0x62:
    case 0x82:
    case 0x9a:
    case 0xce:
    case 0xd4 ... 0xd6:
    case 0xea:
        return bad;
    case 0x50 ... 0x5f:
    case 0x6c ... 0x6f:
    case 0x90 ... 0x99:
    case 0x9b ... 0x9f:
    case 0xa4 ... 0xa7:
    case 0xaa ... 0xaf:
    case 0xc3:
    case 0xc9:
    case 0xcb:
    case 0xcc:
    case 0xcf:
    case 0xd7:
    case 0xec ... 0xef:
    case 0xf1:
    case 0xf4:
    case 0xf5:
    case 0xf8 ... 0xfd:
        return none;
    case 0x63:
    case 0x84 ... 0x8f:
    case 0xd0 ... 0xd3:
    case 0xd8 ... 0xdf:
    case 0xfe:
    case 0xff:
        return modrm;
    case 0x68:
    case 0xa9:
        return immz;
    case 0x69:
    case 0x81:
    case 0xc7:
        return modrm_immz;
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6:
        return modrm_imm8;
    case 0x6a:
    case 0x70 ... 0x7f:
    case 0xa8:
    case 0xb0 ... 0xb7:
    case 0xcd:
    case 0xe0 ... 0xe7:
    case 0xeb:
        return imm8;
    case 0xa0 ... 0xa3:
        return offset;
    case 0xb8 ... 0xbf:
        return immv;
    case 0xc2:
    case 0xca:
        return imm16;
    case 0xc8:
        return imm16_8;
    case 0xe8:
    case 0xe9:
        return relative;
    case 0xf6:
        return modrm_test8;
    case 0xf7:
        return modrm_testz;
    }
    return bad;  // prefixes: not here
}

// Opcodes of the map 0F that have an immediate byte, with or without VEX.
constexpr bool has_imm8(unsigned opcode) {
    return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
           (opcode >= 0xc4 && opcode <= 0xc6);
}

constexpr Form two_byte_form(unsigned opcode) {
    if (has_imm8(opcode))
        return modrm_imm8;
    switch (opcode) {
    case 0x04:
    case 0x0a:
    case 0x0c:
    case 0x0f:
    case 0x20 ... 0x27:  // control registers: privileged, and they take any ModRM for registers
    case 0x36:
    case 0x39:
    case 0x3b ... 0x3f:
    case 0x78:  // two immediate bytes with prefix 66 or F2 (SSE4a)
    case 0xa6:
    case 0xa7:
        return bad;
    case 0x05 ... 0x09:
    case 0x0b:
    case 0x0e:
    case 0x30 ... 0x35:
    case 0x37:
    case 0x77:
    case 0xa0 ... 0xa2:
    case 0xa8 ... 0xaa:
    case 0xc8 ... 0xcf:
        return none;
    case 0x80 ... 0x8f:
        return relative;
    case 0xa4:
    case 0xac:
    case 0xba:
        return modrm_imm8;
    }
    return modrm;
}

// Reads one byte or number after another; false at the end.
class Bytes {
  public:
    Bytes(const std::uint8_t* code, std::size_t available)
        : code_(code), end_(available < longest ? available : longest) {}
    bool next(std::uint8_t& byte) {
        if (at_ >= end_)
            return false;
        byte = code_[at_++];
        return true;
    }
    bool number(std::size_t size, std::int64_t& value) {
        if (end_ - at_ < size)
            return false;
        std::uint64_t bits = 0;
        std::memcpy(&bits, code_ + at_, size);
        at_ += size;
        unsigned unused = 64 - 8 * static_cast<unsigned>(size);
        value = size ? static_cast<std::int64_t>(bits << unused) >> unused : 0;
        return true;
    }
    std::uint8_t position() const { return static_cast<std::uint8_t>(at_); }

  private:
    const std::uint8_t* code_;
    std::size_t end_, at_ = 0;
};

constexpr bool is_prefix(std::uint8_t byte) {
    return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
           (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 || byte == 0xf2 || byte == 0xf3;
}

// Reads what follows C5, C4 or 62. The inverted bits of the prefix are the REX bits.
Form read_vector_opcode(Bytes& bytes, std::uint8_t escape, Instruction& found) {
    std::uint8_t first, other;
    unsigned map = 1;
    if (!bytes.next(first))
        return bad;
    found.rex = 0x40 | (~first >> 5 & 7);
    if (escape == 0xc5)
        found.rex &= 0x44;
    else
        map = escape == 0x62 ? first & 7 : first & 0x1f;
    if (escape == 0xc4) {
        if (!bytes.next(other))
            return bad;
        found.rex |= other >> 4 & 8;
    } else if (escape == 0x62 && (!bytes.next(other) || !bytes.next(first))) {
        return bad;
    }
    found.map = OpcodeMap::vector;
    found.opcode_at = bytes.position();
    if (!bytes.next(found.opcode))
        return bad;
    switch (map) {
    case 1:
        if ((found.opcode & 0xf0) == 0x80)
            return bad;  // jumps that only Knights Corner has
        return found.opcode == 0x77 && escape != 0x62 ? none
               : has_imm8(found.opcode)               ? modrm_imm8
                                                      : modrm;
    case 3:
        return modrm_imm8;
    case 2:
    case 5:  // AVX512-FP16
    case 6:
        return modrm;
    }
    return bad;
}

Form read_opcode(Bytes& bytes, std::uint8_t byte, Instruction& found) {
    found.opcode_at = bytes.position() - 1;
    found.opcode = byte;
    if (byte != 0x0f)
        return one_byte_form(byte);
    found.map = OpcodeMap::two_byte;
    found.opcode_at++;
    if (!bytes.next(found.opcode))
        return bad;
    if (found.opcode != 0x38 && found.opcode != 0x3a)
        return two_byte_form(found.opcode);
    bool third = found.opcode == 0x3a;
    found.map = third ? OpcodeMap::three_byte_3a : OpcodeMap::three_byte_38;
    found.opcode_at++;
    return bytes.next(found.opcode) ? third ? modrm_imm8 : modrm : bad;
}

bool read_modrm(Bytes& bytes, Instruction& found) {
    found.has_modrm = true;
    if (!bytes.next(found.modrm))
        return false;
    if (found.mode() == 3)
        return true;
    bool has_index = (found.modrm & 7) == 4;
    if (has_index && !bytes.next(found.index))
        return false;
    std::size_t size = found.mode() == 1 ? 1 : found.mode() == 2 ? 4 : 0;
    if (found.mode() == 0 && ((has_index ? found.index : found.modrm) & 7) == 5)
        size = 4;
    std::int64_t displacement;
    if (!bytes.number(size, displacement))
        return false;
    found.displacement = static_cast<std::int32_t>(displacement);
    return true;
}

std::size_t immediate_size(unsigned form, const Instruction& found, bool address_32) {
    std::size_t z = found.operand_16 && !found.wide() ? 2 : 4;
    switch (form) {
    case imm8:
        return 1;
    case imm16:
        return 2;
    case imm16_8:
        return 3;
    case immz:
        return z;
    case immv:
        return found.wide() ? 8 : z;
    case relative:
        return 4;
    case offset:
        return address_32 ? 4 : 8;
    case modrm_test8 & ~modrm:
        return found.opcode_extension() < 2 ? 1 : 0;
    case modrm_testz & ~modrm:
        return found.opcode_extension() < 2 ? z : 0;
    }
    return 0;
}

}  // namespace

Branch branch_of(const Instruction& instruction) {
    if (instruction.map == OpcodeMap::two_byte)
        return (instruction.opcode & 0xf0) == 0x80 ? Branch::conditional_jump : Branch::none;
    if (instruction.map != OpcodeMap::one_byte)
        return Branch::none;
    switch (instruction.opcode) {
    case 0x70 ... 0x7f:
    case 0xe0 ... 0xe3:
    case 0xeb:
        return Branch::short_jump;
    case 0xc2:
    case 0xc3:
        return Branch::leave;
    case 0xe8:
        return Branch::call;
    case 0xe9:
        return Branch::jump;
    case 0xff:
        return instruction.opcode_extension() == 2   ? Branch::call
               : instruction.opcode_extension() == 4 ? Branch::jump
                                                     : Branch::none;
    }
    return Branch::none;
}

bool ends_flow(const Instruction& instruction) {
    Branch branch = branch_of(instruction);
    return branch == Branch::jump || branch == Branch::leave ||
           (branch == Branch::short_jump && instruction.opcode == 0xeb);
}

std::uintptr_t direct_target(const Instruction& instruction, std::uintptr_t next) {
    Branch branch = branch_of(instruction);
    bool indirect = instruction.is(OpcodeMap::one_byte, 0xff);
    return branch == Branch::none || branch == Branch::leave || indirect
               ? 0
               : next + static_cast<std::uintptr_t>(instruction.immediate);
}

Instruction decode(const std::uint8_t* code, std::size_t available) {
    Bytes bytes(code, available);
    Instruction found;
    bool address_32 = false;
    std::uint8_t byte;
    if (!bytes.next(byte))
        return {};
    for (; is_prefix(byte) || (byte & 0xf0) == 0x40;) {
        // A REX prefix counts only right before the opcode.
        found.rex = (byte & 0xf0) == 0x40 ? byte : 0;
        found.operand_16 |= byte == 0x66;
        address_32 |= byte == 0x67;
        if (!bytes.next(byte))
            return {};
    }
    bool vector = byte == 0xc4 || byte == 0xc5 || byte == 0x62;
    Form form = vector ? read_vector_opcode(bytes, byte, found) : read_opcode(bytes, byte, found);
    if (form == bad || (form & modrm && !read_modrm(bytes, found)))
        return {};
    if (found.is(OpcodeMap::one_byte, 0x8f) && found.opcode_extension() != 0)
        return {};  // AMD's XOP
    if (!bytes.number(immediate_size(form & ~modrm, found, address_32), found.immediate))
        return {};
    found.length = bytes.position();
    return found;
}

}  // namespace vftrace
