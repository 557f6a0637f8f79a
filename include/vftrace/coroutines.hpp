/* vftrace/coroutines.hpp: shows C++20 coroutines as asynchronous tasks, without changes to their
 * code.
 *
 * Example
 *
 *     #include <vftrace/coroutines.hpp>
 *
 *     VFTRACE_TRACE_TASK(my::task)               // the return type of the coroutines
 *     VFTRACE_TRACE_TASK_TEMPLATE(my::future)    // with any arguments: my::future<int>
 *
 * From there on each coroutine with this return type is a task, named after its function. Its
 * parent is the code that created it, not the code that awaits it. All source files that define
 * such coroutines must include this, best by `-include my_traced_tasks.hpp` in CXXFLAGS, so that
 * std::coroutine_traits is the same in all of them. vftrace/asio.hpp and vftrace/boost_asio.hpp do
 * this for asio.
 *
 * Alternatively, a coroutine type of your own may use vftrace::traced<my_promise> in place of
 * my_promise.
 *
 * Coroutines compile and run without the library: see vftrace/tasks.h. Symmetric transfer is
 * preserved. With -finstrument-functions, gcc 12 needs -fno-optimize-sibling-calls for coroutines
 * with symmetric transfer at -O2; vftrace's compiler wrappers add it. */
#ifndef VFTRACE_COROUTINES_HPP
#define VFTRACE_COROUTINES_HPP

#include "operation_starts.hpp"
#include "tasks.h"

#ifndef __cpp_impl_coroutine
#error "vftrace/coroutines.hpp needs coroutines: -std=c++20 or later"
#endif

#include <version>
#ifndef __cpp_lib_source_location
#error "vftrace/coroutines.hpp needs std::source_location: GCC 11, Clang 16 or later"
#endif

#include <concepts>
#include <coroutine>
#include <source_location>
#include <type_traits>
#include <utility>

namespace vftrace {

/* Parts of paths of source files, ended by a null pointer. Coroutines with this promise in such
 * files are not tasks of their own: their work is part of the task that created them. To be
 * specialised for libraries. */
template <class Promise>
inline constexpr const char* const* internal_files = nullptr;

/* Whether awaiting this type, in a coroutine with this promise, starts the awaited coroutine at
 * once on the same thread. To be specialised for libraries whose coroutines often await internal
 * ones, which then cost less. An awaitable with the size of a pointer is taken to be the address of
 * the promise. */
template <class Promise, class Awaitable>
inline constexpr bool begins_at_once = false;

/* Whether coroutines with this promise also await functions that start an operation, which the
 * library calls once, with one argument, in await_suspend() (which returns nothing) or later. What
 * they do is work of the task, whenever they are called. To be specialised for libraries. */
template <class Promise>
inline constexpr bool awaits_operations = false;

/* Returns whether the exception that is being handled means that the coroutine, which has this
 * promise, was cancelled: it then has not failed. To be specialised for libraries; null: an
 * exception is a failure. */
template <class Promise>
inline constexpr bool (*is_cancellation)() noexcept = nullptr;

namespace detail {

/* An internal coroutine that is awaited where it was created runs as part of the awaiting task,
 * which does not pause: the task is lent to it. */
struct lending {
    const void* created; /* promise of the internal coroutine that this thread created last */
    const void* to;      /* promise of the one that begins next, as `lender` */
    vftrace_task_id lender;
};
inline constinit thread_local lending lent = {nullptr, nullptr, 0};

/* The task of a coroutine, in its promise; stored as bytes to keep the promise's alignment. */
class task_in_promise {
  public:
    VFTRACE_DETAIL_UNSEEN vftrace_task_id id() const noexcept {
        vftrace_task_id id;
        __builtin_memcpy(&id, bytes_, sizeof id);
        return id;
    }
    VFTRACE_DETAIL_UNSEEN void set(vftrace_task_id id) noexcept {
        __builtin_memcpy(bytes_, &id, sizeof id);
    }

    VFTRACE_DETAIL_UNSEEN void created(vftrace_task_id id, const void* promise) noexcept {
        set(id);
        if (id & VFTRACE_DETAIL_INTERNAL_TASK)
            lent.created = promise;
    }

