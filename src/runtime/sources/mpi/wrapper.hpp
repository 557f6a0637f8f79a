// The parts of the generated wrappers.
//
//     MPI_Send, called by the program  ->  wrap(): Call begins  ->  operation.before()
//         ->  the next MPI_Send  ->  Call::stop()  ->  operation.after()  ->  Call::leave()
//
// Nothing in between may keep a state that an error handler's longjmp, an exception or a
// cancellation would leave behind: the only sign of being inside MPI is the activation in the call
// tree, and activations are closed by the code that unwinds the stack (hooks/unwinding.cpp).
#pragma once

#include <utility>

#include "mpi/call.hpp"
#include "mpi/functions.hpp"

namespace vftrace {

#define VFTRACE_MPI_EXPORT extern "C" [[gnu::visibility("default")]]
// The activation's place is that of the return address, just below the caller's frame: code that
// returns to the caller by longjmp or exception has left it.
#define VFTRACE_MPI_SITE(entry)                                                                    \
    ::vftrace::Site {                                                                              \
        entry, __builtin_return_address(0), ::vftrace::frame_address() - sizeof(void*)             \
    }

template <std::size_t arguments, class = std::make_index_sequence<arguments>>
struct FunctionOfWords;
template <std::size_t arguments, std::size_t... i>
struct FunctionOfWords<arguments, std::index_sequence<i...>> {
    template <std::size_t>
    using Argument = Word;
    using Type = Word (*)(Argument<i>...);
};
template <std::size_t arguments>
using RealFunction = typename FunctionOfWords<arguments>::Type;

// The address of a real function, whatever its type.
struct AnyFunction {
    void* address;
    template <class Function>
    operator Function() const {
        return reinterpret_cast<Function>(address);
    }
};

// For an MPI function that no library in the process has: reports this once, and returns what the
// wrapper is to return (an error, or that MPI is not initialised).
Word call_without_mpi(FunctionId function, const Word* flag);
double clock_without_mpi(FunctionId function);

// An operation that needs no more than its place in the call tree.
struct Plain {
    void before(Call&) {}
    void after(Call&, int) {}
};

template <class Operation>
const Word* flag_of(const Operation& operation) {
    if constexpr (requires { operation.flag; })
        return &operation.flag;
    else
        return nullptr;
}

// Whether a polling call has returned "not yet".
template <class Operation>
bool has_found_nothing(const Operation& operation, int result) {
    if constexpr (
        requires {
            operation.saved;
            operation.flag;
        } ||
        requires { operation.probes; })
        return result == 0 && !int_at(operation.flag);
    else if constexpr (requires { operation.outcount; })
        return result == 0 && int_at(operation.outcount) == 0;
    else
        return false;
}

// Operations that end objects that we track: the handle may mean something else afterwards. They
// may be called by the program, or by a callback of the program that does not have hooks.
template <class Operation>
inline constexpr bool keeps_books_when_nested = requires {
    Operation::keeps_books;
};

template <class Operation, class CallReal>
[[gnu::always_inline]] inline Word wrap(FunctionId function, const Site& site, Operation& operation,
                                        CallReal call_real) {
    void* real = real_function(function, site.entry);
    if (!real) [[unlikely]]
        return call_without_mpi(function, flag_of(operation));
    Call call(function, site);
    if (call.nested() && !(keeps_books_when_nested<Operation> && call.of_program()))
        return call_real(AnyFunction{real});
    operation.before(call);
    Word result = call_real(AnyFunction{real});
    call.stop();
    operation.after(call, to_int(result));
    if (has_found_nothing(operation, to_int(result)))
        call.found_nothing();
    call.leave();
    return result;
}

// MPI_Wtime and MPI_Wtick.
inline double wrap_clock(FunctionId function, const Site& site) {
    void* real = real_function(function, site.entry);
    if (!real) [[unlikely]]
        return clock_without_mpi(function);
    Call call(function, site);
    double result = reinterpret_cast<double (*)()>(real)();
    if (!call.nested()) {
        call.stop();
        call.leave();
    }
    return result;
}

}  // namespace vftrace
