#include "code/flow_graph.hpp"

#include <algorithm>

namespace vftrace {

FlowGraph::FlowGraph(const std::vector<MachineInstruction>& instructions)
    : instructions_(instructions) {
    find_blocks();
    for (std::size_t i = 0; i < blocks_.size(); i++)
        connect(i);
    connect_jump_tables();
}

// The instruction at an address of this function, else the number of instructions.
std::size_t FlowGraph::instruction_at(std::uint64_t address) const {
    const auto found =
        std::lower_bound(instructions_.begin(), instructions_.end(), address,
                         [](const MachineInstruction& instruction, std::uint64_t wanted) {
                             return instruction.address < wanted;
                         });
    if (found == instructions_.end() || found->address != address)
        return instructions_.size();
    return static_cast<std::size_t>(found - instructions_.begin());
}

std::size_t FlowGraph::target_of(const MachineInstruction& instruction) const {
    return instruction.flow == Flow::branch || instruction.flow == Flow::jump
               ? instruction_at(instruction.target)
               : instructions_.size();
}

void FlowGraph::find_blocks() {
    std::vector<bool> begins(instructions_.size() + 1);
    begins[0] = true;
    for (std::size_t i = 0; i < instructions_.size(); i++) {
        begins[target_of(instructions_[i])] = true;
        if (instructions_[i].flow != Flow::next && instructions_[i].flow != Flow::call)
            begins[i + 1] = true;
    }
    block_of_.resize(instructions_.size());
    for (std::size_t i = 0; i < instructions_.size(); i++) {
        if (begins[i])
            blocks_.push_back({i, i, {}, {}});
        blocks_.back().end = i + 1;
        block_of_[i] = blocks_.size() - 1;
    }
}

void FlowGraph::add_edge(std::size_t from, std::size_t to) {
    std::vector<std::size_t>& successors = blocks_[from].successors;
    if (std::find(successors.begin(), successors.end(), to) != successors.end())
        return;
    successors.push_back(to);
    blocks_[to].predecessors.push_back(from);
}

void FlowGraph::connect(std::size_t i) {
    const MachineInstruction& last = instructions_[blocks_[i].end - 1];
    if (const std::size_t target = target_of(last); target != instructions_.size())
        add_edge(i, block_of_[target]);
    const bool goes_on =
        last.flow == Flow::next || last.flow == Flow::call || last.flow == Flow::branch;
    if (goes_on && i + 1 < blocks_.size())
        add_edge(i, i + 1);
}

void FlowGraph::connect_jump_tables() {
    std::vector<std::size_t> unreached;
    for (std::size_t i = 1; i < blocks_.size(); i++)
        if (blocks_[i].predecessors.empty())
            unreached.push_back(i);
    for (std::size_t i = 0; i < blocks_.size(); i++)
        if (instructions_[blocks_[i].end - 1].flow == Flow::indirect_jump)
            for (const std::size_t block : unreached)
                add_edge(i, block);
}

}  // namespace vftrace
