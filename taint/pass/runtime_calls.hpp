// The functions of the run-time library that compiled code calls.
#ifndef VFTRACE_TAINT_PASS_RUNTIME_CALLS_HPP
#define VFTRACE_TAINT_PASS_RUNTIME_CALLS_HPP

#include <llvm/IR/Module.h>

namespace vftrace::taint {

struct RuntimeCalls {
    explicit RuntimeCalls(llvm::Module& module);

    llvm::FunctionCallee enter;          // (record): returns the frame
    llvm::FunctionCallee leave;          // (frame)
    llvm::FunctionCallee resume;         // (frame): it is the innermost one again
    llvm::FunctionCallee slot;           // (frame, number of the next call)
    llvm::FunctionCallee check;          // (frame, site, value)
    llvm::FunctionCallee communicate;    // (record, count)
    llvm::FunctionCallee opaque;         // (opaque record, value)
    llvm::FunctionCallee opaque_memory;  // (opaque record, address)
};

}  // namespace vftrace::taint

#endif