    /* The coroutine begins. If a task has been lent to it, that task continues. */
    VFTRACE_DETAIL_UNSEEN void begin(const void* promise) noexcept {
        if (lent.to == promise) {
            vftrace_task_cancel(id());
            set(lent.lender);
            is_borrowed_ = true;
            lent.to = nullptr;
        } else {
            vftrace_task_run(id());
        }
    }

    /* A borrowed task is only paused: the coroutine that lent it runs it again. */
    VFTRACE_DETAIL_UNSEEN void end(void (*how)(vftrace_task_id)) noexcept {
        const vftrace_task_id ending = id();
        set(0);
        if (ending && is_borrowed_)
            vftrace_task_pause(ending);
        else if (ending)
            how(ending);
    }
    VFTRACE_DETAIL_UNSEEN void destroy(const void* promise) noexcept {
        if (lent.created == promise)
            lent.created = nullptr;
        if (id() && !is_borrowed_)
            vftrace_task_cancel(id());
    }

  private:
    unsigned char bytes_[sizeof(vftrace_task_id)] = {};
    bool is_borrowed_ = false;
};

template <class Awaitable>
concept has_member_co_await = requires(Awaitable&& awaitable) {
    static_cast<Awaitable&&>(awaitable).operator co_await();
};
template <class Awaitable>
concept has_free_co_await = requires(Awaitable&& awaitable) {
    operator co_await(static_cast<Awaitable&&>(awaitable));
};

/* [expr.await]: the awaiter that co_await uses, after the promise has transformed the operand. */
template <class Awaitable>
VFTRACE_DETAIL_UNSEEN constexpr decltype(auto) awaiter_of(Awaitable&& awaitable) {
    if constexpr (has_member_co_await<Awaitable>)
        return static_cast<Awaitable&&>(awaitable).operator co_await();
    else if constexpr (has_free_co_await<Awaitable>)
        return operator co_await(static_cast<Awaitable&&>(awaitable));
    else
        return static_cast<Awaitable&&>(awaitable);
}

/* Whether a promise has any await_transform: the name is then ambiguous below. */
struct an_await_transform {
    void await_transform();
};
template <class Promise>
struct with_await_transform : Promise, an_await_transform {};
template <class Promise>
concept transforms = !requires {
    &with_await_transform<Promise>::await_transform;
};

template <class Type, template <class...> class Template>
inline constexpr bool is_made_from = false;
template <class... Parameters, template <class...> class Template>
inline constexpr bool is_made_from<Template<Parameters...>, Template> = true;
template <class Type, template <class...> class Template>
concept made_from = is_made_from<Type, Template>;

enum class suspension { at_begin, within, at_end };

/* The task leaves its thread; it stays if this is destroyed before left(), by an exception. */
class leaving_task {
  public:
    VFTRACE_DETAIL_UNSEEN explicit leaving_task(vftrace_task_id task) noexcept {
        vftrace_task_leave(task, &leaving_);
    }
    VFTRACE_DETAIL_UNSEEN ~leaving_task() {
        if (leaving_.task)
            vftrace_task_stay(&leaving_);
    }
    leaving_task(const leaving_task&) = delete;
    leaving_task& operator=(const leaving_task&) = delete;
    VFTRACE_DETAIL_UNSEEN void left() noexcept {
        vftrace_task_left(&leaving_);
        leaving_.task = 0;
    }

  private:
    ::vftrace_task_leaving leaving_;
};
struct not_leaving {
    VFTRACE_DETAIL_UNSEEN void left() noexcept {}
};

/* A function that starts an operation, in place of the one that the coroutine awaits: the task
 * leaves its thread during the call. It keeps running until then, in the library's code that calls
 * the function, whether the coroutine has been suspended before or not. */
template <class Operation>
class operation_of_task {
  public:
    VFTRACE_DETAIL_UNSEEN operation_of_task(Operation&& operation, task_in_promise* task) noexcept
        : operation_(__builtin_addressof(operation)), task_(task) {}

