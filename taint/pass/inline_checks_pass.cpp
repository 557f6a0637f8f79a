// The pass after the data-flow sanitizer: replaces calls of the run-time library by comparisons.
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "taint/layout.hpp"
#include "taint/pass/watch_pass.hpp"

namespace vftrace::taint {
namespace {

class InlineChecks {
  public:
    explicit InlineChecks(llvm::Module& in_module) : module(in_module) {}

    void run() {
        std::vector<llvm::CallBase*> calls;
        for (llvm::Function& function : module)
            for (llvm::Instruction& instruction : llvm::instructions(function))
                if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
                    calls.push_back(call);
        for (llvm::CallBase* call : calls) {
            const llvm::Function* callee = call->getCalledFunction();
            if (!callee)
                clear_label_of_result(*call);
            else if (callee->getName() == "__dfsw_vftrace_taint_check")
                compare_first(*call);
            else if (callee->getName() == "__dfsw_vftrace_taint_opaque")
                call_if_labelled(*call);
            else if (callee->getName() == "vftrace_taint_slot")
                store_slot(*call);
        }
    }

  private:
    // A function called through a pointer may not be instrumented; the label of the result is then
    // still that of the last instrumented function.
    void clear_label_of_result(llvm::CallBase& call) {
        llvm::GlobalVariable* labels = module.getGlobalVariable("__dfsan_retval_tls");
        if (!labels || call.isInlineAsm() || call.getType()->isVoidTy() || call.isMustTailCall())
            return;
        llvm::IRBuilder<> builder(&call);
        builder.CreateStore(builder.getInt64(0), builder.CreateThreadLocalAddress(labels));
    }

    llvm::MDNode* unlikely() {
        return llvm::MDBuilder(module.getContext()).createBranchWeights(1, 100000);
    }

    // The run-time library is called only for labels that differ from the previous ones.
    void compare_first(llvm::CallBase& call) {
        llvm::Value* frame = call.getArgOperand(0);
        llvm::Value* label = call.getArgOperand(5);
        const auto* site = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
        if (!site)
            return;
        llvm::IRBuilder<> builder(&call);
        llvm::Type* type = builder.getIntNTy(8 * sizeof(SiteLabel));
        const std::uint64_t offset = offset_of_labels + sizeof(SiteLabel) * site->getZExtValue();
        llvm::Value* last = builder.CreateLoad(
            type, builder.CreateConstGEP1_64(builder.getInt8Ty(), frame, offset));
        label = builder.CreateZExt(label, type);
        llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(builder.CreateICmpNE(label, last),
                                                                  &call, false, unlikely());
        builder.SetInsertPoint(then);
        const llvm::FunctionCallee changed = module.getOrInsertFunction(
            "vftrace_taint_changed", builder.getVoidTy(), builder.getPtrTy(), builder.getInt32Ty(),
            builder.getInt32Ty());
        builder.CreateCall(changed, {frame, call.getArgOperand(1),
                                     builder.CreateZExt(label, builder.getInt32Ty())});
        call.eraseFromParent();
    }

    void call_if_labelled(llvm::CallBase& call) {
        llvm::IRBuilder<> builder(&call);
        llvm::Value* label = call.getArgOperand(3);
        llvm::Value* labelled =
            builder.CreateICmpNE(label, llvm::Constant::getNullValue(label->getType()));
        llvm::Instruction* then =
            llvm::SplitBlockAndInsertIfThen(labelled, &call, false, unlikely());
        call.moveBefore(then);
    }

    void store_slot(llvm::CallBase& call) {
        llvm::IRBuilder<> builder(&call);
        builder.CreateStore(
            call.getArgOperand(1),
            builder.CreateConstGEP1_64(builder.getInt8Ty(), call.getArgOperand(0), offset_of_slot));
        call.eraseFromParent();
    }

    llvm::Module& module;
};

}  // namespace

llvm::PreservedAnalyses InlineChecksPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    InlineChecks(module).run();
    return llvm::PreservedAnalyses::none();
}

}  // namespace vftrace::taint
