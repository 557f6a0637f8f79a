// Turns conditions with && and || into separate branches.
#include "taint/pass/short_circuits.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace vftrace::taint {
namespace {

// The branch of a block that holds nothing but a choice and a branch on it; null for other blocks.
llvm::BranchInst* branch_on_choice(llvm::BasicBlock& block) {
    auto* choice = llvm::dyn_cast<llvm::PHINode>(&block.front());
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!choice || !branch || !branch->isConditional() || branch->getCondition() != choice ||
        !choice->hasOneUse())
        return nullptr;
    return choice->getNextNonDebugInstruction() == branch ? branch : nullptr;
}

// Has `before` branch directly to `target` instead of `block`, which would branch to `target` when
// it is entered from `before`.
void skip(llvm::BasicBlock& before, llvm::BasicBlock& block, llvm::BasicBlock& target) {
    for (llvm::PHINode& choice : target.phis()) {
        llvm::Value* value = choice.getIncomingValueForBlock(&block);
        choice.addIncoming(value, &before);
    }
    before.getTerminator()->replaceSuccessorWith(&block, &target);
    block.removePredecessor(&before, true);
}

bool split(llvm::BasicBlock& block) {
    llvm::BranchInst* branch = branch_on_choice(block);
    if (!branch)
        return false;
    auto& choice = llvm::cast<llvm::PHINode>(block.front());
    for (unsigned i = 0; i < choice.getNumIncomingValues(); ++i) {
        llvm::BasicBlock* before = choice.getIncomingBlock(i);
        const auto* value = llvm::dyn_cast<llvm::ConstantInt>(choice.getIncomingValue(i));
        const auto* end = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
        if (!value || !end || !end->isConditional() || end->getSuccessor(0) == end->getSuccessor(1))
            continue;
        llvm::BasicBlock* target = branch->getSuccessor(value->isZero() ? 1 : 0);
        // A block to which `before` already branches would get two values from it.
        if (target == &block || end->getSuccessor(0) == target || end->getSuccessor(1) == target)
            continue;
        skip(*before, block, *target);
        return true;
    }
    return false;
}

}  // namespace

void split_short_circuits(llvm::Function& function) {
    llvm::SmallVector<llvm::BasicBlock*, 32> blocks;
    for (llvm::BasicBlock& block : function)
        blocks.push_back(&block);
    for (llvm::BasicBlock* block : blocks)
        while (split(*block)) {
        }
}

}  // namespace vftrace::taint