    /* The operation may run or destroy the coroutine, and this object, before it returns. */
    template <class Handler>
    VFTRACE_DETAIL_UNSEEN auto operator()(Handler&& handler)
        -> decltype(std::declval<Operation>()(static_cast<Handler&&>(handler))) {
        const left_at_end leaving(task_->id());
        const start_for_coroutine start(task_->id());
        return static_cast<Operation&&>(*operation_)(static_cast<Handler&&>(handler));
    }

  private:
    class left_at_end {
      public:
        VFTRACE_DETAIL_UNSEEN explicit left_at_end(vftrace_task_id task) noexcept {
            vftrace_task_leave(task, &leaving_);
        }
        VFTRACE_DETAIL_UNSEEN ~left_at_end() { vftrace_task_left(&leaving_); }
        left_at_end(const left_at_end&) = delete;
        left_at_end& operator=(const left_at_end&) = delete;

      private:
        ::vftrace_task_leaving leaving_;
    };

    std::remove_reference_t<Operation>* operation_;
    task_in_promise* task_;
};
struct no_operation {};

template <class Promise, class Awaited>
concept starts_operation = awaits_operations<Promise> &&
    requires(Promise& promise, operation_of_task<Awaited>&& operation) {
    promise.await_transform(static_cast<operation_of_task<Awaited>&&>(operation));
};

/* An awaiter that reports when the coroutine leaves its thread and when it is back. */
template <class Promise, suspension where, class Awaitable, class Awaiter,
          class Operation = no_operation>
class reporting_awaiter {
    static constexpr bool is_nothrow = where == suspension::at_end;
    static constexpr bool starts = !std::is_same_v<Operation, no_operation>;

  public:
    template <class Make>
    VFTRACE_DETAIL_UNSEEN reporting_awaiter(task_in_promise* task, const void* promise, Make&& make)
        : awaitable_(make()), awaiter_(awaiter_of(static_cast<Awaitable&&>(awaitable_))),
          task_(task), promise_(promise) {}
    template <class Make>
    VFTRACE_DETAIL_UNSEEN reporting_awaiter(task_in_promise* task, Operation&& operation,
                                            Make&& make)
        : operation_(operation), awaitable_(make(static_cast<Operation&&>(operation_))),
          awaiter_(awaiter_of(static_cast<Awaitable&&>(awaitable_))), task_(task),
          promise_(nullptr) {}
    reporting_awaiter(const reporting_awaiter&) = delete;
    reporting_awaiter& operator=(const reporting_awaiter&) = delete;
    VFTRACE_DETAIL_UNSEEN ~reporting_awaiter() = default;

    VFTRACE_DETAIL_UNSEEN bool await_ready() noexcept(is_nothrow) {
        return static_cast<bool>(awaiter_.await_ready());
    }

    /* Work of the awaiter here still counts as time of the task, but it may hand the coroutine to
     * other threads, which may run or destroy it before this returns. */
    template <class Traced>
    VFTRACE_DETAIL_UNSEEN auto
    await_suspend(std::coroutine_handle<Traced> traced) noexcept(is_nothrow) {
        const auto handle = __builtin_bit_cast(std::coroutine_handle<Promise>, traced);
        if constexpr (starts) {
            static_assert(std::is_void_v<decltype(awaiter_.await_suspend(handle))>);
            is_away_ = true;
            back_after_exception not_suspended(this);
            awaiter_.await_suspend(handle);
            not_suspended.awaiter = nullptr;
        } else if constexpr (where == suspension::within) {
            is_away_ = true;
            if (promise_) {
                lent = {nullptr, promise_, task_->id()};
                not_leaving leaving;
                return suspend(handle, leaving);
            }
            leaving_task leaving(task_->id());
            return suspend(handle, leaving);
        } else {
            not_leaving leaving;
            return suspend(handle, leaving);
        }
    }

    VFTRACE_DETAIL_UNSEEN decltype(auto) await_resume() noexcept(is_nothrow) {
        if constexpr (where == suspension::at_begin)
            task_->begin(promise_);
        else if (is_away_)
            back();
        return awaiter_.await_resume();
    }

