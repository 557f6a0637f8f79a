// VFTRACE_ASSERT(condition): what must be true at this place, whatever the program does.
//
// Checked in the builds with sanitizers, where it names the place on stderr and aborts. In the
// library that users get, it generates no code, and the condition is not evaluated.
#pragma once

#include <cstdlib>
#include <unistd.h>

namespace vftrace {

// Writes one line and ends the process. Uses only what signal handlers may call.
template <std::size_t length>
[[noreturn, gnu::cold, gnu::noinline]] void fail_assertion(const char (&text)[length]) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, length - 1);
    abort();
}

}  // namespace vftrace

#define VFTRACE_TEXT_OF(number) #number
#define VFTRACE_LINE_TEXT(line) VFTRACE_TEXT_OF(line)
#ifdef VFTRACE_ASSERTIONS
#define VFTRACE_ASSERT(condition)                                                                  \
    ((condition) ? static_cast<void>(0)                                                            \
                 : ::vftrace::fail_assertion("vftrace: " __FILE__ ":" VFTRACE_LINE_TEXT(           \
                       __LINE__) ": not true: " #condition "\n"))
#else
#define VFTRACE_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
