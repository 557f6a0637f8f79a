#include "code/instructions.hpp"

#include <Zydis/Zydis.h>
#include <algorithm>
#include <array>

namespace vftrace {
namespace {

ZydisDecoder make_decoder() {
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return decoder;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(), [text](std::string_view beginning) {
        return text.substr(0, beginning.size()) == beginning;
    });
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Whether a mnemonic without its "v" computes with floating-point numbers, rather than moving,
// comparing or converting them.
bool is_floating_point(std::string_view name) {
    return starts_with_any(name, {"add", "sub", "mul", "div", "sqrt", "fmadd", "fmsub", "fnmadd",
                                  "fnmsub", "max", "min", "hadd", "hsub", "rcp", "rsqrt", "dpp",
                                  "reduce", "scalef"});
}

bool is_packed_integer(std::string_view name) {
    return starts_with_any(name, {"padd", "psub", "pmul", "pmadd", "pavg", "psad", "pmin", "pmax",
                                  "phadd", "phsub", "pabs", "psll", "psrl", "psra", "pand", "por",
                                  "pxor", "pdp"});
}

Arithmetic arithmetic_of(const ZydisDecodedInstruction& instruction, std::string_view name) {
    if (instruction.meta.category == ZYDIS_CATEGORY_X87_ALU)
        return starts_with_any(name, {"fadd", "fsub", "fmul", "fdiv", "fiadd", "fisub", "fimul",
                                      "fidiv", "fsqrt"})
                   ? Arithmetic::x87
                   : Arithmetic::none;
    if (!name.empty() && name.front() == 'v')
        name.remove_prefix(1);
    if (is_packed_integer(name))
        return Arithmetic::packed_integer;
    if (!is_floating_point(name))
        return Arithmetic::none;
    constexpr struct {
        std::string_view end;
        Arithmetic arithmetic;
    } ends[] = {{"ss", Arithmetic::scalar_single},
                {"sd", Arithmetic::scalar_double},
                {"ps", Arithmetic::packed_single},
                {"pd", Arithmetic::packed_double}};
    for (const auto& kind : ends)
        if (ends_with(name, kind.end))
            return kind.arithmetic;
    return Arithmetic::none;  // of general registers
}

bool is_packed(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::packed_single || arithmetic == Arithmetic::packed_double ||
           arithmetic == Arithmetic::packed_integer;
}

Flow flow_of(const ZydisDecodedInstruction& instruction, bool is_direct) {
    switch (instruction.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
        return Flow::branch;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return is_direct ? Flow::jump : Flow::indirect_jump;
    case ZYDIS_CATEGORY_CALL:
        return Flow::call;
    case ZYDIS_CATEGORY_RET:
        return Flow::end;
    default:
        return instruction.mnemonic == ZYDIS_MNEMONIC_UD2 ||
                       instruction.mnemonic == ZYDIS_MNEMONIC_HLT
                   ? Flow::end
                   : Flow::next;
    }
}

using Operands = std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT>;

// `pxor %xmm0, %xmm0`, which sets a register to 0.
bool is_zeroing(const ZydisDecodedInstruction& instruction, const Operands& operands) {
    const std::size_t count = instruction.operand_count_visible;
    if (instruction.mnemonic != ZYDIS_MNEMONIC_PXOR && instruction.mnemonic != ZYDIS_MNEMONIC_VPXOR)
        return false;
    return operands[count - 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[count - 2].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           operands[count - 1].reg.value == operands[count - 2].reg.value;
}

void describe_operands(MachineInstruction& described, const ZydisDecodedInstruction& instruction,
                       const Operands& operands) {
    for (std::size_t i = 0; i < instruction.operand_count_visible; i++) {
        const ZydisDecodedOperand& operand = operands[i];
        if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
            operand.mem.type != ZYDIS_MEMOP_TYPE_AGEN) {
            described.loads |= (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
            described.stores |= (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
        }
        if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && is_packed(described.arithmetic))
            described.vector_bits = std::max(described.vector_bits, operand.size);
    }
}

MachineInstruction describe(const ZydisDecodedInstruction& instruction, const Operands& operands,
                            std::uint64_t address) {
    MachineInstruction described;
    described.address = address;
    described.size = instruction.length;
    bool is_direct = false;
    if (instruction.operand_count_visible > 0 && operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
        operands[0].imm.is_relative) {
        ZyanU64 target = 0;
        is_direct =
            ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&instruction, &operands[0], address, &target));
        described.target = target;
    }
    described.flow = flow_of(instruction, is_direct);
    const char* mnemonic = ZydisMnemonicGetString(instruction.mnemonic);
    const std::string_view name = mnemonic ? mnemonic : "";
    if (!is_zeroing(instruction, operands))
        described.arithmetic = arithmetic_of(instruction, name);
    described.is_divide =
        starts_with_any(name, {"div", "idiv", "vdiv", "fdiv", "fidiv", "sqrt", "vsqrt", "fsqrt"});
    described.is_gather = starts_with_any(name, {"vgather", "vpgather", "vscatter", "vpscatter"});
    describe_operands(described, instruction, operands);
    return described;
}

}  // namespace

bool can_decode_instructions() { return true; }

std::vector<MachineInstruction> decode_instructions(std::string_view code, std::uint64_t address) {
    const ZydisDecoder decoder = make_decoder();
    std::vector<MachineInstruction> instructions;
    instructions.reserve(code.size() / 4);
    ZydisDecodedInstruction instruction;
    Operands operands;
    while (!code.empty() && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(),
                                                                &instruction, operands.data()))) {
        instructions.push_back(describe(instruction, operands, address));
        code.remove_prefix(instruction.length);
        address += instruction.length;
    }
    return instructions;
}

std::string instruction_text(std::string_view code, std::uint64_t address, Syntax syntax) {
    const ZydisDecoder decoder = make_decoder();
    ZydisDecodedInstruction instruction;
    Operands operands;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(), &instruction,
                                             operands.data())))
        return "";
    ZydisFormatter formatter;
    ZydisFormatterInit(&formatter, syntax == Syntax::att ? ZYDIS_FORMATTER_STYLE_ATT
                                                         : ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, ZYAN_FALSE);
    char text[256] = "";
    ZydisFormatterFormatInstruction(&formatter, &instruction, operands.data(),
                                    instruction.operand_count_visible, text, sizeof text, address,
                                    nullptr);
    return text;
}

}  // namespace vftrace
