// The records of functions that an object file passes to the run-time library when the program
// starts.
#ifndef VFTRACE_TAINT_PASS_RECORDS_HPP
#define VFTRACE_TAINT_PASS_RECORDS_HPP

#include <vector>

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include "taint/pass/function_plan.hpp"

namespace vftrace::taint {

class Records {
  public:
    explicit Records(llvm::Module& in_module) : module(in_module) {}

    // The record of a function, made when it is first requested; plan is null for functions that
    // are only called. Records appear in the result in the order in which they are made.
    llvm::GlobalVariable* record_of(const llvm::Function& function, const FunctionPlan* plan,
                                    FunctionKind kind);
    // Completes the record of an analysed function, which exists, by the records of what it calls.
    void set_callees(const llvm::Function& function, llvm::ArrayRef<llvm::Constant*> callees);
    // The record of a callee in the list of calls of code that is not analysed.
    llvm::GlobalVariable* opaque_record(const llvm::Function& function);
    // Has the program pass all records to the run-time library before its own code runs.
    void register_at_start();

  private:
    llvm::Constant* text(llvm::StringRef content);
    llvm::Constant* numbers(const std::vector<std::int32_t>& values);

    llvm::Module& module;
    std::vector<llvm::Constant*> records;
    llvm::DenseMap<const llvm::Function*, llvm::GlobalVariable*> known;
    llvm::DenseMap<const llvm::Function*, llvm::GlobalVariable*> opaque;
    llvm::StringMap<llvm::Constant*> texts;
};

}  // namespace vftrace::taint

#endif
