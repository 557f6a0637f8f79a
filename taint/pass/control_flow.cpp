#include "taint/pass/control_flow.hpp"

#include <cstdlib>
#include <cstring>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "taint/pass/function_plan.hpp"
#include "taint/pass/runtime_calls.hpp"

namespace vftrace::taint {
namespace {

// By block: a number with the labels of what decides where the block leads; null if it leads to one
// place. Not the condition itself, which is a constant for the optimiser where the block has led
// to.
class Decisions {
  public:
    explicit Decisions(RuntimeCalls& calls) : calls_(calls) {}

    llvm::Value* of(llvm::BasicBlock& block) {
        const auto [place, is_new] = known_.try_emplace(&block, nullptr);
        llvm::Value* condition = is_new ? condition_of(block) : nullptr;
        if (!condition || llvm::isa<llvm::Constant>(condition))
            return place->second;
        llvm::IRBuilder<> builder(block.getTerminator());
        if (llvm::Value* number = as_number(builder, condition))
            place->second = builder.CreateCall(calls_.depend, {builder.getInt64(0), number});
        return place->second;
    }

  private:
    RuntimeCalls& calls_;
    llvm::DenseMap<llvm::BasicBlock*, llvm::Value*> known_;
};

// What decides whether the program comes from `first` to the end of `last`, as one number; null if
// nothing does. `first` dominates `last`.
llvm::Value* decisions_between(llvm::BasicBlock* first, llvm::BasicBlock* last,
                               const llvm::DominatorTree& dominators, Decisions& decisions,
                               llvm::IRBuilder<>& builder) {
    llvm::Value* together = nullptr;
    for (const auto* node = dominators.getNode(last); node; node = node->getIDom()) {
        if (llvm::Value* number = decisions.of(*node->getBlock()))
            together = together ? builder.CreateXor(together, number) : number;
        if (node->getBlock() == first)
            break;
    }
    return together;
}

// The value, whose label is from here on also that of the condition; null if its type has no labels
// that can be combined.
llvm::Value* depending(llvm::Value* value, llvm::Value* condition, llvm::IRBuilder<>& builder,
                       RuntimeCalls& calls) {
    llvm::Type* type = value->getType();
    if (type->isPointerTy())
        return builder.CreateCall(calls.join, {value, condition});
    if (!type->isFloatTy() && !type->isDoubleTy() &&
        !(type->isIntegerTy() && type->getIntegerBitWidth() <= 64))
        return nullptr;
    llvm::Value* result = builder.CreateCall(calls.depend, {as_number(builder, value), condition});
    result = builder.CreateTrunc(result, builder.getIntNTy(type->getScalarSizeInBits()));
    return builder.CreateBitCast(result, type);
}

}  // namespace

bool control_flow_counts() {
    const char* wanted = std::getenv("VFTRACE_TAINT_CONTROL_FLOW");
    return wanted && std::strcmp(wanted, "yes") == 0;
}

llvm::PreservedAnalyses ControlFlowPass::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager& analyses) {
    const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    RuntimeCalls calls(*function.getParent());
    Decisions decisions(calls);
    for (llvm::BasicBlock& block : function) {
        const auto* node = dominators.getNode(&block);
        if (!node || !node->getIDom() || loops.isLoopHeader(&block))
            continue;
        for (llvm::PHINode& choice : block.phis())
            for (unsigned i = 0; i < choice.getNumIncomingValues(); ++i) {
                llvm::BasicBlock* from = choice.getIncomingBlock(i);
                if (!dominators.getNode(from) || llvm::isa<llvm::InvokeInst>(from->getTerminator()))
                    continue;
                llvm::IRBuilder<> builder(from->getTerminator());
                llvm::Value* condition = decisions_between(node->getIDom()->getBlock(), from,
                                                           dominators, decisions, builder);
                if (llvm::Value* value =
                        condition ? depending(choice.getIncomingValue(i), condition, builder, calls)
                                  : nullptr)
                    choice.setIncomingValue(i, value);
            }
    }
    return llvm::PreservedAnalyses::none();
}

}  // namespace vftrace::taint
