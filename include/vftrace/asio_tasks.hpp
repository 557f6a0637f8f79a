/* What vftrace/asio.hpp and vftrace/boost_asio.hpp have in common. Not to be included by programs
 * directly. */
#ifndef VFTRACE_ASIO_TASKS_HPP
#define VFTRACE_ASIO_TASKS_HPP

#include "coroutines.hpp"

namespace vftrace::detail {

/* The files of asio with internal coroutines, which start others or wait for operations. */
inline constexpr const char* files_of_asio[] = {"/asio/impl/", "/asio/detail/",
                                                "/asio/experimental/", nullptr};

}  // namespace vftrace::detail

/* More specialised than asio's own templates for its awaitables. */
#define VFTRACE_DETAIL_TRACE_ASIO(library, ...)                                                    \
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
                                library::awaitable<Awaited, __VA_ARGS__>> = true;

#endif
