// What a thread waits for, as /proc shows it while it waits.
//
// Uses only system calls and little stack, so that signal handlers may call it; errno stays as it
// is.
#pragma once

#include "record/wait_kinds.hpp"

namespace vftrace {

// The kind of the system call in which a thread is now, or of a page fault; not_seen if it runs,
// has ended, or cannot be looked at, as a process of another user. Takes about 10 us.
// `system_call`: the file "syscall" of its folder in /proc; `descriptors`: the folder "fd" of its
// process.
WaitKind kind_of_wait(const char* system_call, const char* descriptors);

// What is waited for in a call that uses this descriptor. Takes about 2 us.
WaitKind kind_of_descriptor(long descriptor, const char* descriptors);

}  // namespace vftrace
