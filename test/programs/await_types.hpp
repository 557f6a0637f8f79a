// Coroutine types that are typical of programs and do not use vftrace.
#include <coroutine>
#include <exception>
#include <utility>

// Begins when it is awaited, and continues with the awaiting coroutine (symmetric transfer).
template <class Value>
struct lazy {
    struct promise_type {
        lazy get_return_object() {
            return lazy{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        struct last {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<>
            await_suspend(std::coroutine_handle<promise_type> own) noexcept {
                return own.promise().next;
            }
            void await_resume() noexcept {}
        };
        last final_suspend() noexcept { return {}; }
        void return_value(Value returned) { value = std::move(returned); }
        void unhandled_exception() { failure = std::current_exception(); }

        Value value{};
        std::exception_ptr failure;
        std::coroutine_handle<> next = std::noop_coroutine();
    };

    explicit lazy(std::coroutine_handle<promise_type> made) : own(made) {}
    lazy(lazy&& other) noexcept : own(std::exchange(other.own, {})) {}
    ~lazy() {
        if (own)
            own.destroy();
    }
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaits) {
        own.promise().next = awaits;
        return own;
    }
    Value await_resume() {
        if (own.promise().failure)
            std::rethrow_exception(own.promise().failure);
        return own.promise().value;
    }
    Value run() {  // not awaited by a coroutine
        own.resume();
        return await_resume();
    }

    std::coroutine_handle<promise_type> own;
};

// Begins at once, and has no owner when it ends.
struct job {
    struct promise_type {
        job get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { throw; }
    };
};

// Gives values one by one. Awaits nothing.
struct numbers {
    struct promise_type {
        numbers get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int given) noexcept {
            value = given;
            return {};
        }
        void await_transform() = delete;
        void return_void() {}
        void unhandled_exception() { throw; }

        int value = 0;
    };

    bool next() {
        own.resume();
        return !own.done();
    }
    int value() const { return own.promise().value; }

    std::coroutine_handle<promise_type> own;
};

// The awaiting coroutine continues with fire().
struct event {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> awaits) { waiting = awaits; }
    void await_resume() {}
    void fire() { std::exchange(waiting, {}).resume(); }

    std::coroutine_handle<> waiting{};
};
