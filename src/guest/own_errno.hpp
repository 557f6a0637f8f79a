// The calling thread's errno without a call of the C library.
//
// What is sampled while our code has the C library tell where errno lies has its place in that
// library, and looks like work of the program's.
#pragma once

#include <cerrno>

namespace vftrace {

// Of the calling thread; null before the first use.
inline __thread int* errno_of_thread __attribute__((tls_model("initial-exec"))) = nullptr;

inline int& own_errno() {
    if (!errno_of_thread) [[unlikely]]
        errno_of_thread = &errno;
    return *errno_of_thread;
}

}  // namespace vftrace
