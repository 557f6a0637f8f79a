// Finds the next allocator, and whether its blocks can be counted.
#include "allocations/allocator.hpp"

#include <cerrno>

#include "allocations/early_blocks.hpp"
#include "allocations/jemalloc_counters.hpp"
#include "allocations/watching.hpp"
#include "guest/next_function.hpp"

// The first is present if a sanitizer has an allocator, the second belongs to jemalloc. Searching
// for a missing function would cost memory, and leave an error for the program's dlerror().
extern "C" [[gnu::weak]] std::size_t __sanitizer_get_allocated_size(const void* block);
extern "C" [[gnu::weak]] vftrace::Mallctl mallctl;

namespace vftrace {
namespace {

void find_allocator();

// The initial versions of our functions: they look everything up and are never called again.
template <auto function>
struct First;
template <class Result, class... Arguments, Result (*Allocator::*function)(Arguments...)>
struct First<function> {
    static Result call(Arguments... arguments) {
        find_allocator();
        return (allocator.*function)(arguments...);
    }
};

// The allocator that dlsym() itself uses.
constexpr Allocator early_allocator = {early_malloc,  [](void*) {},   early_calloc,
                                       early_realloc, early_memalign, early_posix_memalign,
                                       early_memalign};

// These replace the next allocator's functions if those may receive early blocks.
Allocator real_allocator;
std::size_t (*real_usable_size)(void* block);
void free_unless_early(void* block) {
    if (!is_early_block(block))
        real_allocator.free(block);
}
void* realloc_or_leave_early(void* block, std::size_t size) {
    if (!is_early_block(block))
        return real_allocator.realloc(block, size);
    void* const moved = size > 0 ? real_allocator.malloc(size) : nullptr;
    if (moved)
        copy_early_block(moved, block, size);
    return moved;
}
std::size_t usable_size_unless_early(void* block) {
    return is_early_block(block) ? 0 : real_usable_size(block);
}

template <class Function>
void look_up(Function& function, const char* name) {
    function = next_function<Function>(name);
    if (!function)  // we are linked after the C library: called only by users of dlsym()
        function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// Of a function, or of another address.
template <class Code>
const void* object_of(Code* code) {
    dl_find_object found;
    void* const address = const_cast<void*>(reinterpret_cast<const void*>(code));
    return _dl_find_object(address, &found) == 0 ? found.dlfo_link_map : nullptr;
}

// One library's malloc_usable_size() cannot handle another library's blocks.
template <class... Functions>
bool lie_in_one_object(Functions... functions) {
    const void* const objects[] = {object_of(functions)...};
    for (const void* object : objects)
        if (!object || object != objects[0])
            return false;
    return true;
}

bool counts_itself() {
    return mallctl && lie_in_one_object(next_allocator.malloc, mallctl) &&
           find_jemalloc_counters(mallctl);
}

bool can_be_counted() {
    const Allocator& next = next_allocator;
    // Sanitizers provide memory before they have started, but do not answer queries then; and they
    // report the caller.
    return !__sanitizer_get_allocated_size &&
           lie_in_one_object(usable_size, next.malloc, next.free, next.calloc, next.realloc,
                             next.memalign, next.posix_memalign, next.aligned_alloc);
}

void find_allocator() {
    const int saved_errno = errno;
    allocator = early_allocator;
    Allocator& next = next_allocator;
    look_up(next.malloc, "malloc");
    look_up(next.free, "free");
    look_up(next.calloc, "calloc");
    look_up(next.realloc, "realloc");
    look_up(next.memalign, "memalign");
    look_up(next.posix_memalign, "posix_memalign");
    look_up(next.aligned_alloc, "aligned_alloc");
    look_up(usable_size, "malloc_usable_size");
    const bool counts = !counts_itself() && can_be_counted();
    if (has_early_blocks()) {
        real_allocator = next;
        real_usable_size = usable_size;
        next.free = free_unless_early;
        next.realloc = realloc_or_leave_early;
        usable_size = usable_size_unless_early;
    }
    inner_allocator = allocator = counts ? counting_allocator : next;
    errno = saved_errno;
}

// Otherwise a signal handler or a child of vfork could be the first to request memory.
[[gnu::constructor]] void find_allocator_before_main() { allocator.free(nullptr); }

}  // namespace

bool is_sanitized() { return __sanitizer_get_allocated_size; }

bool lies_in_allocator(const void* address) {
    return lie_in_one_object(address, next_allocator.malloc);
}

bool lies_in_watcher(const void* address) { return lie_in_one_object(address, watch.allocated); }

Allocator next_allocator;
std::size_t (*usable_size)(void* block);

static constexpr Allocator first_allocator = {
    First<&Allocator::malloc>::call,       First<&Allocator::free>::call,
    First<&Allocator::calloc>::call,       First<&Allocator::realloc>::call,
    First<&Allocator::memalign>::call,     First<&Allocator::posix_memalign>::call,
    First<&Allocator::aligned_alloc>::call};
constinit Allocator allocator = first_allocator, inner_allocator = first_allocator;

}  // namespace vftrace

// See record/allocation_watch.hpp. Sanitizers find leaks by what is not freed, and report the
// caller.
extern "C" [[gnu::visibility("default")]] bool
vftrace_watch_allocations(const vftrace::AllocationWatch* wanted) {
    using namespace vftrace;
    allocator.free(nullptr);  // which finds the allocator
    if (is_sanitized())
        return false;
    if (!wanted->are_counted)
        inner_allocator = next_allocator;
    watch = *wanted;
    bytes_left = 0;
    allocator = watching_allocator;
    watch_operators();
    return true;
}
