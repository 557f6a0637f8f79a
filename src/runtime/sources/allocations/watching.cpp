#include "allocations/watching.hpp"

namespace vftrace {
namespace {

constexpr std::uint64_t never_due = std::uint64_t{1} << 63;
std::uint64_t never_again(std::uintptr_t, std::size_t, std::uint64_t, std::uintptr_t) {
    return never_due;
}

constexpr std::uint32_t nothing = 0;

}  // namespace

constinit AllocationWatch watch = {.allocated = never_again,
                                   .take = nullptr,
                                   .freed = nullptr,
                                   .moved = nullptr,
                                   .put_back = nullptr,
                                   .are_counted = true,
                                   .places = {&nothing, 0, 0}};
constinit thread_local std::uint64_t bytes_left = 0;

void report_allocated(void* block, std::size_t size, const void* caller) {
    if (block)
        bytes_left = watch.allocated(reinterpret_cast<std::uintptr_t>(block), size, bytes_left,
                                     reinterpret_cast<std::uintptr_t>(caller));
}

void report_freed(void* block) {
    WatchedBlock taken;
    if (watch.take(reinterpret_cast<std::uintptr_t>(block), taken))
        watch.freed(taken, bytes_left);
}

namespace {

// Apart, so that the usual case is a jump to the real function. These are reached by jumps, too, so
// that they return to the program.
[[gnu::noinline]] void* report_malloc(std::size_t size) {
    void* const block = inner_allocator.malloc(size);
    report_allocated(block, size, __builtin_return_address(0));
    return block;
}
void* watched_malloc(std::size_t size) {
    if (is_due(size)) [[unlikely]]
        return report_malloc(size);
    return inner_allocator.malloc(size);
}

[[gnu::noinline]] void report_free(void* block) {
    report_freed(block);
    inner_allocator.free(block);
}
void watched_free(void* block) {
    if (may_be_watched(block)) [[unlikely]]
        return report_free(block);
    inner_allocator.free(block);
}

// Calls a function of the allocator. Others that this one calls are not reported.
template <auto function, class... Arguments>
auto call_alone(Arguments... arguments) {
    const std::uint64_t left = bytes_left;
    bytes_left = never_due;
    const auto result = (inner_allocator.*function)(arguments...);
    bytes_left = left;
    return result;
}

template <auto function, class... Arguments>
[[gnu::noinline]] void* report(std::size_t size, Arguments... arguments) {
    void* const block = call_alone<function>(arguments...);
    report_allocated(block, size, __builtin_return_address(0));
    return block;
}

void* watched_calloc(std::size_t count, std::size_t size) {
    std::size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes) && is_due(bytes)) [[unlikely]]
        return report<&Allocator::calloc>(bytes, count, size);
    return inner_allocator.calloc(count, size);
}
void* watched_memalign(std::size_t alignment, std::size_t size) {
    if (is_due(size)) [[unlikely]]
        return report<&Allocator::memalign>(size, alignment, size);
    return inner_allocator.memalign(alignment, size);
}
void* watched_aligned_alloc(std::size_t alignment, std::size_t size) {
    if (is_due(size)) [[unlikely]]
        return report<&Allocator::aligned_alloc>(size, alignment, size);
    return inner_allocator.aligned_alloc(alignment, size);
}

[[gnu::noinline]] int report_posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    const int error = call_alone<&Allocator::posix_memalign>(block, alignment, size);
    if (error == 0)
        report_allocated(*block, size, __builtin_return_address(0));
    return error;
}
int watched_posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    if (is_due(size)) [[unlikely]]
        return report_posix_memalign(block, alignment, size);
    return inner_allocator.posix_memalign(block, alignment, size);
}

// Another thread may get the old block's address at once, so that the block is taken before.
[[gnu::noinline]] void* report_realloc(void* block, std::size_t size, bool due) {
    WatchedBlock taken;
    const bool was_watched = watch.take(reinterpret_cast<std::uintptr_t>(block), taken);
    void* const moved = call_alone<&Allocator::realloc>(block, size);
    // If there is no new block, a size of 0 means that the old one was freed; otherwise the old one
    // is unchanged.
    const bool is_done = moved || size == 0;
    if (was_watched)
        is_done ? watch.moved(taken) : watch.put_back(taken);
    if (due)
        report_allocated(moved, size, __builtin_return_address(0));
    return moved;
}
void* watched_realloc(void* block, std::size_t size) {
    const bool due = is_due(size);
    if (due || may_be_watched(block)) [[unlikely]]
        return report_realloc(block, size, due);
    return inner_allocator.realloc(block, size);
}

}  // namespace

constinit const Allocator watching_allocator = {
    watched_malloc,   watched_free,           watched_calloc,       watched_realloc,
    watched_memalign, watched_posix_memalign, watched_aligned_alloc};

}  // namespace vftrace
