// What to watch in a function: exits of loops, branches in them, calls.
#include "taint/pass/function_plan.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace vftrace::taint {
llvm::Value* condition_of(llvm::BasicBlock& block) {
    llvm::Instruction* end = block.getTerminator();
    if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(end))
        return branch->isConditional() ? branch->getCondition() : nullptr;
    if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(end))
        return choice->getCondition();
    if (auto* jump = llvm::dyn_cast<llvm::IndirectBrInst>(end))
        return jump->getAddress();
    return nullptr;
}

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
        for (llvm::Instruction& instruction : llvm::instructions(plan.function))
            add_library_work(instruction);
    }

  private:
    void add_loop(llvm::Loop& loop, int parent, int number, int level) {
        const int index = static_cast<int>(plan.loops.size());
        const llvm::DebugLoc start = loop.getStartLoc();
        plan.loops.push_back({parent, number, level,
                              start ? static_cast<std::int32_t>(start.getLine()) : 0,
                              loop_of_source});
        index_of[&loop] = index;
        add_exits(loop, index);
        add_branches(loop, index);
        // Loops inside a loop are in the order of the program.
        int inner_number = 0;
        for (llvm::Loop* inner : loop.getSubLoops())
            add_loop(*inner, index, inner_number++, level + 1);
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
        const ContainerCall container = container_call(*call);
        plan.calls.push_back({call, loop_around(*call), container,
                              container.size ? loop_of_creation(*container.container) : -1});
    }

    // The loop around the place where the lifetime of a variable begins.
    int loop_of_creation(const llvm::Value& container) const {
        const llvm::Value* variable = llvm::getUnderlyingObject(&container);
        if (!llvm::isa<llvm::AllocaInst>(variable))
            return -1;
        for (const llvm::User* user : variable->users())
            if (const auto* marker = llvm::dyn_cast<llvm::IntrinsicInst>(user);
                marker && marker->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
                return loop_around(*marker);
        return -1;
    }

    int loop_around(const llvm::Instruction& instruction) const {
        const llvm::Loop* loop = info.getLoopFor(instruction.getParent());
        return loop ? index_of.lookup(loop) : -1;
    }

    // Work of the C library that grows with an argument.
    void add_library_work(llvm::Instruction& instruction) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        const llvm::Function* callee = call ? callee_of(*call) : nullptr;
        if (!callee)
            return;
        if (auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(call)) {
            add_work(*call, {memory->getLength()}, false);
            return;
        }
        const LibraryWork* work = Callees::library_work(*callee);
        if (!work)
            return;
        llvm::SmallVector<llvm::Value*, 2> lengths;
        for (const int argument : work->arguments)
            if (argument >= 0 && argument < static_cast<int>(call->arg_size()))
                lengths.push_back(call->getArgOperand(static_cast<unsigned>(argument)));
        add_work(*call, lengths, work->are_strings);
    }

    void add_work(llvm::CallBase& call, llvm::ArrayRef<llvm::Value*> lengths, bool are_strings) {
        int loop = -1;
        for (llvm::Value* length : lengths) {
            if (llvm::isa<llvm::Constant>(length))
                continue;
            if (loop < 0) {
                const llvm::DebugLoc& place = call.getDebugLoc();
                loop = plan.add_loop(loop_around(call),
                                     place ? static_cast<std::int32_t>(place.getLine()) : 0,
                                     loop_of_library);
            }
            plan.sites.push_back({{loop, -1}, length, &call, nullptr, are_strings});
        }
    }

    FunctionPlan& plan;
    llvm::LoopInfo& info;
    llvm::ScalarEvolution& evolution;
    const llvm::TargetTransformInfo& costs;
    llvm::SCEVExpander expander;
    llvm::DenseMap<const llvm::Loop*, int> index_of;
};

}  // namespace

int FunctionPlan::add_loop(int parent, std::int32_t line, LoopKind kind) {
    std::int32_t number = 0;
    for (const LoopRecord& loop : loops)
        number += loop.parent == parent;
    loops.push_back({parent, number, parent < 0 ? 0 : loops[parent].level + 1, line, kind});
    return static_cast<int>(loops.size()) - 1;
}

void add_recursion(FunctionPlan& plan, const llvm::SmallPtrSetImpl<const llvm::Function*>& members,
                   const llvm::PostDominatorTree& after) {
    llvm::SmallPtrSet<llvm::BasicBlock*, 8> calling;
    for (llvm::Instruction& instruction : llvm::instructions(plan.function))
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            call && members.contains(callee_of(*call)))
            calling.insert(call->getParent());
    // Blocks on whose ends it depends whether those blocks run, and so on (Ferrante, Ottenstein,
    // Warren, "The Program Dependence Graph and Its Use in Optimization", TOPLAS 9, 1987).
    llvm::SmallVector<llvm::BasicBlock*, 8> open(calling.begin(), calling.end());
    llvm::SmallPtrSet<llvm::BasicBlock*, 8> deciding;
    while (!open.empty()) {
        const llvm::BasicBlock* run = open.pop_back_val();
        for (llvm::BasicBlock& block : *plan.function)
            if (!deciding.contains(&block) && !after.properlyDominates(run, &block) &&
                llvm::any_of(llvm::successors(&block),
                             [&](llvm::BasicBlock* next) { return after.dominates(run, next); })) {
                deciding.insert(&block);
                open.push_back(&block);
            }
    }
    int loop = -1;
    for (llvm::BasicBlock& block : *plan.function) {
        llvm::Value* condition = condition_of(block);
        if (!deciding.contains(&block) || !condition || llvm::isa<llvm::Constant>(condition))
            continue;
        if (loop < 0) {
            const llvm::DISubprogram* where = plan.function->getSubprogram();
            loop = plan.add_loop(-1, where ? static_cast<std::int32_t>(where->getLine()) : 0,
                                 loop_of_recursion);
        }
        plan.sites.push_back({{loop, -1}, condition, block.getTerminator()});
    }
}

FunctionPlan plan_function(llvm::Function& function, llvm::LoopInfo& loops,
                           llvm::ScalarEvolution& evolution,
                           const llvm::TargetTransformInfo& costs) {
    FunctionPlan plan;
    plan.function = &function;
    Planner(plan, loops, evolution, costs).run();
    return plan;
}

}  // namespace vftrace::taint
