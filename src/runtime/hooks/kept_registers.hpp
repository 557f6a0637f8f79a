// Calls that preserve registers, from places where the compiler does not expect a call.
//
// The hooks in prologues and epilogues (prologue_hooks.cpp) must not change any, because registers
// hold the arguments or the result of the program's function. The code of such a hook itself
// changes only general registers, and the compiler saves those that it uses. Its rare parts are
// called in a way that preserves general registers, and from there the rest of the library is
// called in a way that preserves vector registers:
//
//     hook ── keeping general ones ──> rare part ── keeping vector ones ──> anything
//
// For x86-64. Files that use this are built without red zone.
#pragma once

#include <cstdint>
#include <type_traits>

extern "C" {
// Calls the function in rax with the arguments in rdi, rsi, rdx, rcx. Does not change general
// registers; there is no result.
[[gnu::visibility("hidden")]] void vftrace_call_keeping_general_registers();
// The same, but does not change vector registers; general registers are as after any call. Costs
// about 100 cycles (XSAVE).
[[gnu::visibility("hidden")]] void vftrace_call_keeping_vector_registers();
}

namespace vftrace {

template <class Value>
[[gnu::always_inline]] inline std::uint64_t as_word(const Value& value) {
    if constexpr (std::is_pointer_v<Value>)
        return reinterpret_cast<std::uint64_t>(value);
    else if constexpr (std::is_class_v<Value>)
        return static_cast<std::uint64_t>(value.word());
    else
        return static_cast<std::uint64_t>(value);
}

// References are passed as addresses.
template <class Parameter, class Argument>
[[gnu::always_inline]] inline std::uint64_t argument_word(Argument& argument) {
    if constexpr (std::is_reference_v<Parameter>)
        return reinterpret_cast<std::uint64_t>(&argument);
    else
        return as_word(static_cast<Parameter>(argument));
}

struct CallWords {
    std::uint64_t word[4];
};

template <class... Parameters, class... Arguments>
[[gnu::always_inline]] inline CallWords call_words(Arguments&... arguments) {
    static_assert(sizeof...(Parameters) <= 4 && sizeof...(Parameters) == sizeof...(Arguments));
    return {{argument_word<Parameters>(arguments)...}};
}

template <class... Parameters, class... Arguments>
[[gnu::always_inline]] inline void call_keeping_general_registers(void (*function)(Parameters...),
                                                                  Arguments&... arguments) {
    const CallWords words = call_words<Parameters...>(arguments...);
    asm volatile("call vftrace_call_keeping_general_registers"
                 :
                 : "a"(function), "D"(words.word[0]), "S"(words.word[1]), "d"(words.word[2]),
                   "c"(words.word[3])
                 : "memory", "cc");
}

template <class Result, class... Parameters, class... Arguments>
[[gnu::always_inline]] inline Result
call_keeping_vector_registers(Result (*function)(Parameters...), Arguments&... arguments) {
    CallWords words = call_words<Parameters...>(arguments...);
    std::uint64_t result;
    asm volatile("call vftrace_call_keeping_vector_registers"
                 : "=a"(result), "+D"(words.word[0]), "+S"(words.word[1]), "+d"(words.word[2]),
                   "+c"(words.word[3])
                 : "0"(function)
                 : "memory", "cc", "r8", "r9", "r10", "r11");
    static_assert(std::is_void_v<Result> || std::is_same_v<Result, bool>);
    if constexpr (std::is_same_v<Result, bool>)
        return (result & 0xff) != 0;  // the other bits are undefined
}

}  // namespace vftrace
