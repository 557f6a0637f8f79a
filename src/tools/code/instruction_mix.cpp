#include "code/instruction_mix.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace vftrace {
namespace {

std::string counted(unsigned count, const char* one, const char* several) {
    return format("%u %s", count, count == 1 ? one : several);
}

std::string most_frequent_kind(const InstructionMix& mix) {
    const std::pair<unsigned, const char*> kinds[] = {{mix.scalar_double, "scalar double"},
                                                      {mix.scalar_single, "scalar single"},
                                                      {mix.x87, "x87"},
                                                      {mix.packed_double, "packed double"},
                                                      {mix.packed_single, "packed single"}};
    const auto* most = std::max_element(
        std::begin(kinds), std::end(kinds),
        [](const auto& one, const auto& other) { return one.first < other.first; });
    return format("%u of %s %s", most->first,
                  counted(mix.floating_point(), "floating-point instruction is",
                          "floating-point instructions are")
                      .c_str(),
                  most->second);
}

std::string vectorisation(const InstructionMix& mix) {
    if (mix.floating_point() == 0)
        return mix.packed_integer == 0
                   ? ""
                   : format("vectorised with %u bits: %s", mix.vector_bits,
                            counted(mix.packed_integer, "packed integer instruction",
                                    "packed integer instructions")
                                .c_str());
    if (mix.packed() == 0)
        return "not vectorised: " + most_frequent_kind(mix);
    return format(mix.scalar() == 0 ? "vectorised with %u bits: "
                                    : "partly vectorised, with %u bits: ",
                  mix.vector_bits) +
           most_frequent_kind(mix);
}

}  // namespace

InstructionMix count_instructions(const std::vector<MachineInstruction>& instructions,
                                  const std::vector<std::size_t>& chosen) {
    InstructionMix mix;
    for (const std::size_t i : chosen) {
        const MachineInstruction& instruction = instructions[i];
        mix.instructions++;
        mix.scalar_single += instruction.arithmetic == Arithmetic::scalar_single;
        mix.scalar_double += instruction.arithmetic == Arithmetic::scalar_double;
        mix.packed_single += instruction.arithmetic == Arithmetic::packed_single;
        mix.packed_double += instruction.arithmetic == Arithmetic::packed_double;
        mix.packed_integer += instruction.arithmetic == Arithmetic::packed_integer;
        mix.x87 += instruction.arithmetic == Arithmetic::x87;
        mix.divides += instruction.is_divide;
        mix.gathers += instruction.is_gather;
        mix.calls += instruction.flow == Flow::call;
        mix.loads += instruction.loads;
        mix.stores += instruction.stores;
        mix.vector_bits = std::max<unsigned>(mix.vector_bits, instruction.vector_bits);
    }
    return mix;
}

std::string sentence_of(const InstructionMix& mix) {
    std::string sentence = vectorisation(mix);
    std::string others;
    const auto add = [&others](unsigned count, const char* one, const char* several) {
        if (count > 0)
            others += (others.empty() ? "" : ", ") + counted(count, one, several);
    };
    add(mix.divides, "division or square root", "divisions or square roots");
    add(mix.gathers, "gather or scatter", "gathers or scatters");
    add(mix.calls, "call", "calls");
    if (sentence.empty() && others.empty() && mix.loads + mix.stores == 0)
        return "";
    add(mix.loads, "load", "loads");
    add(mix.stores, "store", "stores");
    if (!others.empty())
        sentence += (sentence.empty() ? "" : "; ") + others;
    return sentence;
}

}  // namespace vftrace
