// The pass before the optimiser: inserts calls of the run-time library at loops, branches and
// calls.
#include "taint/pass/watch_pass.hpp"

#include <string>
#include <vector>

#include <llvm/ADT/SCCIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#undef PIC  // defined by libtool; LLVM has an argument of that name
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "taint/pass/control_flow.hpp"
#include "taint/pass/records.hpp"
#include "taint/pass/runtime_calls.hpp"
#include "taint/pass/short_circuits.hpp"

namespace vftrace::taint {
namespace {

struct SplitShortCircuits : llvm::PassInfoMixin<SplitShortCircuits> {
    static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        split_short_circuits(function);
        return llvm::PreservedAnalyses::none();
    }
};

class Watch {
  public:
    Watch(llvm::Module& in_module, llvm::FunctionAnalysisManager& in_analyses)
        : module(in_module), analyses(in_analyses), records(in_module), calls(in_module) {}

    bool run() {
        make_plans();
        if (plans.empty())
            return false;
        find_frames();
        make_records();
        for (FunctionPlan& plan : plans) {
            for (CallPlan& call : plan.calls) {
                watch_opaque_call(*call.call);
                if (call.container.is_end)
                    watch_end(*call.call, call.container);
            }
            if (plan.needs_frame)
                watch(plan);
        }
        records.register_at_start();
        return true;
    }

  private:
    void make_plans() {
        llvm::FunctionPassManager prepare;
        prepare.addPass(llvm::PromotePass());
        prepare.addPass(SplitShortCircuits());
        prepare.addPass(llvm::LoopSimplifyPass());
        if (control_flow_counts()) {
            prepare.addPass(llvm::LCSSAPass());
            prepare.addPass(ControlFlowPass());
        }
        for (llvm::Function& function : module) {
            if (!callees.is_analysed(function)) {
                keep_calls(function);
                continue;
            }
            const llvm::PreservedAnalyses preserved = prepare.run(function, analyses);
            analyses.invalidate(function, preserved);
            plans.push_back(
                plan_function(function, analyses.getResult<llvm::LoopAnalysis>(function),
                              analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                              analyses.getResult<llvm::TargetIRAnalysis>(function)));
        }
        for (FunctionPlan& plan : plans)
            plan_of[plan.function] = &plan;
        add_recursions();
        for (FunctionPlan& plan : plans)
            for (const CallPlan& call : plan.calls) {
                const llvm::Function* callee = callee_of(*call.call);
                plan.calls_opaque |= callee && callees.is_opaque(*callee);
            }
    }

    // Functions that call each other repeat without a loop.
    void add_recursions() {
        llvm::CallGraph graph(module);
        for (auto group = llvm::scc_begin(&graph); !group.isAtEnd(); ++group) {
            if (!group.hasCycle())
                continue;
            llvm::SmallPtrSet<const llvm::Function*, 8> members;
            for (const llvm::CallGraphNode* node : *group)
                members.insert(node->getFunction());
            for (const llvm::Function* member : members)
                if (const auto plan = plan_of.find(member); plan != plan_of.end())
                    add_recursion(*plan->second, members,
                                  analyses.getResult<llvm::PostDominatorTreeAnalysis>(
                                      *plan->second->function));
        }
    }

    // Calls of functions that the run-time library replaces are recognised by name, so these
    // functions must not be inlined, even if the program has their code.
    void keep_calls(llvm::Function& function) const {
        if (function.isDeclaration() || !callees.is_uninstrumented(function))
            return;
        function.removeFnAttr(llvm::Attribute::AlwaysInline);
        function.addFnAttr(llvm::Attribute::NoInline);
    }

    // Whether a call may reach loops: not if the code of the function is known not to have any.
    bool may_reach(const llvm::CallBase& call) const {
        const llvm::Function* callee = callee_of(call);
        if (!callee)
            return true;
        if (Callees::communication(*callee))
            return true;
        if (Callees::is_own(*callee) || callees.is_uninstrumented(*callee))
            return false;
        const auto plan = plan_of.find(callee);
        return plan == plan_of.end() || plan->second->needs_frame || callee->isInterposable();
    }

