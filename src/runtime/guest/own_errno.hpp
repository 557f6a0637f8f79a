// The calling thread's errno without a call into the C library.
//
// A sample taken while our code asks the C library for the address of errno would be in that
// library, and look like work of the program.
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
