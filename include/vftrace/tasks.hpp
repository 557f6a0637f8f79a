/* vftrace/tasks.hpp: asynchronous tasks as C++ objects, for C++17 and later.
 *
 * Examples
 *
 *     #include <vftrace/tasks.hpp>
 *
 *     auto sum = std::async(std::launch::async, vftrace::as_task("add up", add_up), from, to);
 *     pool.submit(vftrace::as_task("compress", [block = std::move(block)] { ... }));
 *     timer.every(1s, vftrace::as_callback("poll for news", [this] { ... }));
 *
 *     struct Request {
 *         vftrace::task task{"read request"};
 *         void on_data() {
 *             vftrace::task_run run(task);  // until the end of the scope
 *             if (parse())
 *                 task.complete();
 *         }
 *     };
 *
 * vftrace/tasks.h, which is included, says what a task is, and what happens without the library.
 * Nothing in this header appears in the profile, nothing throws, and memory is allocated only while
 * tasks are recorded. It works without exceptions and RTTI.
 *
 * The source position of a type is the place where the constructor, as_task() or as_callback() is
 * called. */
#ifndef VFTRACE_TASKS_HPP
#define VFTRACE_TASKS_HPP

#include "tasks.h"

#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <type_traits>

namespace vftrace {

/* A task. It is cancelled when this object is destroyed, unless it has ended before. Member
 * functions do nothing if the task has ended or has been moved from. Only one thread may use an
 * object at a time. */
class task {
  public:
    /* No task. */
    VFTRACE_DETAIL_UNSEEN task() noexcept : id_(0) {}
    /* Creates one: see vftrace_task_create(). */
    VFTRACE_DETAIL_UNSEEN explicit task(const char* type, const char* file = __builtin_FILE(),
                                        int line = __builtin_LINE()) noexcept
        : id_(::vftrace_task_create(type, file, line)) {}
    VFTRACE_DETAIL_UNSEEN task(task&& other) noexcept : id_(other.release()) {}
    VFTRACE_DETAIL_UNSEEN task& operator=(task&& other) noexcept {
        const vftrace_task_id id = other.release();
        leave();
        id_ = id;
        return *this;
    }
    task(const task&) = delete;
    task& operator=(const task&) = delete;
    VFTRACE_DETAIL_UNSEEN ~task() { leave(); }

    /* Like the functions of vftrace/tasks.h. */
    VFTRACE_DETAIL_UNSEEN void run() noexcept { ::vftrace_task_run(id_); }
    VFTRACE_DETAIL_UNSEEN void pause() noexcept { ::vftrace_task_pause(id_); }
    VFTRACE_DETAIL_UNSEEN void complete() noexcept { ::vftrace_task_complete(release()); }
    VFTRACE_DETAIL_UNSEEN void fail() noexcept { ::vftrace_task_fail(release()); }
    VFTRACE_DETAIL_UNSEEN void cancel() noexcept { ::vftrace_task_cancel(release()); }

    /* The task for the functions of vftrace/tasks.h, or 0. After release() this object has none. */
    VFTRACE_DETAIL_UNSEEN vftrace_task_id id() const noexcept { return id_; }
    VFTRACE_DETAIL_UNSEEN vftrace_task_id release() noexcept {
        const vftrace_task_id id = id_;
        id_ = 0;
        return id;
    }

  private:
    VFTRACE_DETAIL_UNSEEN void leave() noexcept {
        const vftrace_task_id id = release();
        if (::vftrace_task_is_live(id))  // not in a child of fork
            ::vftrace_task_cancel(id);
    }

    vftrace_task_id id_;
};

/* Runs a task until the end of the scope, where it is paused unless it has ended. The task object
 * must outlive this one. */
class task_run {
  public:
    VFTRACE_DETAIL_UNSEEN explicit task_run(task& task) noexcept : task_(task) { task_.run(); }
    task_run(const task_run&) = delete;
    task_run& operator=(const task_run&) = delete;
    VFTRACE_DETAIL_UNSEEN ~task_run() { task_.pause(); }

