/* vftrace/asio.hpp: coroutines of asio (stand-alone) as asynchronous tasks.
 *
 * `-include vftrace/asio.hpp` in CXXFLAGS is all that a program needs: each of its coroutines that
 * returns awaitable<T> is a task. For awaitables of an executor other than any_io_executor:
 *
 *     VFTRACE_TRACE_ASIO_EXECUTOR(my::executor)
 *
 * Without C++20 coroutines it does nothing. See vftrace/coroutines.hpp. */
#ifndef VFTRACE_ASIO_HPP
#define VFTRACE_ASIO_HPP

#if defined(__cplusplus) && defined(__cpp_impl_coroutine)

/* Old versions do not detect that Clang has coroutines. */
#if defined(__clang__) && !defined(ASIO_HAS_CO_AWAIT)
#define ASIO_HAS_CO_AWAIT 1
#define ASIO_HAS_STD_COROUTINE 1
#endif

#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include "asio_tasks.hpp"

#define VFTRACE_TRACE_ASIO_EXECUTOR(...) VFTRACE_DETAIL_TRACE_ASIO(::asio, __VA_ARGS__)

VFTRACE_TRACE_ASIO_EXECUTOR(::asio::any_io_executor)

#endif

#endif
