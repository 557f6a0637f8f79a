// The functions of the run-time library that compiled code calls.
#include "taint/pass/runtime_calls.hpp"

#include <llvm/IR/DerivedTypes.h>

namespace vftrace::taint {

RuntimeCalls::RuntimeCalls(llvm::Module& module) {
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* pointer = llvm::PointerType::getUnqual(context);
    llvm::Type* nothing = llvm::Type::getVoidTy(context);
    llvm::Type* number = llvm::Type::getInt32Ty(context);
    llvm::Type* value = llvm::Type::getInt64Ty(context);
    // They do not access anything that the program could see, so the program is optimised as if
    // they were not there.
    const auto declare = [&](llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<llvm::Type*> arguments) {
        llvm::FunctionCallee callee =
            module.getOrInsertFunction(name, llvm::FunctionType::get(result, arguments, false));
        if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
            function->setDoesNotThrow();
            function->setWillReturn();
            function->setOnlyAccessesInaccessibleMemory();
        }
        return callee;
    };
    enter = declare("vftrace_taint_enter", pointer, {pointer});
    leave = declare("vftrace_taint_leave", nothing, {pointer});
    resume = declare("vftrace_taint_resume", nothing, {pointer});
    slot = declare("vftrace_taint_slot", nothing, {pointer, number});
    check = declare("vftrace_taint_check", nothing, {pointer, number, value});
    communicate = declare("vftrace_taint_communicate", nothing, {pointer, value});
    join = declare("vftrace_taint_join", pointer, {pointer, value});
    depend = declare("vftrace_taint_depend", value, {value, value});
    // Like a function that changes the size.
    grow = declare("vftrace_taint_grow", nothing, {pointer, number, number, number, pointer});
    if (auto* function = llvm::dyn_cast<llvm::Function>(grow.getCallee()))
        function->setOnlyAccessesInaccessibleMemOrArgMem();
    opaque = declare("vftrace_taint_opaque", nothing, {pointer, value});
    opaque_memory = declare("vftrace_taint_opaque_memory", nothing, {pointer, pointer});
}

llvm::Value* as_number(llvm::IRBuilder<>& builder, llvm::Value* value) {
    llvm::Type* type = value->getType();
    if (type->isPointerTy())
        return builder.CreatePtrToInt(value, builder.getInt64Ty());
    if (type->isFloatTy() || type->isDoubleTy() || type->isHalfTy())
        value = builder.CreateBitCast(value, builder.getIntNTy(type->getScalarSizeInBits()));
    return value->getType()->isIntegerTy() ? builder.CreateZExtOrTrunc(value, builder.getInt64Ty())
                                           : nullptr;
}

}  // namespace vftrace::taint
