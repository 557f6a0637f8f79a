// What the instructions of a loop are, counted and in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "code/instructions.hpp"

namespace vftrace {

// Numbers of instructions in the code, whatever the number of times that each is executed.
struct InstructionMix {
    unsigned instructions = 0;
    unsigned scalar_single = 0, scalar_double = 0, packed_single = 0, packed_double = 0, x87 = 0;
    unsigned packed_integer = 0;
    unsigned divides = 0, gathers = 0, calls = 0, loads = 0, stores = 0;
    unsigned vector_bits = 0;  // of the widest packed arithmetic

    unsigned floating_point() const { return scalar() + packed(); }
    unsigned scalar() const { return scalar_single + scalar_double + x87; }
    unsigned packed() const { return packed_single + packed_double; }
};

InstructionMix count_instructions(const std::vector<MachineInstruction>& instructions,
                                  const std::vector<std::size_t>& chosen);

// What that says about a loop: "not vectorised: 12 of 13 floating-point instructions are scalar
// double; 1 divide, 2 calls". "" if there is nothing to compute in it.
std::string sentence_of(const InstructionMix& mix);

}  // namespace vftrace
