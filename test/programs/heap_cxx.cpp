// Allocates by all forms of the operators new, from functions that tests know by name.
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

struct alignas(128) Wide {
    double values[16];
};

static void* volatile sink;

[[gnu::noinline]] void ordinary() {
    for (int i = 0; i < 1000; i++) {
        sink = ::operator new(100);
        ::operator delete(sink);
    }
}
[[gnu::noinline]] void arrays() {
    for (int i = 0; i < 1000; i++) {
        sink = ::operator new[](200, std::nothrow);
        ::operator delete[](sink, std::nothrow);
    }
}
[[gnu::noinline]] void aligned() {
    for (int i = 0; i < 1000; i++) {
        sink = ::operator new (sizeof(Wide), std::align_val_t{alignof(Wide)});
        ::operator delete (sink, sizeof(Wide), std::align_val_t{alignof(Wide)});
    }
}
[[gnu::noinline]] void too_large() {
    try {
        sink = ::operator new (std::size_t{1} << 60);
        std::puts("wrong: new");
    } catch (const std::bad_alloc&) {
    }
}
[[gnu::noinline]] void passed_on() {
    std::vector<std::unique_ptr<char[]>> blocks;
    std::thread([&] {
        for (int i = 0; i < 100; i++)
            blocks.push_back(std::make_unique<char[]>(1000));
    }).join();
}

// With an argument it also asks for too much.
int main(int argc, char**) {
    ordinary();
    arrays();
    aligned();
    if (argc > 1)
        too_large();
    passed_on();
    std::puts("done");
}
