// Counts, for each thread, the bytes that were allocated and freed.
//
// A block is counted with the size that malloc_usable_size() returns, so that it counts the same
// when it is freed, by whichever thread. So the difference is exact.
#include "allocations/allocator.hpp"
#include "allocations/jemalloc_counters.hpp"

namespace vftrace {
namespace {

constinit thread_local long long allocated = 0;

long long bytes_of(void* block) { return static_cast<long long>(usable_size(block)); }

// These two are the hot path: they keep at most the block across a call.
void* counted_malloc(std::size_t size) {
    void* const block = next_allocator.malloc(size);
    allocated += bytes_of(block);
    return block;
}

void counted_free(void* block) {
    allocated -= bytes_of(block);
    next_allocator.free(block);
}

// The others set the counter: an allocator may implement one of its functions by calling others
// that are counted as well.
template <auto function>
struct Counted;
template <class... Arguments, void* (*Allocator::*function)(Arguments...)>
struct Counted<function> {
    static void* call(Arguments... arguments) {
        const long long before = allocated;
        void* const block = (next_allocator.*function)(arguments...);
        allocated = before + bytes_of(block);
        return block;
    }
};

void* counted_realloc(void* block, std::size_t size) {
    const long long before = allocated, had = bytes_of(block);
    void* const moved = next_allocator.realloc(block, size);
    // If there is no new block, a size of 0 means that the old one was freed; otherwise the old one
    // is unchanged.
    const bool is_done = moved || size == 0;
    allocated = is_done ? before - had + bytes_of(moved) : before;
    return moved;
}

int counted_posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    const long long before = allocated;
    const int error = next_allocator.posix_memalign(block, alignment, size);
    allocated = error == 0 ? before + bytes_of(*block) : before;
    return error;
}

}  // namespace

constinit const Allocator counting_allocator = {counted_malloc,
                                                counted_free,
                                                Counted<&Allocator::calloc>::call,
                                                counted_realloc,
                                                Counted<&Allocator::memalign>::call,
                                                counted_posix_memalign,
                                                Counted<&Allocator::aligned_alloc>::call};

}  // namespace vftrace

// The bytes that the calling thread has allocated minus those that it has freed, whichever thread
// had allocated them. 0 if nothing is counted.
extern "C" [[gnu::visibility("default")]] long long vftrace_allocated_bytes(void) {
    return vftrace::has_jemalloc_counters() ? vftrace::jemalloc_bytes() : vftrace::allocated;
}
