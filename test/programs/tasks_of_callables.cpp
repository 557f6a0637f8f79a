// Tasks of vftrace/tasks.hpp under a clock that the program sets: objects, callables that are
// called once or repeatedly. If built without exceptions, those that throw are left out. The output
// does not depend on the library.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <utility>

#include "set_clock.h"
#include <vftrace/tasks.hpp>

static int add(int a, int b) {
    take(1);
    return a + b;
}

struct Account {
    int balance = 0;
    int pay(int amount) {
        take(1);
        return balance += amount;
    }
};

static int& reference(int& value) { return value; }

static void futures() {
#ifdef __cpp_exceptions
    auto first = std::async(std::launch::async, vftrace::as_task("async", add), 1, 2);
    std::printf("async %d\n", first.get());
    auto later = std::async(std::launch::deferred, vftrace::as_task("deferred", add), 3, 4);
    take(5);
    std::printf("deferred %d\n", later.get());
    auto failing = std::async(std::launch::async, vftrace::as_task("throws", []() -> int {
                                  take(1);
                                  throw std::runtime_error("of the task");
                              }));
    try {
        failing.get();
    } catch (const std::exception& error) {
        std::printf("throws %s\n", error.what());
    }
    std::packaged_task<int(int)> packaged(
        vftrace::as_task("packaged", [held = std::make_unique<int>(7)](int more) {
            take(2);
            return *held + more;
        }));
    take(3);
    auto result = packaged.get_future();
    std::thread(std::move(packaged), 1).join();
    std::printf("packaged %d\n", result.get());
#endif
    std::thread(vftrace::as_task("thread", [] { take(4); })).join();
}

static void callables() {
    Account account;
    auto pay = vftrace::as_task("member", &Account::pay);
    std::printf("member %d\n", pay(account, 5));
    int value = 1;
    vftrace::as_task("reference", reference)(value) = 9;
    const auto constant = vftrace::as_task("constant", [] { take(1); });
    constant();
    std::printf("reference %d\n", value);
    {
        auto dropped = vftrace::as_task("dropped", [] { std::puts("never"); });
    }
    {
        std::function<void()> one = vftrace::as_task("copied", [] { take(1); });
        std::function<void()> other = one;
        one = nullptr;
        other();
        other();  // a separate task
    }
    const auto assigned = [] { return vftrace::as_task("assigned", add); };
    auto to = assigned();
    to = assigned();  // the first one is cancelled
    to(1, 1);
    vftrace::as_task("parent", [] {
        take(1);
        vftrace::as_task("child", [] { take(2); })();
    })();
}

static void callbacks() {
    {
        auto periodic = vftrace::as_callback("periodic", [count = 0]() mutable { take(++count); });
        for (int i = 0; i < 3; i++) {
            take(10);
            periodic();
        }
    }
    {
        auto never = vftrace::as_callback("never called", [] {});
    }
    std::function<void(int)> again;
    again = vftrace::as_callback("in itself", [&again](int depth) {
        take(1);
        if (depth > 0)
            again(depth - 1);
    });
    again(1);
    again(0);
    again = nullptr;
    auto* self = new std::function<void()>;
    *self = vftrace::as_callback("ends itself", [self] {
        take(1);
        delete self;
    });
    (*self)();
#ifdef __cpp_exceptions
    auto moody = vftrace::as_callback("moody", [](bool throws) {
        take(1);
        if (throws)
            throw 1;
    });
    for (bool throws : {true, false, true})
        try {
            moody(throws);
        } catch (int) {
            std::puts("caught");
        }
#endif
}

static void objects() {
    static vftrace::task at_exit("at exit");
    vftrace::task none;
    none.run();
    none.complete();
    vftrace::task ends("object");
    ends.run();
    take(1);
    ends.pause();
    {
        vftrace::task_run run(ends);
        take(2);
        ends.complete();
    }
    ends.complete();  // has ended already
    vftrace::task left("left");
    {
        vftrace::task_run run(left);
        take(1);
    }
    vftrace::task moved = std::move(left);
    left.fail();
    moved = vftrace::task("failing");
    moved.fail();
    vftrace::task released("released");
    const vftrace_task_id id = released.release();
    vftrace_task_complete(id);
}

static vftrace::task before_main("before main");

// Objects of the parent, which do not have a task in the child.
static void forked() {
    static vftrace::task at_exit("at exit");
    vftrace::task held("held");
    held.run();
    auto once = vftrace::as_task("once", [] {});
    auto callback = vftrace::as_callback("callback", [] { take(1); });
    callback();
    std::fflush(stdout);
    if (fork() == 0) {
        callback();
        callback();
        once();
        vftrace::task own("of the child");
        own.run();
        own.complete();
        return;
    }
    wait(nullptr);
    held.complete();
}

int main(int argc, char** argv) {
    const char* part = argc > 1 ? argv[1] : "";
    if (std::strcmp(part, "fork") == 0) {
        forked();
        return 0;
    }
    if (std::strcmp(part, "fork and exit") == 0) {
        vftrace::task held("held");
        auto callback = vftrace::as_callback("callback", [] {});
        callback();
        if (fork() != 0)
            wait(nullptr);
        return 0;
    }
    futures();
    callables();
    callbacks();
    objects();
    std::puts("done");
    return 0;
}
