// _exit, _Exit and quick_exit: ends without the destructors of libraries.
#include "lifecycle/ends.hpp"

#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/all_signals.hpp"
#include "guest/next_function.hpp"
#include "guest/seccomp.hpp"
#include "lifecycle/abrupt_end.hpp"
#include "lifecycle/end_message.hpp"
#include "lifecycle/recover_from_outside.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/signal_actions.hpp"
#include "lifecycle/signals.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

using Exit = void (*)(int);

// The program may call an exit function anywhere, even in a signal handler, so another process
// writes the profile.
void leave_profile(int status) {
    if (run_phase != RunPhase::recording)
        return;
    if (seccomp_filter_was_noted())
        return mark_end_without_system_calls(ProcessState::exit_call, status & 0xff);
    if (!process_is_ours())
        return;
    if (seccomp_filter_was_added())
        return mark_end(ProcessState::exit_call, status & 0xff);
    if (!tree_file_path())
        return finish_run(EndOfRun::process_exit);
    AllSignalsBlocked::block_for_ever();
    be_the_one_to_end();
    stop_other_threads();
    mark_end(ProcessState::exit_call, status & 0xff);
    const char* no_more[] = {nullptr};
    start_recovery(no_more, true);
}

[[noreturn]] void leave(Exit real, int status) {
    leave_profile(status);
    report_end_message();  // for a run that MPI_Finalize has ended
    if (real)
        real(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

// Called after the handlers of the program, which were registered later.
void at_quick_end() {
    finish_run(EndOfRun::process_exit);
    report_end_message();
}

}  // namespace

void prepare_ends(const Options& options) {
    at_quick_exit(at_quick_end);
    prepare_signal_actions();
    prepare_recovery(options);
}

}  // namespace vftrace

#define VFTRACE_WRAP_EXIT(wrapper, name)                                                           \
    extern "C" [[gnu::visibility("default"), noreturn]] void wrapper(int) asm(name);               \
    void wrapper(int status) {                                                                     \
        static vftrace::Exit known;                                                                \
        vftrace::leave(vftrace::next_function(known, name), status);                               \
    }
VFTRACE_WRAP_EXIT(wrapped_underscore_exit, "_exit")
VFTRACE_WRAP_EXIT(wrapped_Exit, "_Exit")