    void find_frames() {
        for (FunctionPlan& plan : plans)
            plan.needs_frame = !plan.sites.empty();
        for (bool changed = true; changed;) {
            changed = false;
            for (FunctionPlan& plan : plans) {
                if (plan.needs_frame)
                    continue;
                for (const CallPlan& call : plan.calls)
                    plan.needs_frame = plan.needs_frame || may_reach(*call.call);
                changed = changed || plan.needs_frame;
            }
        }
    }

    // From this variable, stubs of functions that turn out to be in code that is not analysed get
    // the number of labels.
    void publish_argument_count(const llvm::Function& callee) {
        const std::string name = (callee.getName() + ".vftrace_arguments").str();
        if (!callee.isDeclaration() || callees.is_uninstrumented(callee) ||
            module.getNamedValue(name))
            return;
        llvm::Type* number = llvm::Type::getInt32Ty(module.getContext());
        auto* count =
            new llvm::GlobalVariable(module, number, true, llvm::GlobalValue::WeakODRLinkage,
                                     llvm::ConstantInt::get(number, callee.arg_size()), name);
        count->setVisibility(llvm::GlobalValue::HiddenVisibility);
        llvm::appendToCompilerUsed(module, {count});
    }

    void make_records() {
        for (const FunctionPlan& plan : plans)
            records.record_of(*plan.function, &plan, function_analysed);
        for (const FunctionPlan& plan : plans) {
            llvm::SetVector<llvm::Constant*> called;
            for (const CallPlan& call : plan.calls) {
                const llvm::Function* callee = callee_of(*call.call);
                if (!callee || Callees::is_own(*callee))
                    continue;
                publish_argument_count(*callee);
                called.insert(records.record_of(
                    *callee, nullptr,
                    Callees::communication(*callee) ? function_communicates : function_called));
            }
            records.set_callees(*plan.function, called.getArrayRef());
        }
    }

    void watch_opaque_call(llvm::CallBase& call) {
        const llvm::Function* callee = callee_of(call);
        // Labels of variadic arguments do not reach functions of the program.
        const bool variadic = callee && callee->isVarArg() && !callees.is_uninstrumented(*callee) &&
                              !Callees::is_own(*callee);
        if (!callee || (!variadic && !callees.is_opaque(*callee)))
            return;
        llvm::IRBuilder<> builder(&call);
        llvm::Value* together = nullptr;
        for (llvm::Value* argument :
             llvm::drop_begin(call.args(), variadic ? callee->arg_size() : 0)) {
            if (llvm::isa<llvm::Constant>(argument) || argument->getType()->isMetadataTy())
                continue;
            if (llvm::Value* value = as_number(builder, argument))
                together = together ? builder.CreateXor(together, value) : value;
        }
        if (together && !llvm::isa<llvm::Constant>(together))
            builder.CreateCall(calls.opaque, {records.opaque_record(*callee), together});
        for (llvm::Value* argument : call.args()) {
            if (!variadic && argument->getType()->isPointerTy() &&
                !llvm::isa<llvm::Constant>(argument))
                builder.CreateCall(calls.opaque_memory, {records.opaque_record(*callee), argument});
        }
    }

    void watch(FunctionPlan& plan) {
        llvm::Function& function = *plan.function;
        llvm::BasicBlock& entry = function.getEntryBlock();
        llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
        llvm::Value* frame = builder.CreateCall(
            calls.enter, {records.record_of(function, &plan, function_analysed)});

        llvm::SCEVExpander expander(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                                    module.getDataLayout(), "vftrace.count");
        int site_number = 0;
        for (const Site& site : plan.sites) {
            llvm::Value* value = site.value;
            if (site.count)
                value = expander.expandCodeFor(site.count, site.count->getType(),
                                               site.before->getIterator());
            builder.SetInsertPoint(site.before);
            if (site.first_byte)
                value = builder.CreateLoad(builder.getInt8Ty(), value);
            if (llvm::Value* number = as_number(builder, value))
                builder.CreateCall(calls.check, {frame, builder.getInt32(site_number), number});
            ++site_number;
        }
        int slot = 0;
        for (const CallPlan& call : plan.calls)
            watch_call(call, frame, slot++);
        close(function, frame);
    }

