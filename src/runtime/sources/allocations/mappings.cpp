// mmap and related functions, as programs find them when this library is preloaded: large arrays
// that they take from the kernel themselves are reported like blocks of malloc.
//
// Each calls the next function of its name, because other libraries (of networks) also need to know
// what is unmapped, and may have changed that one.
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "allocations/watching.hpp"
#include "guest/next_function.hpp"

#define VFTRACE_EXPORT extern "C" [[gnu::visibility("default")]]

VFTRACE_EXPORT int munmap(void* start, std::size_t length) noexcept;

namespace vftrace {
namespace {

// Smaller ones are pools and buffers of libraries.
constexpr std::size_t smallest_mapping = std::size_t{1} << 20;

using Mmap = void*(void*, std::size_t, int, int, int, off_t);
using Munmap = int(void*, std::size_t);
using Mremap = void*(void*, std::size_t, std::size_t, int, void*);
Mmap* next_mmap;
Munmap* next_munmap;
Mremap* next_mremap;

// The beginning of our munmap().
constexpr std::size_t code_bytes = 16;
char code_at_start[code_bytes];
bool code_is_unchanged() {
    return std::memcmp(code_at_start, reinterpret_cast<const void*>(&::munmap), code_bytes) == 0;
}

[[gnu::constructor]] void find_functions() {
    const int saved_errno = errno;
    next_mmap = next_function<Mmap*>("mmap");
    next_munmap = next_function<Munmap*>("munmap");
    next_mremap = next_function<Mremap*>("mremap");
    std::memcpy(code_at_start, reinterpret_cast<const void*>(&::munmap), code_bytes);
    errno = saved_errno;
}

// Before the constructor has run, there is no next function.
void* map(void* start, std::size_t length, int protection, int flags, int file, off_t offset) {
    if (next_mmap)
        return next_mmap(start, length, protection, flags, file, offset);
    return reinterpret_cast<void*>(
        syscall(SYS_mmap, start, length, protection, flags, file, offset));
}

// Whether a mapping is memory of the program: not a file, a stack or a part of a reservation, and
// not requested by the allocator or by us. Network libraries such as libfabric replace the
// code of munmap(): then we would not see its end.
bool is_array(void* start, std::size_t length, int protection, int flags, const void* caller) {
    constexpr int memory = MAP_ANONYMOUS, others = MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_STACK;
    return start != MAP_FAILED && length >= smallest_mapping && (protection & PROT_WRITE) != 0 &&
           (flags & memory) != 0 && (flags & others) == 0 && code_is_unchanged() &&
           !lies_in_allocator(caller) && !lies_in_watcher(caller);
}

void* map_and_report(void* start, std::size_t length, int protection, int flags, int file,
                     off_t offset, const void* caller) {
    void* const mapped = map(start, length, protection, flags, file, offset);
    if (is_array(mapped, length, protection, flags, caller) && is_due(length))
        report_allocated(mapped, length, caller);
    return mapped;
}

// Removes what is known about a mapping. Another thread may get its address as soon as it is gone.
bool take(void* start, WatchedBlock& taken) {
    return may_be_watched(start) && watch.take(reinterpret_cast<std::uintptr_t>(start), taken);
}

}  // namespace
}  // namespace vftrace

using namespace vftrace;

VFTRACE_EXPORT void* mmap(void* start, std::size_t length, int protection, int flags, int file,
                          off_t offset) noexcept {
    return map_and_report(start, length, protection, flags, file, offset,
                          __builtin_return_address(0));
}

VFTRACE_EXPORT void* mmap64(void* start, std::size_t length, int protection, int flags, int file,
                            off64_t offset) noexcept {
    return map_and_report(start, length, protection, flags, file, offset,
                          __builtin_return_address(0));
}

// Of a part at the end, nothing is reported.
VFTRACE_EXPORT int munmap(void* start, std::size_t length) noexcept {
    WatchedBlock taken;
    const bool was_watched = take(start, taken);
    const int result = next_munmap ? next_munmap(start, length)
                                   : static_cast<int>(syscall(SYS_munmap, start, length));
    if (was_watched)
        result == 0 ? watch.freed(taken, bytes_left) : watch.put_back(taken);
    return result;
}

VFTRACE_EXPORT void* mremap(void* start, std::size_t length, std::size_t new_length, int flags,
                            ...) noexcept {
    void* new_start = nullptr;
    if (flags & MREMAP_FIXED) {
        va_list arguments;
        va_start(arguments, flags);
        new_start = va_arg(arguments, void*);
        va_end(arguments);
    }
    WatchedBlock taken;
    const bool was_watched = take(start, taken);
    void* const moved = next_mremap ? next_mremap(start, length, new_length, flags, new_start)
                                    : reinterpret_cast<void*>(syscall(
                                          SYS_mremap, start, length, new_length, flags, new_start));
    if (!was_watched)
        return moved;
    if (moved == MAP_FAILED) {
        watch.put_back(taken);
        return moved;
    }
    watch.moved(taken);
    if (is_due(new_length))
        report_allocated(moved, new_length, __builtin_return_address(0));
    return moved;
}