  private:
    template <class Handle, class Leaving>
    VFTRACE_DETAIL_UNSEEN auto suspend(Handle handle, Leaving& leaving) {
        using Result = decltype(awaiter_.await_suspend(handle));
        if constexpr (std::is_void_v<Result>) {
            awaiter_.await_suspend(handle);
            leaving.left();
        } else if constexpr (std::is_same_v<Result, bool>) {
            const bool is_away = awaiter_.await_suspend(handle);
            if (is_away)
                leaving.left();
            else if constexpr (where == suspension::within)
                is_away_ = false;
            return is_away;
        } else {
            auto next = awaiter_.await_suspend(handle);
            leaving.left();
            return next;
        }
    }

    VFTRACE_DETAIL_UNSEEN void back() {
        is_away_ = false;
        completes_part_for = 0;
        vftrace_task_run(task_->id());
    }

    /* The operation was called in await_suspend() and has thrown: the coroutine continues. */
    struct back_after_exception {
        VFTRACE_DETAIL_UNSEEN explicit back_after_exception(reporting_awaiter* to) noexcept
            : awaiter(to) {}
        VFTRACE_DETAIL_UNSEEN ~back_after_exception() {
            if (awaiter)
                awaiter->back();
        }
        back_after_exception(const back_after_exception&) = delete;
        back_after_exception& operator=(const back_after_exception&) = delete;

        reporting_awaiter* awaiter;
    };

    [[no_unique_address]] Operation operation_;
    Awaitable awaitable_;
    Awaiter awaiter_;
    task_in_promise* task_;
    /* The coroutine's own promise where it begins; elsewhere that of the coroutine to which it
     * lends its task, or null. */
    const void* promise_;
    bool is_away_ = false;
};

template <class Promise, suspension where, class Make>
VFTRACE_DETAIL_UNSEEN auto reporting(task_in_promise* task, const void* promise, Make&& make) {
    using Awaitable = std::invoke_result_t<Make&>;
    using Awaiter = decltype(awaiter_of(std::declval<Awaitable&&>()));
    return reporting_awaiter<Promise, where, Awaitable, Awaiter>(task, promise, make);
}

template <class Promise, class Awaited, class Make>
VFTRACE_DETAIL_UNSEEN auto reporting_operation(task_in_promise* task, Awaited&& awaited,
                                               Make&& make) {
    using Operation = operation_of_task<Awaited>;
    using Awaitable = std::invoke_result_t<Make&, Operation&&>;
    using Awaiter = decltype(awaiter_of(std::declval<Awaitable&&>()));
    return reporting_awaiter<Promise, suspension::within, Awaitable, Awaiter, Operation>(
        task, Operation(static_cast<Awaited&&>(awaited), task), make);
}

/* The promise of the awaited internal coroutine if that can run as part of the awaiting task;
 * otherwise null. */
template <class Promise, class Awaitable>
VFTRACE_DETAIL_UNSEEN const void* borrower(vftrace_task_id task, const Awaitable& awaited) {
    const void* const created = lent.created;
    const void* promise = nullptr;
    lent.created = nullptr;
    if constexpr (begins_at_once<Promise, Awaitable> && sizeof(Awaitable) == sizeof promise)
        __builtin_memcpy(&promise, &awaited, sizeof promise);
    return task != 0 && promise == created ? promise : nullptr;
}

}  // namespace detail

/* A promise whose coroutine is a task, which is created, run, paused and ended with the coroutine.
 * If the coroutine is destroyed before its end, the task is cancelled; if an exception leaves it,
 * the task has failed, unless is_cancellation() says otherwise. Awaiters get a
 * std::coroutine_handle<Promise>. */
template <class Promise>
class traced : public Promise {
  public:
    using Promise::Promise;
    VFTRACE_DETAIL_UNSEEN traced() requires std::is_default_constructible_v<Promise>
    = default;
    traced(const traced&) = delete;
    traced& operator=(const traced&) = delete;

    VFTRACE_DETAIL_UNSEEN ~traced() {
        static_assert(alignof(traced) == alignof(Promise),
                      "the handle of the promise is found by its alignment");
        vftrace_task_.destroy(promise());
    }