    static llvm::Value* place_of_size(llvm::IRBuilder<>& builder, const ContainerCall& of) {
        return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), of.container,
                                                  static_cast<std::uint64_t>(of.size->offset));
    }

    // Where the program continues after the call, if that is one place.
    static llvm::Instruction* place_after(llvm::CallBase& call) {
        if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call))
            return invoke->getNormalDest()->getSinglePredecessor()
                       ? &*invoke->getNormalDest()->getFirstInsertionPt()
                       : nullptr;
        return call.isTerminator() ? nullptr : call.getNextNode();
    }

    // Loops over nodes end at this iterator: their number is the size.
    void watch_end(llvm::CallBase& call, const ContainerCall& of) {
        llvm::Instruction* after = place_after(call);
        if (!after || !call.getType()->isPointerTy())
            return;
        llvm::IRBuilder<> builder(after);
        llvm::Value* size = builder.CreateLoad(builder.getInt64Ty(), place_of_size(builder, of));
        llvm::CallInst* joined = builder.CreateCall(calls.join, {&call, size});
        call.replaceUsesWithIf(joined,
                               [&](const llvm::Use& use) { return use.getUser() != joined; });
    }

    // The container's size depends on how often the loops run that add to it.
    void watch_growth(const CallPlan& call, llvm::Value* frame) {
        llvm::Instruction* after = call.loop >= 0 ? place_after(*call.call) : nullptr;
        if (!after || !call.container.adds)
            return;
        llvm::IRBuilder<> builder(after);
        builder.CreateCall(
            calls.grow, {frame, builder.getInt32(static_cast<std::uint32_t>(call.loop)),
                         builder.getInt32(static_cast<std::uint32_t>(call.creation)),
                         builder.getInt32(static_cast<std::uint32_t>(call.container.size->bytes)),
                         place_of_size(builder, call.container)});
    }

    void watch_call(const CallPlan& plan, llvm::Value* frame, int slot) {
        llvm::CallBase& call = *plan.call;
        watch_growth(plan, frame);
        llvm::IRBuilder<> builder(&call);
        if (may_reach(call))
            builder.CreateCall(calls.slot, {frame, builder.getInt32(slot)});
        const llvm::Function* callee = callee_of(call);
        const CommunicationFunction* communication =
            callee ? Callees::communication(*callee) : nullptr;
        if (communication && !callees.is_analysed(*callee)) {
            llvm::Value* count = builder.getInt64(0);
            const int argument = communication->count_argument;
            if (argument >= 0 && argument < static_cast<int>(call.arg_size()) &&
                call.getArgOperand(argument)->getType()->isIntegerTy())
                count = as_number(builder, call.getArgOperand(argument));
            builder.CreateCall(calls.communicate,
                               {records.record_of(*callee, nullptr, function_communicates), count});
        }
        if (call.hasFnAttr(llvm::Attribute::ReturnsTwice)) {
            if (llvm::Instruction* next = call.getNextNode())
                builder.SetInsertPoint(next);
            builder.CreateCall(calls.resume, {frame});
        }
    }

    // The frame ends with the function. Frames of functions that exceptions or longjmp have left
    // end where the program continues.
    void close(llvm::Function& function, llvm::Value* frame) {
        for (llvm::BasicBlock& block : function) {
            if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) {
                llvm::Instruction* last = block.getTerminatingMustTailCall();
                llvm::IRBuilder<> builder(last ? last : block.getTerminator());
                builder.CreateCall(calls.leave, {frame});
            }
            if (block.isLandingPad()) {
                llvm::IRBuilder<> builder(&block, block.getFirstInsertionPt());
                builder.CreateCall(calls.resume, {frame});
            }
        }
    }

    llvm::Module& module;
    llvm::FunctionAnalysisManager& analyses;
    Callees callees;
    Records records;
    RuntimeCalls calls;
    std::vector<FunctionPlan> plans;
    llvm::DenseMap<const llvm::Function*, FunctionPlan*> plan_of;
};

}  // namespace

llvm::PreservedAnalyses WatchPass::run(llvm::Module& module,
                                       llvm::ModuleAnalysisManager& analyses) {
    auto& function_analyses =
        analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    const bool changed = Watch(module, function_analyses).run();
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace vftrace::taint
