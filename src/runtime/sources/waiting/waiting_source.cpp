// The source `waiting`.
#include <cstring>

#include "base/message.hpp"
#include "config/options.hpp"
#include "service/service_thread.hpp"
#include "tree/source.hpp"
#include "waiting/thread_switches.hpp"

namespace vftrace {
namespace {

Watching wanted;

TimedWork looks = {.interval_ns = 0, .run = look_at_waiting_threads};
TimedWork updates = {
    .interval_ns = 1'000'000'000, .run = update_watched_threads, .waits_first = true};

}  // namespace

constexpr Source waiting_source = {
    .prepare =
        [](const Options& options) {
            constexpr double shortest = 1e-3;
            wanted = options.waiting_active == "off"  ? Watching::off
                     : options.waiting_active == "on" ? Watching::always
                                                      : Watching::cheap;
            looks.interval_ns = interval_ns(options.waiting_interval, shortest);
        },
    .process_begins =
        [] {
            allow_watching(wanted);
            if (wanted != Watching::always)
                return;
            int error = every(looks);
            if (!error)
                error = every(updates);
            if (error)
                message("waiting.active: cannot start the thread that looks at others: %s",
                        std::strerror(error));
        },
    .thread_begins = watch_switches,
    .thread_ends = end_watching,
    .thread_resumes = skip_switches,
    .finish =
        [](ThreadState* own) {
            finish_watching(own);
            if (wanted != Watching::always)
                return;
            if (const int error = why_not_watched())
                message("waiting.active: the kernel does not report when threads wait: %s. It does "
                        "so if kernel.perf_event_paranoid is 2 or less and the process may lock "
                        "8 KiB of memory for each thread. Only calls of the C library are timed, "
                        "if \"vftrace run\" has started the program",
                        std::strerror(error));
        }};

}  // namespace vftrace
