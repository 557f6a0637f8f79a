// The descriptor of a stream.
#pragma once

#include <cerrno>
#include <cstdio>

namespace vftrace {

// -1 if it does not have one. Keeps errno.
inline int descriptor_of(FILE* stream) {
    const int saved_errno = errno;
    const int descriptor = stream ? fileno_unlocked(stream) : -1;
    errno = saved_errno;
    return descriptor;
}

}  // namespace vftrace
