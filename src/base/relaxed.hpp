// Reading and writing counters that one thread writes and others, or signal handlers, read.
#pragma once

#include <cstdint>

namespace vftrace {

template <class Value>
Value relaxed(const Value& value) {
    return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

// counter += amount by the only writer. One instruction where the processor has it: an
// instrumented signal handler can then not come between the load and the store.
[[gnu::always_inline]] inline void add_relaxed(std::uint64_t& counter, std::uint64_t amount) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    asm("addq %1, %0" : "+m"(counter) : "er"(amount) : "cc");
#else
    __atomic_store_n(&counter, relaxed(counter) + amount, __ATOMIC_RELAXED);
#endif
}

}  // namespace vftrace
