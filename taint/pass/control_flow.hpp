// Dependences through control flow, which the data-flow sanitizer does not follow: a variable that
// is assigned on one of several ways depends on the conditions that decide the way, and one that a
// loop changes, on what ends the loop. On request, because it makes more loops depend on more
// parameters, many of them without an effect.
#ifndef VFTRACE_TAINT_PASS_CONTROL_FLOW_HPP
#define VFTRACE_TAINT_PASS_CONTROL_FLOW_HPP

#include <llvm/IR/PassManager.h>

namespace vftrace::taint {

// Whether the compiler's options request it.
bool control_flow_counts();

// For functions in SSA form with simplified loops, whose values are used outside through PHI nodes
// (LCSSA).
struct ControlFlowPass : llvm::PassInfoMixin<ControlFlowPass> {
    static llvm::PreservedAnalyses run(llvm::Function& function,
                                       llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vftrace::taint

#endif
