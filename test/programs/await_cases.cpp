// Coroutines in all situations, each with different functions. The clock only advances in take().
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "await_types.hpp"
#include "set_clock.h"

#include <vftrace/coroutines.hpp>

VFTRACE_TRACE_TASK(job)
VFTRACE_TRACE_TASK(numbers)
VFTRACE_TRACE_TASK_TEMPLATE(lazy)

namespace {

event timer, other_timer;

lazy<int> blocks() {
    take(1);
    co_return 1;
}

job pauses() {
    take(1);
    co_await timer;
    take(2);
}

lazy<int> child(int seconds) {
    take(seconds);
    co_return seconds;
}
lazy<int> parent() {
    take(1);
    int sum = 0;
    for (int i = 1; i <= 3; i++)
        sum += co_await child(i);
    take(1);
    co_return sum;
}

// The first coroutine is awaited by another one, but is not part of its time.
lazy<int> fostered() {
    take(4);
    co_return 4;
}
lazy<int> foster_parent(lazy<int> adopted) {
    take(1);
    co_return co_await std::move(adopted);
}

// Continues after its creator is done, and has its own child.
job grandchild() {
    take(1);
    co_await other_timer;
    take(40);
}
job outlives() {
    grandchild();
    take(2);
    co_await timer;
    take(20);
}
job creator() {
    take(1);
    outlives();
    take(1);
    co_return;
}

lazy<int> fails() {
    take(1);
    throw std::runtime_error("on purpose");
    co_return 0;
}
lazy<int> catches() {
    try {
        co_return co_await fails();
    } catch (std::runtime_error&) {
        take(2);
    }
    co_return 2;
}

lazy<int> never_run() { co_return 0; }
job cancelled_when_paused(event& never) {
    take(1);
    co_await never;
}

numbers counts(int last) {
    for (int i = 1; i <= last; i++) {
        take(1);
        co_yield i;
    }
}

struct declines : event {  // does not suspend in the end
    bool await_suspend(std::coroutine_handle<>) {
        take(1);
        return false;
    }
};
struct throws : event {
    void await_suspend(std::coroutine_handle<>) {
        take(1);
        throw std::runtime_error("on purpose");
    }
};
struct starts : event {  // takes some time for it
    void await_suspend(std::coroutine_handle<> awaits) {
        waiting = awaits;
        take(5);
    }
};
struct resumes_at_once : event {  // before await_suspend() returns
    void await_suspend(std::coroutine_handle<> awaits) {
        take(1);
        awaits.resume();
        take(1);
    }
};
struct wrapped {  // has an operator co_await
    event& inner;
    event& operator co_await() { return inner; }
};
job suspends_in_all_ways(starts& started) {
    declines none;
    co_await none;
    throws thrown;
    try {
        co_await thrown;
    } catch (std::runtime_error&) {
        take(1);
    }
    co_await started;
    take(1);
    resumes_at_once at_once;
    co_await at_once;
    take(1);
    co_await wrapped{timer};
    take(1);
}

lazy<int> recurses(int depth) {
    take(1);
    if (depth == 0)  // GCC 12 evaluates both sides of `?:` if one of them awaits
        co_return 0;
    co_return 1 + co_await recurses(depth - 1);
}

job moves() {
    take(1);
    co_await timer;
    take(2);
    co_await timer;
    take(4);
}

struct worker {
    int of_what;
    lazy<int> works() {
        take(of_what);
        co_return of_what;
    }
};

template <class Type>
lazy<Type> converts(Type value) {
    take(1);
    co_return value;
}

// A loop in a task in a loop.
job inside_inner_loop() {
    take(3);
    co_await other_timer;
    take(3);
}
job has_loop() {
    take(1);
    inside_inner_loop();
    other_timer.fire();
    take(1);
    co_await timer;
    take(1);
}

}  // namespace

int main() {
    int sum = blocks().run();
    pauses();
    take(100);
    timer.fire();
    sum += parent().run();
    auto adopted = fostered();
    sum += foster_parent(std::move(adopted)).run();
    creator();
    take(100);
    timer.fire();
    take(100);
    other_timer.fire();
    sum += catches().run();
    never_run();
    {
        event never;
        cancelled_when_paused(never);
        take(1);
        never.waiting.destroy();
    }
    auto counted = counts(3);
    while (counted.next())
        sum += counted.value();
    counted.own.destroy();
    starts started;
    suspends_in_all_ways(started);
    started.fire();
    timer.fire();
    sum += recurses(20).run();
    moves();
    std::thread([] { timer.fire(); }).join();
    std::thread([] { timer.fire(); }).join();
    worker own{7};
    sum += own.works().run() + converts(1).run() + static_cast<int>(converts(1L).run());
    auto lambda = [](int seconds) -> lazy<int> {
        take(seconds);
        co_return seconds;
    };
    sum += lambda(6).run();
    has_loop();
    timer.fire();
    std::printf("%d\n", sum);
}