    VFTRACE_DETAIL_UNSEEN decltype(auto)
    get_return_object(std::source_location where = std::source_location::current()) {
        vftrace_task_.created(vftrace_task_create_at(where.function_name(), where.file_name(),
                                                     where.line(), internal_files<Promise>),
                              promise());
        return Promise::get_return_object();
    }

    VFTRACE_DETAIL_UNSEEN auto initial_suspend() {
        return detail::reporting<Promise, detail::suspension::at_begin>(
            &vftrace_task_, promise(), [this]() VFTRACE_DETAIL_UNSEEN -> decltype(auto) {
                return Promise::initial_suspend();
            });
    }

    VFTRACE_DETAIL_UNSEEN auto final_suspend() noexcept {
        vftrace_task_.end(vftrace_task_complete);
        return detail::reporting<Promise, detail::suspension::at_end>(
            &vftrace_task_, nullptr,
            [this]() VFTRACE_DETAIL_UNSEEN -> decltype(auto) { return Promise::final_suspend(); });
    }

    VFTRACE_DETAIL_UNSEEN void unhandled_exception() {
        // Not `if constexpr`: for gcc's undefined behaviour sanitizer an address is not a constant.
        bool (*const is_one)() noexcept = is_cancellation<Promise>;
        const bool is_cancelled = is_one && vftrace_task_.id() != 0 && is_one();
        vftrace_task_.end(is_cancelled ? vftrace_task_cancel : vftrace_task_fail);
        Promise::unhandled_exception();
    }

    template <class Awaited>
    VFTRACE_DETAIL_UNSEEN auto await_transform(Awaited&& awaited) {
        if constexpr (detail::starts_operation<Promise, Awaited>) {
            detail::lent.created = nullptr;
            return detail::reporting_operation<Promise, Awaited>(
                &vftrace_task_, static_cast<Awaited&&>(awaited),
                [this]<class Operation>(Operation&& operation)
                    VFTRACE_DETAIL_UNSEEN -> decltype(auto) {
                        return Promise::await_transform(static_cast<Operation&&>(operation));
                    });
        } else
            return detail::reporting<Promise, detail::suspension::within>(
                &vftrace_task_, detail::borrower<Promise>(vftrace_task_.id(), awaited),
                [&]() VFTRACE_DETAIL_UNSEEN -> decltype(auto) {
                    if constexpr (detail::transforms<Promise>)
                        return Promise::await_transform(static_cast<Awaited&&>(awaited));
                    else
                        return static_cast<Awaited&&>(awaited);
                });
    }

    template <class Yielded>
    VFTRACE_DETAIL_UNSEEN auto yield_value(Yielded&& yielded) requires requires(Promise& own) {
        own.yield_value(static_cast<Yielded&&>(yielded));
    }
    {
        return detail::reporting<Promise, detail::suspension::within>(
            &vftrace_task_, nullptr, [&]() VFTRACE_DETAIL_UNSEEN -> decltype(auto) {
                return Promise::yield_value(static_cast<Yielded&&>(yielded));
            });
    }

  private:
    VFTRACE_DETAIL_UNSEEN const void* promise() const noexcept {
        return static_cast<const Promise*>(this);
    }

    detail::task_in_promise vftrace_task_;
};

}  // namespace vftrace

/* Makes coroutines that return this type tasks. To be used at global scope, with the qualified name
 * of the type: it is looked up inside namespace std. */
#define VFTRACE_TRACE_TASK(...)                                                                    \
    template <std::same_as<__VA_ARGS__> Traced, class... Arguments>                                \
    struct std::coroutine_traits<Traced, Arguments...> {                                           \
        using promise_type = ::vftrace::traced<typename Traced::promise_type>;                     \
    };

/* The same for a template whose parameters are types: VFTRACE_TRACE_TASK_TEMPLATE(my::future). */
#define VFTRACE_TRACE_TASK_TEMPLATE(...)                                                           \
    template <::vftrace::detail::made_from<__VA_ARGS__> Traced, class... Arguments>                \
    struct std::coroutine_traits<Traced, Arguments...> {                                           \
        using promise_type = ::vftrace::traced<typename Traced::promise_type>;                     \
    };

#endif
