// Calls of code that is not analysed: which of them get data that depend on parameters.
#include <cstdint>

#include "taint/runtime/frames.hpp"
#include "taint/runtime/parameters.hpp"
#include "taint/runtime/program.hpp"
#include "taint/runtime/sanitizer.hpp"

namespace vftrace::taint {
namespace {

void add_opaque_call(OpaqueRecord& record, Label label) {
    if (label == 0)
        return;
    const Locked locked;
    if (!locked)
        return;
    if (record.calls++ == 0)
        program.opaque_calls.add(&record);
    record.set |= parameters_of(label);
}

// The data of a stub, which the linker uses in place of a function that is not analysed
// (vftrace-taint-cc makes stubs).
struct Stub {
    OpaqueRecord record;
    void* target;
    const std::int32_t* argument_count;  // as its callers see it
    std::uint64_t is_harmless;
};

}  // namespace
}  // namespace vftrace::taint

using namespace vftrace::taint;

extern "C" {

// The sanitizer passes the label of the number; compiled code calls this function only if there is
// a label.
void __dfsw_vftrace_taint_opaque(OpaqueRecord* record, std::uint64_t, Label, Label label) {
    add_opaque_call(*record, label);
}

// The first bytes represent everything that the pointer leads to.
void __dfsw_vftrace_taint_opaque_memory(OpaqueRecord* record, const void* address, Label, Label) {
    add_opaque_call(*record, label_at(address, 8));
}

// Called by stubs with the integer registers that hold arguments. Labels are in the order of the
// arguments, each in two bytes. Returns where to continue.
void* vftrace_taint_stub(Stub* stub, const std::uint64_t* registers) {
    const std::int32_t count = stub->argument_count ? *stub->argument_count : 0;
    Label label = 0;
    const auto* labels = reinterpret_cast<const Label*>(__dfsan_arg_tls);
    for (std::int32_t i = 0; i < count && i < 100; ++i)
        label |= labels[2 * i];
    for (std::int32_t i = 0; i < count && i < 6; ++i)
        label |= label_at(reinterpret_cast<const void*>(registers[i]), 8);
    if (!stub->is_harmless) {
        add_opaque_call(stub->record, label);
        if (const Thread* thread = this_thread(); thread && thread->top)
            static_cast<Function*>(thread->top->record->function)->calls_unknown = true;
    }
    // Callbacks that the target calls must not mistake these labels for those of their arguments,
    // and what the target returns does not have a label.
    for (std::uint64_t& argument : __dfsan_arg_tls)
        argument = 0;
    __dfsan_retval_tls[0] = 0;
    __dfsan_retval_tls[1] = 0;
    return stub->target;
}

}  // extern "C"

// Preserves all registers that may hold arguments, and leaves the stack, which holds the others, as
// it is.
asm(R"(
    .text
    .globl vftrace_taint_stub_entry
    .type vftrace_taint_stub_entry, @function
vftrace_taint_stub_entry:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $208, %rsp
    and $-16, %rsp
    mov %rdi, 0(%rsp)
    mov %rsi, 8(%rsp)
    mov %rdx, 16(%rsp)
    mov %rcx, 24(%rsp)
    mov %r8, 32(%rsp)
    mov %r9, 40(%rsp)
    mov %rax, 48(%rsp)
    mov %r10, 56(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    mov %r11, %rdi
    mov %rsp, %rsi
    call vftrace_taint_stub
    mov %rax, %r11
    mov 0(%rsp), %rdi
    mov 8(%rsp), %rsi
    mov 16(%rsp), %rdx
    mov 24(%rsp), %rcx
    mov 32(%rsp), %r8
    mov 40(%rsp), %r9
    mov 48(%rsp), %rax
    mov 56(%rsp), %r10
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size vftrace_taint_stub_entry, . - vftrace_taint_stub_entry
)");
