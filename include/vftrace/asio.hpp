/* vftrace/asio.hpp: coroutines and handlers of asio (stand-alone) as asynchronous tasks.
 *
 * `-include vftrace/asio.hpp` in CXXFLAGS is all that a program needs: each of its coroutines that
 * returns awaitable<T> is a task (C++20), and so is each handler that asio calls when an operation
 * is complete (C++17), unless it resumes a coroutine. All source files of the program that include
 * asio need it, because it changes classes of asio. VFTRACE_WITHOUT_ASIO_HANDLERS leaves out the
 * handlers, as does a program with its own ASIO_ENABLE_HANDLER_TRACKING. For awaitables of an
 * executor other than any_io_executor:
 *
 *     VFTRACE_TRACE_ASIO_EXECUTOR(my::executor)
 *
 * See vftrace/coroutines.hpp. */
#ifndef VFTRACE_ASIO_HPP
#define VFTRACE_ASIO_HPP

#if defined(__cplusplus) && __cplusplus >= 201703L && !defined(VFTRACE_WITHOUT_ASIO_HANDLERS) &&   \
    !defined(ASIO_CUSTOM_HANDLER_TRACKING) && !defined(ASIO_ENABLE_HANDLER_TRACKING)
#define ASIO_CUSTOM_HANDLER_TRACKING <vftrace/asio_handler_tracking.hpp>
#endif

#if defined(__cplusplus) && defined(__cpp_impl_coroutine)

/* Old versions do not detect that Clang has coroutines. */
#if defined(__clang__) && !defined(ASIO_HAS_CO_AWAIT)
#define ASIO_HAS_CO_AWAIT 1
#define ASIO_HAS_STD_COROUTINE 1
#endif

#include <asio/version.hpp>
#if ASIO_VERSION < 101800
#error "vftrace/asio.hpp needs asio 1.18 or later"
#else

#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/error.hpp>
#include <asio/system_error.hpp>

#include "asio_tasks.hpp"

#define VFTRACE_TRACE_ASIO_EXECUTOR(...)                                                           \
    VFTRACE_DETAIL_TRACE_ASIO(::asio, ::asio::system_error, __VA_ARGS__)

VFTRACE_TRACE_ASIO_EXECUTOR(::asio::any_io_executor)

#endif

#endif

#endif
