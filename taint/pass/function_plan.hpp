// What to watch in a function: the exits of its loops and the branches in them, numbered as LLVM
// numbers loops, and its calls. Made from the function in SSA form with simplified loops, before
// anything is inserted.
#ifndef VFTRACE_TAINT_PASS_FUNCTION_PLAN_HPP
#define VFTRACE_TAINT_PASS_FUNCTION_PLAN_HPP

#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

#include "taint/layout.hpp"
#include "taint/pass/callees.hpp"
#include "taint/pass/containers.hpp"

namespace vftrace::taint {

struct Site {
    SiteRecord record;
    llvm::Value* value;         // the value whose label is checked
    llvm::Instruction* before;  // where it is checked
    const llvm::SCEV* count =
        nullptr;  // instead of value: the number of iterations, if known before the loop
    bool first_byte = false;  // value is a pointer to a string, whose first byte represents it
};

struct CallPlan {
    llvm::CallBase* call;
    int loop;  // index in loops, or -1
    ContainerCall container = {};
    int creation = -1;  // index of the loop in whose iterations the container is created
};

struct FunctionPlan {
    llvm::Function* function;
    std::vector<LoopRecord> loops;
    std::vector<Site> sites;
    std::vector<CallPlan> calls;  // all except those of intrinsic functions and inline assembly, in
                                  // the order of the code
    bool needs_frame = false;     // it has sites, or may reach a function with sites
    bool calls_opaque = false;    // see FunctionRecord

    // Adds what counts as a loop. Returns its index in `loops`.
    int add_loop(int parent, std::int32_t line, LoopKind kind);
};

// What decides where the block leads; null if it leads to one place.
llvm::Value* condition_of(llvm::BasicBlock& block);

FunctionPlan plan_function(llvm::Function& function, llvm::LoopInfo& loops,
                           llvm::ScalarEvolution& evolution,
                           const llvm::TargetTransformInfo& costs);

// Adds the recursion of the function as a loop, which ends where a branch decides whether one of
// `members`, functions that call each other, is called.
void add_recursion(FunctionPlan& plan, const llvm::SmallPtrSetImpl<const llvm::Function*>& members,
                   const llvm::PostDominatorTree& after);

}  // namespace vftrace::taint

#endif
