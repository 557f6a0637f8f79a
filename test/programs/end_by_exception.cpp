// Ends of C++ programs: an uncaught exception, terminate, a throw in a destructor.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>

[[gnu::noinline]] static void work() {
    static volatile int sink;
    sink = sink + 1;
}
[[gnu::noinline]] static void throws() {
    work();
    throw std::runtime_error("nobody catches this");
}
[[gnu::noinline]] static void may_not_throw() noexcept { throws(); }
struct Destroyed {
    ~Destroyed() { std::puts("destroyed"); }
};

int main(int, char** arguments) {
    const char* how = arguments[1];
    for (int i = 0; i < 3; i++)
        work();
    std::puts(how);
    std::fflush(stdout);
    if (!std::strcmp(how, "uncaught"))
        throws();
    if (!std::strcmp(how, "noexcept"))
        may_not_throw();
    if (!std::strcmp(how, "terminate"))
        std::terminate();
    if (!std::strcmp(how, "thread"))
        std::thread(throws).join();
    if (!std::strcmp(how, "quick_exit")) {
        static Destroyed object;
        std::at_quick_exit([] {
            std::puts("quick");
            std::fflush(stdout);
        });
        std::quick_exit(8);
    }
    return 1;
}
