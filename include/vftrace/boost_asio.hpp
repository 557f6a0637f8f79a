/* vftrace/boost_asio.hpp: coroutines of Boost.Asio as asynchronous tasks.
 *
 * `-include vftrace/boost_asio.hpp` in CXXFLAGS is all that a program needs: each of its coroutines
 * that returns awaitable<T> is a task. For awaitables of an executor other than any_io_executor:
 *
 *     VFTRACE_TRACE_BOOST_ASIO_EXECUTOR(my::executor)
 *
 * See vftrace/coroutines.hpp. */
#ifndef VFTRACE_BOOST_ASIO_HPP
#define VFTRACE_BOOST_ASIO_HPP

#if defined(__cplusplus) && __cplusplus >= 201703L && !defined(VFTRACE_WITHOUT_ASIO_HANDLERS) &&   \
    !defined(BOOST_ASIO_CUSTOM_HANDLER_TRACKING) && !defined(BOOST_ASIO_ENABLE_HANDLER_TRACKING)
#define BOOST_ASIO_CUSTOM_HANDLER_TRACKING <vftrace/boost_asio_handler_tracking.hpp>
#endif

#if defined(__cplusplus) && defined(__cpp_impl_coroutine)

/* Old versions do not detect that Clang has coroutines. */
#if defined(__clang__) && !defined(BOOST_ASIO_HAS_CO_AWAIT)
#define BOOST_ASIO_HAS_CO_AWAIT 1
#define BOOST_ASIO_HAS_STD_COROUTINE 1
#endif

#include <boost/asio/version.hpp>
#if BOOST_ASIO_VERSION < 101800
#error "vftrace/boost_asio.hpp needs asio 1.18 or later (Boost 1.74)"
#else

#include <utility> /* needed but not included by old versions of Boost.Asio */

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include "asio_tasks.hpp"

#define VFTRACE_TRACE_BOOST_ASIO_EXECUTOR(...)                                                     \
    VFTRACE_DETAIL_TRACE_ASIO(::boost::asio, ::boost::system::system_error, __VA_ARGS__)

VFTRACE_TRACE_BOOST_ASIO_EXECUTOR(::boost::asio::any_io_executor)

#endif

#endif

#endif
