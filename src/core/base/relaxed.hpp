// Reading and writing counters and fields that one thread writes and other threads or signal
// handlers read.
#pragma once

#include <cstdint>

namespace vftrace {

template <class Value>
Value relaxed(const Value& value) {
    return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

// For a double, which has no atomic functions of its own.
inline double relaxed(const double& value) {
    double read;
    __atomic_load(&value, &read, __ATOMIC_RELAXED);
    return read;
}

// counter += amount by the only writer. One instruction if the processor has one: then an
// instrumented signal handler cannot run between the load and the store.
[[gnu::always_inline]] inline void add_relaxed(std::uint64_t& counter, std::uint64_t amount) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    asm("addq %1, %0" : "+m"(counter) : "er"(amount) : "cc");
#else
    __atomic_store_n(&counter, relaxed(counter) + amount, __ATOMIC_RELAXED);
#endif
}

// A plain read of a field that another thread may write or read at any time: the compiler may read
// it again or earlier. Atomic only under ThreadSanitizer, because an atomic load takes one
// instruction more than a comparison with memory.
template <class Field>
[[gnu::always_inline]] inline Field plain_read(const Field& field) {
#ifdef __SANITIZE_THREAD__
    return __atomic_load_n(&field, __ATOMIC_RELAXED);
#else
    return field;
#endif
}

template <class Field>
[[gnu::always_inline]] inline void set_shared(Field& field, Field value) {
    __atomic_store_n(&field, value, __ATOMIC_RELAXED);
}
inline void set_shared(double& field, double value) {
    __atomic_store(&field, &value, __ATOMIC_RELAXED);
}

}  // namespace vftrace
