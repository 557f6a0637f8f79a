// The functions of the run-time library that compiled code calls.
#ifndef VFTRACE_TAINT_PASS_RUNTIME_CALLS_HPP
#define VFTRACE_TAINT_PASS_RUNTIME_CALLS_HPP

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace vftrace::taint {

struct RuntimeCalls {
    explicit RuntimeCalls(llvm::Module& module);

    llvm::FunctionCallee enter;        // (record): returns the frame
    llvm::FunctionCallee leave;        // (frame)
    llvm::FunctionCallee resume;       // (frame): it is the innermost one again
    llvm::FunctionCallee slot;         // (frame, number of the next call)
    llvm::FunctionCallee check;        // (frame, site, value)
    llvm::FunctionCallee communicate;  // (record, count)
    llvm::FunctionCallee grow;    // (frame, loop, loop of the creation, bytes, where the size is)
    llvm::FunctionCallee join;    // (pointer, number): the pointer, with the labels of both
    llvm::FunctionCallee depend;  // (number, number): the first one, with the labels of both
    llvm::FunctionCallee opaque;  // (opaque record, value)
    llvm::FunctionCallee opaque_memory;  // (opaque record, address)
};

// A value as an integer of 64 bits, so that the labels of several can be combined; null if its type
// is another one.
llvm::Value* as_number(llvm::IRBuilder<>& builder, llvm::Value* value);

}  // namespace vftrace::taint

#endif
