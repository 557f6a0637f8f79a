// Whether the program has limited its system calls (seccomp): one of ours could kill it.
#pragma once

namespace vftrace {

// Records the filters that exist when the library starts: those of a container, which return
// errors.
void note_seccomp_at_start();

// To be called when the program installs a filter.
void note_seccomp_filter();
// Whether the program has been seen to do so. Makes no system call.
bool seccomp_filter_was_noted();

// Whether there are more filters than at the start, as far as that can be found out.
// Async-signal-safe.
bool seccomp_filter_was_added();

}  // namespace vftrace
