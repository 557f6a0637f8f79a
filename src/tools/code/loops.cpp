#include "code/loops.hpp"

#include <algorithm>

#include "code/flow_graph.hpp"

namespace vftrace {
namespace {

// Immediate dominators, by K. Cooper, T. Harvey, K. Kennedy: A Simple, Fast Dominance Algorithm
// (2001).
class Dominators {
  public:
    explicit Dominators(const std::vector<Block>& blocks)
        : blocks_(blocks), rank_(blocks.size(), unreached) {
        number_blocks();
        dominator_.assign(blocks.size(), unreached);
        if (blocks.empty())
            return;
        dominator_[0] = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::size_t block : order_)
                changed |= block != 0 && update(block);
        }
    }

    bool is_reached(std::size_t block) const { return rank_[block] != unreached; }

    bool dominates(std::size_t block, std::size_t other) const {
        if (!is_reached(block) || !is_reached(other))
            return false;
        while (rank_[other] > rank_[block])
            other = dominator_[other];
        return other == block;
    }

  private:
    static constexpr std::size_t unreached = static_cast<std::size_t>(-1);

    // Reverse postorder, without recursion: functions may have 10^5 blocks in a row.
    void number_blocks() {
        struct Visit {
            std::size_t block, next;
        };
        std::vector<bool> is_visited(blocks_.size());
        std::vector<Visit> open;
        if (!blocks_.empty()) {
            open.push_back({0, 0});
            is_visited[0] = true;
        }
        while (!open.empty()) {
            Visit& visit = open.back();
            const std::vector<std::size_t>& successors = blocks_[visit.block].successors;
            if (visit.next == successors.size()) {
                order_.push_back(visit.block);
                open.pop_back();
                continue;
            }
            const std::size_t successor = successors[visit.next++];
            if (!is_visited[successor]) {
                is_visited[successor] = true;
                open.push_back({successor, 0});
            }
        }
        std::reverse(order_.begin(), order_.end());
        for (std::size_t i = 0; i < order_.size(); i++)
            rank_[order_[i]] = i;
    }

    bool update(std::size_t block) {
        std::size_t common = unreached;
        for (const std::size_t predecessor : blocks_[block].predecessors)
            if (dominator_[predecessor] != unreached)
                common = common == unreached ? predecessor : meet(common, predecessor);
        if (dominator_[block] == common)
            return false;
        dominator_[block] = common;
        return true;
    }

    std::size_t meet(std::size_t one, std::size_t other) const {
        while (one != other) {
            while (rank_[one] > rank_[other])
                one = dominator_[one];
            while (rank_[other] > rank_[one])
                other = dominator_[other];
        }
        return one;
    }

    const std::vector<Block>& blocks_;
    std::vector<std::size_t> order_, rank_, dominator_;
};

// The blocks of a loop.
struct BlockLoop {
    std::size_t header = 0;
    std::vector<std::size_t> latches;
    std::vector<std::size_t> blocks;  // by address
    std::vector<std::size_t> always;  // those that each iteration passes
};

void collect_blocks(BlockLoop& loop, const std::vector<Block>& blocks, const Dominators& dominators,
                    std::vector<bool>& is_in) {
    loop.blocks = {loop.header};
    is_in[loop.header] = true;
    std::vector<std::size_t> open = loop.latches;
    while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        if (is_in[block] || !dominators.is_reached(block))
            continue;
        is_in[block] = true;
        loop.blocks.push_back(block);
        open.insert(open.end(), blocks[block].predecessors.begin(),
                    blocks[block].predecessors.end());
    }
    std::sort(loop.blocks.begin(), loop.blocks.end());
    for (const std::size_t block : loop.blocks)
        is_in[block] = false;
}

// Larger ones first.
std::vector<BlockLoop> find_block_loops(const std::vector<Block>& blocks) {
    const Dominators dominators(blocks);
    std::vector<BlockLoop> loops;
    std::vector<bool> is_in(blocks.size());
    for (std::size_t header = 0; header < blocks.size(); header++) {
        BlockLoop loop;
        loop.header = header;
        for (const std::size_t block : blocks[header].predecessors)
            if (dominators.dominates(header, block))
                loop.latches.push_back(block);
        if (loop.latches.empty())
            continue;
        collect_blocks(loop, blocks, dominators, is_in);
        for (const std::size_t block : loop.blocks)
            if (std::all_of(loop.latches.begin(), loop.latches.end(),
                            [&](std::size_t latch) { return dominators.dominates(block, latch); }))
                loop.always.push_back(block);
        loops.push_back(std::move(loop));
    }
    std::stable_sort(loops.begin(), loops.end(), [](const BlockLoop& one, const BlockLoop& other) {
        return one.blocks.size() > other.blocks.size();
    });
    return loops;
}

MachineLoop describe(const BlockLoop& loop, const std::vector<Block>& blocks,
                     const std::vector<MachineInstruction>& instructions) {
    MachineLoop described;
    described.header = blocks[loop.header].first;
    for (const std::size_t latch : loop.latches)
        described.backward.push_back(blocks[latch].end - 1);
    for (const std::size_t i : loop.blocks) {
        const Block& block = blocks[i];
        for (std::size_t j = block.first; j < block.end; j++)
            described.instructions.push_back(j);
        const bool leaves = std::any_of(
            block.successors.begin(), block.successors.end(), [&loop](std::size_t successor) {
                return !std::binary_search(loop.blocks.begin(), loop.blocks.end(), successor);
            });
        if (leaves && instructions[block.end - 1].flow == Flow::branch)
            described.exits.push_back(block.end - 1);
    }
    for (const std::size_t i : loop.always)
        for (std::size_t j = blocks[i].first; j < blocks[i].end; j++)
            if (instructions[j].flow == Flow::call)
                described.calls.push_back(j);
    return described;
}

}  // namespace

FunctionLoops find_loops(const std::vector<MachineInstruction>& instructions) {
    FunctionLoops result;
    result.loop_of.assign(instructions.size(), no_loop);
    const FlowGraph graph(instructions);
    // Larger loops come first, so the loop that has a header so far is the innermost one around it.
    for (const BlockLoop& loop : find_block_loops(graph.blocks())) {
        MachineLoop described = describe(loop, graph.blocks(), instructions);
        described.parent = result.loop_of[described.header];
        described.depth =
            described.parent == no_loop ? 1 : result.loops[described.parent].depth + 1;
        for (const std::size_t instruction : described.instructions)
            result.loop_of[instruction] = result.loops.size();
        result.loops.push_back(std::move(described));
    }
    for (std::size_t i = 0; i < result.loops.size(); i++)
        std::erase_if(result.loops[i].calls,
                      [&result, i](std::size_t call) { return result.loop_of[call] != i; });
    return result;
}

}  // namespace vftrace
