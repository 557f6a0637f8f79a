// The hooks that gcc calls in the prologues and epilogues of functions.
//
// They do not get arguments. At entry the address of the call identifies the function; at exit the
// stack address of the function's return address, which is the same at entry and exit, identifies
// the activation.
//
// Built without red zone, for kept_registers.hpp.
#include "hooks/prologue_hooks.hpp"

#ifdef VFTRACE_HAS_PROLOGUE_HOOKS

#include "guest/modules.hpp"
#include "hooks/call_events.hpp"
#include "hooks/kept_registers.hpp"
#include "tree/fork_path.hpp"

using namespace vftrace;

namespace {

// First address of the function whose prologue calls the hook.
[[gnu::always_inline]] inline std::uintptr_t function_of_prologue(std::uintptr_t return_address) {
    constexpr std::uint8_t through_slot = 0x15;  // second byte of call *slot(%rip), patched or not
    constexpr std::uint8_t addr32 = 0x67;  // unlikely to be the last byte of the preceding function
    constexpr std::uint32_t endbr64 = 0xfa1e0ff3;
    constexpr std::uintptr_t page = 4096;
    const auto* code = reinterpret_cast<const std::uint8_t*>(return_address);
    std::uintptr_t start = return_address - 5;
    if (code[-5] == through_slot || (start % page && code[-6] == addr32))
        start--;
    if (start % page < sizeof endbr64)  // the memory before the page may not be readable
        return start;
    std::uint32_t before;
    __builtin_memcpy(&before, reinterpret_cast<const void*>(start - sizeof before), sizeof before);
    return before == endbr64 ? start - sizeof before : start;
}

struct PrologueHook {
    std::uintptr_t return_address;

    std::uintptr_t word() const { return return_address; }

    bool enters(const Node& node) const {
        return return_address - shortest_prologue_call - node.key <=
               longest_prologue_call - shortest_prologue_call;
    }
    std::uintptr_t entered() const { return function_of_prologue(return_address); }
    // In the same 16 bytes as the function's first byte, if the function is aligned to 16.
    std::uintptr_t near_entered() const { return return_address - shortest_prologue_call; }
    // Regions have the stack address of the function in which they were begun.
    bool leaves(const Frame& top, std::uintptr_t stack) const {
        return top.stack == stack && top.node->kind == NodeKind::function;
    }
    // Two open functions never have their return addresses in the same place.
    static bool has_left(const Frame& top, std::uintptr_t stack) { return stack >= top.stack; }

    template <class Result, class... Parameters, class... Arguments>
    [[gnu::always_inline]] static Result outside(Result (*function)(Parameters...),
                                                 Arguments&&... arguments) {
        return call_keeping_vector_registers(function, arguments...);
    }
    template <class... Parameters, class... Arguments>
    [[gnu::always_inline]] static void out_of_line(void (*function)(Parameters...),
                                                   Arguments&&... arguments) {
        call_keeping_general_registers(function, arguments...);
    }

    // Called often: saves only those registers that the hook has not saved yet.
    [[gnu::always_inline]] static void enter_hashed(PrologueHook hook, ThreadState* state,
                                                    std::uintptr_t stack,
                                                    std::uintptr_t hook_site) {
        asm volatile("pushq %%r8\n\t.cfi_adjust_cfa_offset 8\n\t"
                     "pushq %%r9\n\t.cfi_adjust_cfa_offset 8\n\t"
                     "pushq %%r10\n\t.cfi_adjust_cfa_offset 8\n\t"
                     "pushq %%r11\n\t.cfi_adjust_cfa_offset 8\n\t"
                     "call vftrace_enter_hashed\n\t"
                     "popq %%r11\n\t.cfi_adjust_cfa_offset -8\n\t"
                     "popq %%r10\n\t.cfi_adjust_cfa_offset -8\n\t"
                     "popq %%r9\n\t.cfi_adjust_cfa_offset -8\n\t"
                     "popq %%r8\n\t.cfi_adjust_cfa_offset -8"
                     : "+D"(hook.return_address), "+S"(state), "+d"(stack), "+c"(hook_site)
                     :
                     : "rax", "memory", "cc");
    }
    static void enter_unusual(PrologueHook hook, ThreadState* state, std::uintptr_t stack,
                              std::uintptr_t hook_site);
    static void leave_unusual(PrologueHook hook, ThreadState* state, std::uintptr_t stack,
                              std::uintptr_t hook_site);
};

void PrologueHook::enter_unusual(PrologueHook hook, ThreadState* state, std::uintptr_t stack,
                                 std::uintptr_t hook_site) {
    if (off_calls)
        return off_calls->remove_entry(hook.entered(), hook_site);
    if (!state->segment && !(state = recording_state_slowly()))
        return;
    if (state->top->stack == stack)
        unwind_to(stack + 1);
    const std::uintptr_t callsite = *reinterpret_cast<const std::uintptr_t*>(stack);
    const std::uintptr_t function = hook.entered();
    enter_slowly(state, {function, NodeKind::function, callsite, hook_site, stack});
    if (Node* node = state->top->node; node->key == function)
        set_flag(*node, node_prologue);
}

void PrologueHook::leave_unusual(PrologueHook, ThreadState* state, std::uintptr_t stack,
                                 std::uintptr_t hook_site) {
    if (off_calls)
        return off_calls->remove_exit(function_start(hook_site), hook_site, 0);
    if (!state->segment)
        return leave_fork_path(function_start(hook_site));
    // Frames on this stack below a returning function were left without exit hooks.
    if (state->top->stack < stack && stack <= state->segment->high)
        unwind_to(stack);
    if (overhead_calls && state->top->stack != stack) {  // its entry was not seen
        const std::uintptr_t function = function_start(hook_site);
        if (function && overhead_calls->unwanted->contains(function))
            return overhead_calls->remove_exit(*state, function, hook_site, 0);
    }
    exit_slowly(state, any_function, NodeKind::function, stack);
}

}  // namespace

extern "C" [[gnu::used, gnu::visibility("hidden")]] void
vftrace_enter_hashed(std::uintptr_t return_address, ThreadState* state, std::uintptr_t stack,
                     std::uintptr_t hook_site) {
    enter_hashed(PrologueHook{return_address}, state, stack, hook_site);
}

extern "C" [[gnu::visibility("default")]] void vftrace_function_entry() {
    enter(PrologueHook{hook_site()});
}

extern "C" [[gnu::visibility("default")]] void __return__() { leave(PrologueHook{hook_site()}); }

extern "C" [[gnu::visibility("default"), gnu::alias("vftrace_function_entry")]] void
vftrace_function_entry_hook();
extern "C" [[gnu::visibility("default"), gnu::alias("__return__")]] void vftrace_return_hook();

#endif
