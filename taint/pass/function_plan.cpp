// What to watch in a function: exits of loops, branches in them, calls.
#include "taint/pass/function_plan.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace vftrace::taint {
namespace {

class Planner {
  public:
    Planner(FunctionPlan& in_plan, llvm::LoopInfo& in_info, llvm::ScalarEvolution& in_evolution,
            const llvm::TargetTransformInfo& in_costs)
        : plan(in_plan), info(in_info), evolution(in_evolution), costs(in_costs),
          expander(in_evolution, in_plan.function->getParent()->getDataLayout(), "vftrace.count") {}

    void run() {
        // In the order of LoopInfo, which is also that of the result: from the last loop of the
        // function to the first.
        int number = 0;
        for (llvm::Loop* loop : info)
            add_loop(*loop, -1, number++, 0);
        for (llvm::Instruction& instruction : llvm::instructions(plan.function))
            add_call(instruction);
    }

  private:
    void add_loop(llvm::Loop& loop, int parent, int number, int level) {
        const int index = static_cast<int>(plan.loops.size());
        const llvm::DebugLoc start = loop.getStartLoc();
        plan.loops.push_back(
            {parent, number, level, start ? static_cast<std::int32_t>(start.getLine()) : 0});
        index_of[&loop] = index;
        add_exits(loop, index);
        add_branches(loop, index);
        // Loops inside a loop are in the order of the program.
        int inner_number = 0;
        for (llvm::Loop* inner : loop.getSubLoops())
            add_loop(*inner, index, inner_number++, level + 1);
    }

    static llvm::Value* condition_of(llvm::BasicBlock& block) {
        llvm::Instruction* end = block.getTerminator();
        if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(end))
            return branch->isConditional() ? branch->getCondition() : nullptr;
        if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(end))
            return choice->getCondition();
        if (auto* jump = llvm::dyn_cast<llvm::IndirectBrInst>(end))
            return jump->getAddress();
        return nullptr;
    }

    void add_exits(llvm::Loop& loop, int index) {
        llvm::SmallVector<llvm::BasicBlock*, 8> exiting;
        loop.getExitingBlocks(exiting);
        llvm::BasicBlock* before = loop.getLoopPreheader();
        for (llvm::BasicBlock* block : exiting) {
            llvm::Value* condition = condition_of(*block);
            if (!condition || llvm::isa<llvm::Constant>(condition))
                continue;
            const llvm::SCEV* count = evolution.getExitCount(&loop, block);
            if (llvm::isa<llvm::SCEVConstant>(count))
                continue;  // does not depend on anything
            // A count that is known beforehand is checked only once, which makes the analysis of
            // nested loops affordable.
            if (before && !llvm::isa<llvm::SCEVCouldNotCompute>(count) &&
                expander.isSafeToExpandAt(count, before->getTerminator()) &&
                !expander.isHighCostExpansion({count}, &loop, 8, &costs, before->getTerminator()))
                plan.sites.push_back({{index, -1}, nullptr, before->getTerminator(), count});
            else
                plan.sites.push_back({{index, -1}, condition, block->getTerminator()});
        }
    }

    void add_branches(llvm::Loop& loop, int index) {
        int number = 0;
        for (llvm::BasicBlock* block : loop.blocks()) {
            if (info.getLoopFor(block) != &loop || loop.isLoopExiting(block))
                continue;
            llvm::Value* condition = condition_of(*block);
            if (!condition || llvm::isa<llvm::Constant>(condition))
                continue;
            // A condition that is the same in all iterations is checked before the loop.
            llvm::Instruction* before = block->getTerminator();
            if (llvm::BasicBlock* header = loop.getLoopPreheader()) {
                bool changed = false;
                if (loop.makeLoopInvariant(condition, changed, header->getTerminator(), nullptr,
                                           &evolution))
                    before = header->getTerminator();
            }
            plan.sites.push_back({{index, number++}, condition, before});
        }
    }

    void add_call(llvm::Instruction& instruction) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (!call || call->isInlineAsm())
            return;
        if (const llvm::Function* callee = callee_of(*call); callee && callee->isIntrinsic())
            return;
        const llvm::Loop* loop = info.getLoopFor(call->getParent());
        plan.calls.push_back({call, loop ? index_of[loop] : -1});
    }

    FunctionPlan& plan;
    llvm::LoopInfo& info;
    llvm::ScalarEvolution& evolution;
    const llvm::TargetTransformInfo& costs;
    llvm::SCEVExpander expander;
    llvm::DenseMap<const llvm::Loop*, int> index_of;
};

}  // namespace

FunctionPlan plan_function(llvm::Function& function, llvm::LoopInfo& loops,
                           llvm::ScalarEvolution& evolution,
                           const llvm::TargetTransformInfo& costs) {
    FunctionPlan plan;
    plan.function = &function;
    Planner(plan, loops, evolution, costs).run();
    return plan;
}

}  // namespace vftrace::taint
