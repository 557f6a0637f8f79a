// The two passes: one before the optimiser, which inserts calls of the run-time library at places
// where labels are checked; one after the data-flow sanitizer, which turns those calls into
// comparisons, because they run in inner loops.
#ifndef VFTRACE_TAINT_PASS_WATCH_PASS_HPP
#define VFTRACE_TAINT_PASS_WATCH_PASS_HPP

#include <llvm/IR/PassManager.h>

namespace vftrace::taint {

struct WatchPass : llvm::PassInfoMixin<WatchPass> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
    static bool isRequired() { return true; }
};

struct InlineChecksPass : llvm::PassInfoMixin<InlineChecksPass> {
    llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
    static bool isRequired() { return true; }
};

}  // namespace vftrace::taint

#endif
