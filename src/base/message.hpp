// Messages of the library to its user on stderr, prefixed "vftrace: ".
//
// A program's own file may have taken descriptor 2 after the program closed stderr. So the
// identity of stderr is noted at start, and nothing is written if it is another file by then.
#pragma once

#include "base/launcher.hpp"

namespace vftrace {

// Notes which file stderr is. Called once, when the library is loaded.
void remember_stderr();
// Whether it is still that one. Async-signal-safe.
bool stderr_is_ours();

// Writes "vftrace: " + text + newline in one write(2). Further lines of the text are indented as
// far as the first one. Keeps errno.
[[gnu::format(printf, 1, 2)]] void message(const char* pattern, ...);
// The same, but of the processes of a job that a launcher started only the speaker writes it: for
// what all would say alike.
[[gnu::format(printf, 2, 3)]] void message_of(Speaker speaker, const char* pattern, ...);

// From now on messages are kept, up to 16 KiB of them, until tell_messages() writes them. For the
// start of the library: shells and launchers load it too, and must not repeat what the program
// that is profiled will say.
void hold_messages();
void tell_messages();
// From now on no message is written.
void silence_messages();

// At most once per place and process: VFTRACE_MESSAGE_ONCE("...", ...).
#define VFTRACE_MESSAGE_ONCE(...)                                                                  \
    do {                                                                                           \
        static bool said;                                                                          \
        if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))                                   \
            ::vftrace::message(__VA_ARGS__);                                                       \
    } while (0)

}  // namespace vftrace
