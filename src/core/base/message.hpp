// Messages of the library to its user on stderr, prefixed "vftrace: ".
//
// If the program closes stderr, one of its own files may get descriptor 2. So the identity of
// stderr is recorded at the start, and nothing is written if descriptor 2 is another file later.
#pragma once

#include "base/launcher.hpp"

namespace vftrace {

// Records which file stderr is. Called once, when the library is loaded.
void remember_stderr();
// Whether stderr is still that file. Async-signal-safe.
bool stderr_is_ours();

// Writes "vftrace: " + text + newline in one write(2). Further lines of the text are indented to
// the start of the first one; what a terminal would obey is shown as in base/utf8.hpp. Keeps errno.
[[gnu::format(printf, 1, 2)]] void message(const char* pattern, ...);
// The same, but of the processes of a job that a launcher has started, only the speaker writes it:
// for messages that would be the same from all of them.
[[gnu::format(printf, 2, 3)]] void message_of(Speaker speaker, const char* pattern, ...);

// From now on messages are held back, up to 16 KiB of them, until write_held_messages() writes
// them. For the start of the library: shells and launchers load it too, and must not repeat the
// messages of the program that is profiled.
void hold_messages();
void write_held_messages();
// From now on messages are not written.
void silence_messages();

// At most once per place and process: VFTRACE_MESSAGE_ONCE("...", ...).
#define VFTRACE_MESSAGE_ONCE(...)                                                                  \
    do {                                                                                           \
        static bool said;                                                                          \
        if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))                                   \
            ::vftrace::message(__VA_ARGS__);                                                       \
    } while (0)

}  // namespace vftrace
