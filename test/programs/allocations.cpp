// Counts of allocations in C++: prints which checks fail, or "all counted".
#include <cstdio>
#include <dlfcn.h>
#include <malloc.h>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

long long (*counter)();
bool failed = false;

void grew(long long before, long long bytes, const char* what) {
    if (const long long counted = counter() - before; counted != bytes) {
        std::printf("failed: %s: %lld instead of %lld\n", what, counted, bytes);
        failed = true;
    }
}

struct alignas(256) Aligned {
    char bytes[300];
};

long long size_of(void* block) { return static_cast<long long>(malloc_usable_size(block)); }

template <class Type>
void gives(const char* what) {
    const long long before = counter();
    Type* const object = new Type;
    grew(before, size_of(object), what);
    delete object;
    grew(before, 0, what);
    Type* const objects = new Type[7];
    grew(before, size_of(objects), what);
    delete[] objects;
    grew(before, 0, what);
}

void throws() {
    try {
        std::vector<int> numbers(1000);
        numbers.at(5000) = 1;
    } catch (const std::out_of_range&) {
    }
    try {
        ::operator delete(::operator new(std::size_t(1) << 62));
    } catch (const std::bad_alloc&) {
    }
}

}  // namespace

int main() {
    static char buffer[BUFSIZ];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    counter = reinterpret_cast<long long (*)()>(dlsym(RTLD_DEFAULT, "vftrace_allocated_bytes"));
    if (!counter)
        return 2;
    gives<int>("int");
    gives<Aligned>("aligned type");

    const long long before = counter();
    throws();
    grew(before, 0, "exceptions");
    std::vector<int> of_thread;
    std::thread([&of_thread] {
        const long long thread_before = counter();
        of_thread.resize(10000);
        grew(thread_before, size_of(of_thread.data()), "vector");
    }).join();
    const long long freed = size_of(of_thread.data()), before_free = counter();
    std::vector<int>().swap(of_thread);
    grew(before_free, -freed, "another thread's vector");
    std::puts(failed ? "some failed" : "all counted");
}
