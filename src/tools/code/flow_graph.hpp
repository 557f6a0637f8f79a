// The basic blocks of a function's machine code.
#pragma once

#include <cstddef>
#include <vector>

#include "code/instructions.hpp"

namespace vftrace {

// Instructions that all run if the first one does. Calls are taken to return.
struct Block {
    std::size_t first = 0, end = 0;                     // instructions
    std::vector<std::size_t> successors, predecessors;  // blocks
};

// The basic blocks of a function and how control passes between them. Block 0 is the entry. Of the
// function, all instructions are given, by address; a jump by a table is taken to lead to all
// places in the function that nothing else leads to.
class FlowGraph {
  public:
    explicit FlowGraph(const std::vector<MachineInstruction>& instructions);

    const std::vector<Block>& blocks() const { return blocks_; }

  private:
    std::size_t instruction_at(std::uint64_t address) const;
    std::size_t target_of(const MachineInstruction& instruction) const;
    void find_blocks();
    void add_edge(std::size_t from, std::size_t to);
    void connect(std::size_t i);
    void connect_jump_tables();

    const std::vector<MachineInstruction>& instructions_;
    std::vector<Block> blocks_;
    std::vector<std::size_t> block_of_;  // of each instruction
};

}  // namespace vftrace
