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
#include <chrono>
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
    VFTRACE_DETAIL_UNSEEN tracked_handler() noexcept : task_(0), waiting_(0), due_(0) {}
    VFTRACE_DETAIL_UNSEEN ~tracked_handler() {}

  private:
    friend class handler_completion;
    friend class handler_creation;
    VFTRACE_DETAIL_UNSEEN vftrace_task_id resumed() const noexcept {
        return task_ ? task_ : waiting_;
    }

    vftrace_task_id task_;    /* the handler; 0: it is not a task */
    vftrace_task_id waiting_; /* the coroutine that the handler resumes; 0: it is not known */
    std::int64_t due_;        /* of a timer, in ns of the steady clock; 0: not known */
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

/* When a timer expires: of the object that starts an operation, if it is a timer of the steady
 * clock. Otherwise 0. */
template <class Object, class = void>
struct due_time {
    VFTRACE_DETAIL_UNSEEN static std::int64_t of(const Object&) noexcept { return 0; }
};
template <class Timer>
struct due_time<Timer*, std::enable_if_t<std::is_same_v<decltype(std::declval<Timer&>().expiry),
                                                        std::chrono::steady_clock::time_point>>> {
    VFTRACE_DETAIL_UNSEEN static std::int64_t of(const Timer* timer) noexcept {
        return std::chrono::nanoseconds(timer->expiry.time_since_epoch()).count();
    }
};

/* Whether the operation consists in calling the handler as soon as possible. */
VFTRACE_DETAIL_UNSEEN inline bool is_ready_at_once(const char* what) noexcept {
    const std::string_view name = what;
    return name == "post" || name == "defer" || name == "dispatch" ||
           name.substr(0, 7) == "execute"; /* "execute(blk=never,rel=fork)" */
}

class handler_creation {
  public:
    template <class Operation>
    VFTRACE_DETAIL_UNSEEN static void note(Operation& operation, const char* what,
                                           std::int64_t due) noexcept {
        auto& handler = static_cast<tracked_handler&>(operation);
        note_task(operation, what);
        if (!handler.task_ && starts_for_coroutine.is_one) {
            handler.waiting_ = starts_for_coroutine.task;
        } else if (!handler.task_ && completes_part_for) {
            handler.waiting_ = completes_part_for;
            ::vftrace_task_ready(handler.waiting_, VFTRACE_TASK_NOT_READY);
        }
        handler.due_ = due;
        if (!handler.task_ && is_ready_at_once(what))
            note_ready(handler);
    }

    VFTRACE_DETAIL_UNSEEN static void note_ready(const tracked_handler& handler) noexcept {
        if (const vftrace_task_id task = handler.resumed())
            ::vftrace_task_ready(task, 0);
    }

  private:
    template <class Operation>
    VFTRACE_DETAIL_UNSEEN static void note_task(Operation& operation, const char* what) noexcept {
        constexpr handler_kind kind = kind_of_handler<Operation>();
        if constexpr (kind != handler_kind::of_library) {
            if (kind == handler_kind::of_any_type && starts_for_coroutine.is_one)
                return;
            const handler_place* const place = handler_place::innermost;
            const ::vftrace_task_handler handler = {
                declaration_of_handler<Operation>(),
                kind == handler_kind::of_any_type ? "posted function" : what,
                place ? place->function_ : nullptr,
                place ? place->file_ : nullptr,
                place ? place->line_ : 0,
                kind == handler_kind::of_any_type,
                completions > 0,
                is_ready_at_once(what)};
            static_cast<tracked_handler&>(operation).task_ = vftrace_task_create_handler(&handler);
        }
    }
};

/* An operation has been made; it is started after this. */
template <class Context, class Operation, class Object, class Number>
VFTRACE_DETAIL_UNSEEN inline void handler_created(Context&, Operation& operation, const char*,
                                                  const Object& object, Number,
                                                  const char* what) noexcept {
    handler_creation::note(operation, what, due_time<Object>::of(object));
}

/* What an operation waits for has been tried: its handler can be called from now on, unless that is
 * to be tried again later. */
template <class Error, class... Results>
VFTRACE_DETAIL_UNSEEN inline void handler_tried(const tracked_handler& operation, const char*,
                                                const Error& error, const Results&...) noexcept {
    if (error.value() != EAGAIN && error.value() != EWOULDBLOCK)
        handler_creation::note_ready(operation);
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
        : task_(handler.task_), outer_part_(completes_part_for) {
        completions++;
        completes_part_for = task_ ? 0 : handler.waiting_;
        if (task_ && !::vftrace_task_is_live(task_)) /* in a child of fork */
            task_ = 0;
        if (handler.due_ != 0)
            note_expired(handler);
    }
    VFTRACE_DETAIL_UNSEEN ~handler_completion() {
        completions--;
        completes_part_for = outer_part_;
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
    /* A timer that is cancelled before it expires is not late. */
    VFTRACE_DETAIL_UNSEEN static void note_expired(const tracked_handler& handler) noexcept {
        const std::int64_t late =
            std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count() -
            handler.due_;
        if (const vftrace_task_id task = late >= 0 ? handler.resumed() : 0)
            ::vftrace_task_ready(task, static_cast<std::uint64_t>(late));
    }

    vftrace_task_id task_, outer_part_;
    bool is_called_ = false, is_cancelled_ = false;
};

}  // namespace detail
}  // namespace vftrace

#endif
