#include "guest/reserve.hpp"

#include <functional>

namespace vftrace {

void (*when_reserve_is_used)();

namespace {

constexpr std::size_t alignment = alignof(std::max_align_t);
// Pages that are not used cost nothing but addresses, which may be limited too.
alignas(alignment) char reserve[std::size_t{1} << 18];
std::size_t used;

}  // namespace

void* take_from_reserve(std::size_t bytes) {
    if (bytes > sizeof reserve)
        return nullptr;
    bytes = (bytes + alignment - 1) / alignment * alignment;
    const std::size_t start = __atomic_fetch_add(&used, bytes, __ATOMIC_RELAXED);
    if (start > sizeof reserve || bytes > sizeof reserve - start)
        return nullptr;
    if (when_reserve_is_used)
        when_reserve_is_used();
    return reserve + start;
}

bool is_from_reserve(const void* memory) {
    const std::less<const void*> before;
    return !before(memory, reserve) && before(memory, reserve + sizeof reserve);
}

}  // namespace vftrace