  private:
    task& task_;
};

namespace detail {

/* The task of a callable, shared by its copies: the one that takes the id may run the task. */
class shared_task {
  public:
    VFTRACE_DETAIL_UNSEEN shared_task(const char* type, const char* file, int line) noexcept
        : shared_(nullptr) {
        const vftrace_task_id id = ::vftrace_task_create(type, file, line);
        if (id == 0)
            return;
        const std::size_t length = type != nullptr ? std::strlen(type) : 0;
        shared_ = static_cast<shared*>(::operator new(sizeof(shared) + length + 1, std::nothrow));
        if (shared_ == nullptr) {
            ::vftrace_task_cancel(id);
            return;
        }
        *shared_ = {id, file, line, 1, false};
        if (length > 0)
            std::memcpy(shared_->type(), type, length);
        shared_->type()[length] = 0;
    }
    VFTRACE_DETAIL_UNSEEN shared_task(const shared_task& other) noexcept : shared_(other.shared_) {
        if (shared_ != nullptr)
            __atomic_fetch_add(&shared_->copies, 1, __ATOMIC_RELAXED);
    }
    VFTRACE_DETAIL_UNSEEN shared_task(shared_task&& other) noexcept : shared_(other.shared_) {
        other.shared_ = nullptr;
    }
    VFTRACE_DETAIL_UNSEEN shared_task& operator=(shared_task other) noexcept {
        shared* const mine = shared_;
        shared_ = other.shared_;
        other.shared_ = mine;
        return *this;
    }
    VFTRACE_DETAIL_UNSEEN ~shared_task() {
        if (shared_ == nullptr || __atomic_sub_fetch(&shared_->copies, 1, __ATOMIC_ACQ_REL) > 0)
            return;
        if (::vftrace_task_is_live(shared_->id)) {  // not in a child of fork
            if (shared_->was_run)
                ::vftrace_task_complete(shared_->id);
            else
                ::vftrace_task_cancel(shared_->id);
        }
        ::operator delete(shared_);
    }

    /* Returns the task for exclusive use by the caller. `is_another`: it is in use elsewhere, and
     * this is a new one of the same type. */
    VFTRACE_DETAIL_UNSEEN vftrace_task_id take(bool& is_another) const noexcept {
        is_another = true;
        if (shared_ == nullptr)
            return 0;
        const vftrace_task_id id = __atomic_exchange_n(&shared_->id, 0, __ATOMIC_ACQ_REL);
        is_another = id == 0;
        return ::vftrace_task_is_live(id)
                   ? id
                   : ::vftrace_task_create(shared_->type(), shared_->file, shared_->line);
    }

    /* Gives back a task that was taken and has run. */
    VFTRACE_DETAIL_UNSEEN void give_back(vftrace_task_id id) const noexcept {
        __atomic_store_n(&shared_->was_run, true, __ATOMIC_RELAXED);
        __atomic_store_n(&shared_->id, id, __ATOMIC_RELEASE);
    }

  private:
    struct shared {
        vftrace_task_id id; /* 0: taken */
        const char* file;
        int line;
        int copies;
        bool was_run;

        VFTRACE_DETAIL_UNSEEN char* type() noexcept { return reinterpret_cast<char*>(this + 1); }
    };
    shared* shared_;
};

/* A call that is a complete task. */
class whole_task {
  public:
    VFTRACE_DETAIL_UNSEEN explicit whole_task(const shared_task& task) noexcept
        : id_(taken(task)), exceptions_(id_ != 0 ? std::uncaught_exceptions() : 0) {
        ::vftrace_task_run(id_);
    }
    whole_task(const whole_task&) = delete;
    whole_task& operator=(const whole_task&) = delete;
    VFTRACE_DETAIL_UNSEEN ~whole_task() {
        if (id_ == 0)
            return;
        if (std::uncaught_exceptions() > exceptions_)
            ::vftrace_task_fail(id_);
        else
            ::vftrace_task_complete(id_);
    }

  private:
    VFTRACE_DETAIL_UNSEEN static vftrace_task_id taken(const shared_task& task) noexcept {
        bool is_another = false;
        return task.take(is_another);
    }

    vftrace_task_id id_;
    int exceptions_;
};

/* A call that is one run of a task. */
class run_of_task {
  public:
    VFTRACE_DETAIL_UNSEEN explicit run_of_task(const shared_task& task) noexcept
        : task_(task), id_(task_.take(is_another_)) {
        ::vftrace_task_run(id_);
    }
    run_of_task(const run_of_task&) = delete;
    run_of_task& operator=(const run_of_task&) = delete;
    VFTRACE_DETAIL_UNSEEN ~run_of_task() {
        if (is_another_) {
            ::vftrace_task_complete(id_);
        } else if (id_ != 0) {
            ::vftrace_task_pause(id_);
            task_.give_back(id_);
        }
    }

