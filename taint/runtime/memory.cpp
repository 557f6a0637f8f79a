// Memory and a lock for the run-time library.
#include "taint/runtime/memory.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vftrace::taint {
namespace {

constexpr std::size_t chunk_size = 256 * 1024;
std::atomic<int> owner;  // a thread ID of the kernel
thread_local int own_number;
char* chunk;
std::size_t left_in_chunk;

}  // namespace

constinit Lock lock;

bool Lock::take() {
    if (own_number == 0)
        own_number = gettid();
    if (owner.load(std::memory_order_relaxed) == own_number)
        return false;
    for (int expected = 0;
         !owner.compare_exchange_weak(expected, own_number, std::memory_order_acquire);
         expected = 0)
        sched_yield();
    return true;
}

void Lock::release() { owner.store(0, std::memory_order_release); }

void* reserve_pages(std::size_t size) {
    // The system call and not the function, which network libraries (UCX) replace by their own
    // before these can be used.
    const long pages = syscall(SYS_mmap, nullptr, size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
    return pages == -1 ? nullptr : reinterpret_cast<void*>(pages);
}

void* allocate(std::size_t size) {
    size = (size + 15) / 16 * 16;
    if (size > left_in_chunk) {
        const std::size_t wanted = size > chunk_size / 4 ? size : chunk_size;
        void* pages = reserve_pages(wanted);
        if (!pages) {
            message("not enough memory for the analysis");
            _exit(2);
        }
        if (wanted == size)
            return pages;
        chunk = static_cast<char*>(pages);
        left_in_chunk = wanted;
    }
    void* result = chunk;
    chunk += size;
    left_in_chunk -= size;
    return result;
}

void message(const char* format, ...) {
    char text[1024];
    std::va_list arguments;
    va_start(arguments, format);
    int length = std::snprintf(text, sizeof text - 1, "vftrace: ");
    length += std::vsnprintf(text + length, sizeof text - 1 - static_cast<std::size_t>(length),
                             format, arguments);
    va_end(arguments);
    if (length > static_cast<int>(sizeof text) - 2)
        length = sizeof text - 2;
    text[length++] = '\n';
    [[maybe_unused]] const ssize_t written =
        write(STDERR_FILENO, text, static_cast<std::size_t>(length));
}

}  // namespace vftrace::taint
