// The natural loops of a function's machine code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "code/instructions.hpp"

namespace vftrace {

inline constexpr std::size_t no_loop = static_cast<std::size_t>(-1);

// A loop: a block that dominates a block from which there is a way back to it, and all blocks
// between (A. Aho, M. Lam, R. Sethi, J. Ullman: Compilers, 2nd edition, 9.6). Ways back to the same
// block are one loop.
struct MachineLoop {
    std::size_t header = 0;             // its first instruction
    std::size_t parent = no_loop;       // the loop around it
    std::size_t depth = 1;              // 1: not in another loop
    std::vector<std::size_t> backward;  // instructions that lead back to the header
    std::vector<std::size_t> exits;     // branches that can leave it
    std::vector<std::size_t> calls;     // that each iteration makes, and that are in no inner loop
    std::vector<std::size_t>
        instructions;  // all of its instructions, those of inner loops too; by address
};

struct FunctionLoops {
    std::vector<MachineLoop> loops;    // outer ones before inner ones, then by address
    std::vector<std::size_t> loop_of;  // of each instruction: the innermost loop, or no_loop
};

// The loops of a function, as FlowGraph (code/flow_graph.hpp) finds its blocks. Indexes are those
// of `instructions`.
FunctionLoops find_loops(const std::vector<MachineInstruction>& instructions);

}  // namespace vftrace
