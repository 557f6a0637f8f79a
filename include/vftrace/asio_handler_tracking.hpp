/* asio's hooks for its handlers, in terms of the task that each handler is: included by asio
 * itself, instead of its own tracking (ASIO_CUSTOM_HANDLER_TRACKING). Not to be included by
 * programs directly. The macros are those that asio/detail/handler_tracking.hpp asks for. */
#ifndef VFTRACE_ASIO_HANDLER_TRACKING_HPP
#define VFTRACE_ASIO_HANDLER_TRACKING_HPP

#include <asio/version.hpp>
#if ASIO_VERSION < 101800
#error "vftrace/asio.hpp needs asio 1.18 or later"
#endif

#include "asio_callbacks.hpp"

#define ASIO_INHERIT_TRACKED_HANDLER : public ::vftrace::detail::tracked_handler
#define ASIO_ALSO_INHERIT_TRACKED_HANDLER , public ::vftrace::detail::tracked_handler
#define ASIO_HANDLER_TRACKING_INIT (void)0
#define ASIO_HANDLER_LOCATION(place)                                                               \
    const ::vftrace::detail::handler_place vftrace_handler_place place
#define ASIO_HANDLER_CREATION(handler) ::vftrace::detail::handler_created handler
#define ASIO_HANDLER_COMPLETION(handler)                                                           \
    ::vftrace::detail::handler_completion vftrace_completion handler
#define ASIO_HANDLER_INVOCATION_BEGIN(arguments) vftrace_completion.begin arguments
#define ASIO_HANDLER_INVOCATION_END vftrace_completion.end()
#define ASIO_HANDLER_OPERATION(what) (void)0
#define ASIO_HANDLER_REACTOR_REGISTRATION(what) (void)0
#define ASIO_HANDLER_REACTOR_DEREGISTRATION(what) (void)0
#define ASIO_HANDLER_REACTOR_READ_EVENT 0
#define ASIO_HANDLER_REACTOR_WRITE_EVENT 0
#define ASIO_HANDLER_REACTOR_ERROR_EVENT 0
#define ASIO_HANDLER_REACTOR_EVENTS(what) (void)0
#define ASIO_HANDLER_REACTOR_OPERATION(what) ::vftrace::detail::handler_tried what

#endif