  private:
    shared_task task_; /* the callable may be destroyed by its own call */
    bool is_another_ = true;
    vftrace_task_id id_;
};

template <class Callable, class... Arguments>
VFTRACE_DETAIL_UNSEEN std::invoke_result_t<Callable, Arguments...> call(Callable&& callable,
                                                                        Arguments&&... arguments) {
    if constexpr (std::is_member_pointer_v<std::decay_t<Callable>>)
        return std::invoke(static_cast<Callable&&>(callable),
                           static_cast<Arguments&&>(arguments)...);
    else  // saves a call in programs whose functions are all profiled
        return static_cast<Callable&&>(callable)(static_cast<Arguments&&>(arguments)...);
}

template <class Callable, class Call>
class task_callable {
  public:
    template <class Given>
    VFTRACE_DETAIL_UNSEEN task_callable(Given&& callable, const char* type, const char* file,
                                        int line)
        : task_(type, file, line), callable_(static_cast<Given&&>(callable)) {}
    VFTRACE_DETAIL_UNSEEN task_callable(const task_callable&) = default;
    VFTRACE_DETAIL_UNSEEN task_callable(task_callable&&) = default;
    VFTRACE_DETAIL_UNSEEN task_callable& operator=(const task_callable&) = default;
    VFTRACE_DETAIL_UNSEEN task_callable& operator=(task_callable&&) = default;
    VFTRACE_DETAIL_UNSEEN ~task_callable() = default;

    template <class... Arguments>
    VFTRACE_DETAIL_UNSEEN std::invoke_result_t<Callable&, Arguments...>
    operator()(Arguments&&... arguments) & {
        const Call running(task_);
        return detail::call(callable_, static_cast<Arguments&&>(arguments)...);
    }
    template <class... Arguments>
    VFTRACE_DETAIL_UNSEEN std::invoke_result_t<const Callable&, Arguments...>
    operator()(Arguments&&... arguments) const& {
        const Call running(task_);
        return detail::call(callable_, static_cast<Arguments&&>(arguments)...);
    }
    template <class... Arguments>
    VFTRACE_DETAIL_UNSEEN std::invoke_result_t<Callable, Arguments...>
    operator()(Arguments&&... arguments) && {
        const Call running(task_);
        return detail::call(static_cast<Callable&&>(callable_),
                            static_cast<Arguments&&>(arguments)...);
    }

  private:
    shared_task task_;
    Callable callable_;
};

}  // namespace detail

/* Turns a callable into a task: for std::async, std::packaged_task, std::thread, thread pools,
 * callbacks that are called once. The task is created now, runs during the call, completes when the
 * call returns and fails when it throws. It is cancelled when the last copy of the returned object
 * is destroyed without having been called. Copies share the task; each further call, of the same or
 * of another copy, is a task of its own, created by the caller.
 *
 * The returned object can be copied if the callable can, and is called in the same way. A coroutine
 * returns when it is suspended for the first time.
 *
 * type: copied.
 * file: must remain readable. */
template <class Callable>
VFTRACE_DETAIL_UNSEEN auto as_task(const char* type, Callable&& callable,
                                   const char* file = __builtin_FILE(),
                                   int line = __builtin_LINE()) {
    return detail::task_callable<std::decay_t<Callable>, detail::whole_task>(
        static_cast<Callable&&>(callable), type, file, line);
}

/* The same for a callable that is called repeatedly, such as that of a periodic timer: all of its
 * calls are one task, created now; each call is a run, and in between the task is paused. It
 * completes when the last copy is destroyed, and is cancelled if it was never called. A call that
 * throws ends its run like one that returns. A call during another one, on this thread or another,
 * is a separate task. */
template <class Callable>
VFTRACE_DETAIL_UNSEEN auto as_callback(const char* type, Callable&& callable,
                                       const char* file = __builtin_FILE(),
                                       int line = __builtin_LINE()) {
    return detail::task_callable<std::decay_t<Callable>, detail::run_of_task>(
        static_cast<Callable&&>(callable), type, file, line);
}

}  // namespace vftrace

#endif
