/* Boost.Asio's hooks for its handlers, in terms of the task that each handler is: included by
 * Boost.Asio itself, instead of its own tracking (BOOST_ASIO_CUSTOM_HANDLER_TRACKING). Not to be
 * included by programs directly. The macros are those that boost/asio/detail/handler_tracking.hpp
 * asks for. */
#ifndef VFTRACE_BOOST_ASIO_HANDLER_TRACKING_HPP
#define VFTRACE_BOOST_ASIO_HANDLER_TRACKING_HPP

#include <boost/asio/version.hpp>
#if BOOST_ASIO_VERSION < 101800
#error "vftrace/boost_asio.hpp needs asio 1.18 or later (Boost 1.74)"
#endif

#include "asio_callbacks.hpp"

#define BOOST_ASIO_INHERIT_TRACKED_HANDLER : public ::vftrace::detail::tracked_handler
#define BOOST_ASIO_ALSO_INHERIT_TRACKED_HANDLER , public ::vftrace::detail::tracked_handler
#define BOOST_ASIO_HANDLER_TRACKING_INIT (void)0
#define BOOST_ASIO_HANDLER_LOCATION(place)                                                         \
    const ::vftrace::detail::handler_place vftrace_handler_place place
#define BOOST_ASIO_HANDLER_CREATION(handler) ::vftrace::detail::handler_created handler
#define BOOST_ASIO_HANDLER_COMPLETION(handler)                                                     \
    ::vftrace::detail::handler_completion vftrace_completion handler
#define BOOST_ASIO_HANDLER_INVOCATION_BEGIN(arguments) vftrace_completion.begin arguments
#define BOOST_ASIO_HANDLER_INVOCATION_END vftrace_completion.end()
#define BOOST_ASIO_HANDLER_OPERATION(what) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_REGISTRATION(what) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_DEREGISTRATION(what) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_READ_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_WRITE_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_ERROR_EVENT 0
#define BOOST_ASIO_HANDLER_REACTOR_EVENTS(what) (void)0
#define BOOST_ASIO_HANDLER_REACTOR_OPERATION(what) ::vftrace::detail::handler_tried what

#endif
