/* What vftrace/asio.hpp and vftrace/boost_asio.hpp have in common. Not to be included by programs
 * directly. */
#ifndef VFTRACE_ASIO_TASKS_HPP
#define VFTRACE_ASIO_TASKS_HPP

#include "coroutines.hpp"

namespace vftrace::detail {

/* The files of asio with internal coroutines, which start others or wait for operations. */
inline constexpr const char* files_of_asio[] = {"/asio/impl/", "/asio/detail/",
                                                "/asio/experimental/", nullptr};

/* asio cancels coroutines by exceptions with this error code. */
template <class SystemError, auto aborted>
VFTRACE_DETAIL_UNSEEN bool is_aborted() noexcept {
#ifdef __cpp_exceptions
    try {
        throw;
    } catch (const SystemError& error) {
        return error.code() == aborted;
    } catch (...) {
    }
#endif
    return false;
}

}  // namespace vftrace::detail

/* More specialised than asio's own templates for its awaitables. failure: the exception in which
 * error codes are thrown. */
#define VFTRACE_DETAIL_TRACE_ASIO(library, failure, ...)                                           \
    template <class Result, class... Arguments>                                                    \
    struct std::coroutine_traits<library::awaitable<Result, __VA_ARGS__>, Arguments...> {          \
        using promise_type =                                                                       \
            ::vftrace::traced<library::detail::awaitable_frame<Result, __VA_ARGS__>>;              \
    };                                                                                             \
    template <class Result>                                                                        \
    inline constexpr const char* const*                                                            \
        vftrace::internal_files<library::detail::awaitable_frame<Result, __VA_ARGS__>> =           \
            ::vftrace::detail::files_of_asio;                                                      \
    template <class Result, class Awaited>                                                         \
    inline constexpr bool                                                                          \
        vftrace::begins_at_once<library::detail::awaitable_frame<Result, __VA_ARGS__>,             \
                                library::awaitable<Awaited, __VA_ARGS__>> = true;                  \
    template <class Result>                                                                        \
    inline constexpr bool                                                                          \
        vftrace::awaits_operations<library::detail::awaitable_frame<Result, __VA_ARGS__>> = true;  \
    template <class Result>                                                                        \
    inline constexpr bool (*vftrace::is_cancellation<                                              \
                           library::detail::awaitable_frame<Result, __VA_ARGS__>>)() noexcept =    \
        ::vftrace::detail::is_aborted<failure, library::error::operation_aborted>;

#endif
