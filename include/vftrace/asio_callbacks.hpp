/* Handlers of asio and Boost.Asio as tasks, for C++17 and later. Not to be included by programs
 * directly: vftrace/asio.hpp and vftrace/boost_asio.hpp make asio include it.
 *
 * A handler is a task from the start of its operation to the end of its call, and a child of the
 * task or function that started the operation. Handlers that resume a coroutine are not: the
 * coroutine itself is a task (vftrace/coroutines.hpp). */
#ifndef VFTRACE_ASIO_CALLBACKS_HPP
#define VFTRACE_ASIO_CALLBACKS_HPP

#include "operation_starts.hpp"
#include "tasks.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace vftrace {
namespace detail {

/* The base of asio's operations. */
class tracked_handler {
  protected:
    VFTRACE_DETAIL_UNSEEN tracked_handler() noexcept : task_(0) {}
    VFTRACE_DETAIL_UNSEEN ~tracked_handler() {}

  private:
    friend class handler_completion;
    friend class handler_creation;
    vftrace_task_id task_;
};

/* A place in the source, during a scope, at which operations are started. */
class handler_place {
  public:
    VFTRACE_DETAIL_UNSEEN handler_place(const char* file, int line, const char* function) noexcept
        : file_(file), function_(function), line_(line), outer_(innermost) {
        innermost = this;
    }
    VFTRACE_DETAIL_UNSEEN ~handler_place() { innermost = outer_; }
    handler_place(const handler_place&) = delete;
    handler_place& operator=(const handler_place&) = delete;

  private:
    friend class handler_creation;
    static inline thread_local const handler_place* innermost = nullptr;

    const char* file_;
    const char* function_;
    int line_;
    const handler_place* outer_;
};

enum class handler_kind { callback, of_any_type, of_library };

/* The library finds the type of the handler in the name of this function. */
template <class Operation>
VFTRACE_DETAIL_UNSEEN constexpr const char* declaration_of_handler() noexcept {
    return __PRETTY_FUNCTION__;
}

template <class Operation>
VFTRACE_DETAIL_UNSEEN constexpr handler_kind kind_of_handler() noexcept {
    const std::string_view name = declaration_of_handler<Operation>();
    for (const char* internal :
         {"asio::detail::awaitable_", "asio::detail::strand_executor_service::invoker"})
        if (name.find(internal) != name.npos)
            return handler_kind::of_library;
    return name.find("asio::detail::executor_function") != name.npos ? handler_kind::of_any_type
                                                                     : handler_kind::callback;
}

/* How many operations are being completed on this thread, one inside the other. */
inline thread_local unsigned int completions = 0;

class handler_creation {
  public:
    template <class Operation>
    VFTRACE_DETAIL_UNSEEN static void note(Operation& operation, const char* what) noexcept {
        constexpr handler_kind kind = kind_of_handler<Operation>();
        if constexpr (kind != handler_kind::of_library) {
            if (kind == handler_kind::of_any_type && starts_for_coroutine)
                return;
            const handler_place* const place = handler_place::innermost;
            const ::vftrace_task_handler handler = {
                declaration_of_handler<Operation>(),
                kind == handler_kind::of_any_type ? "posted function" : what,
                place ? place->function_ : nullptr,
                place ? place->file_ : nullptr,
                place ? place->line_ : 0,
                kind == handler_kind::of_any_type,
                completions > 0};
            static_cast<tracked_handler&>(operation).task_ = vftrace_task_create_handler(&handler);
        }
    }
};

/* An operation has been made; it is started after this. */
template <class Context, class Operation, class Number>
VFTRACE_DETAIL_UNSEEN inline void handler_created(Context&, Operation& operation, const char*,
                                                  void*, Number, const char* what) noexcept {
    handler_creation::note(operation, what);
}

template <class Error, class = void>
struct has_error_category : std::false_type {};
template <class Error>
struct has_error_category<Error, std::void_t<decltype(std::declval<const Error&>().category())>>
    : std::true_type {};

/* Boost's and asio's own name. */
VFTRACE_DETAIL_UNSEEN inline bool is_of_system(const char* category) noexcept {
    return std::strcmp(category, "system") == 0 || std::strcmp(category, "asio.system") == 0;
}

/* An operation is complete, and its handler is called; or both are destroyed. */
class handler_completion {
  public:
    VFTRACE_DETAIL_UNSEEN explicit handler_completion(const tracked_handler& handler) noexcept
        : task_(handler.task_) {
        completions++;
        if (task_ && !::vftrace_task_is_live(task_)) /* in a child of fork */
            task_ = 0;
    }
    VFTRACE_DETAIL_UNSEEN ~handler_completion() {
        completions--;
        if (task_)
            (is_called_ ? ::vftrace_task_fail : ::vftrace_task_cancel)(task_);
    }
    handler_completion(const handler_completion&) = delete;
    handler_completion& operator=(const handler_completion&) = delete;

    VFTRACE_DETAIL_UNSEEN void begin() noexcept {
        is_called_ = true;
        ::vftrace_task_run(task_);
    }
    template <class First, class... Others>
    VFTRACE_DETAIL_UNSEEN void begin(const First& first, const Others&...) noexcept {
        if constexpr (has_error_category<First>::value)
            is_cancelled_ = first.value() == ECANCELED && is_of_system(first.category().name());
        begin();
    }
    VFTRACE_DETAIL_UNSEEN void end() noexcept {
        (is_cancelled_ ? ::vftrace_task_cancel : ::vftrace_task_complete)(task_);
        task_ = 0;
    }

  private:
    vftrace_task_id task_;
    bool is_called_ = false, is_cancelled_ = false;
};

}  // namespace detail
}  // namespace vftrace

#endif
