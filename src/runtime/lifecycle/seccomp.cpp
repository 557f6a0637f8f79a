// The functions with which a program limits its system calls.
//
// Calls that the filter forbids may kill the process, and at the end of the run a profiler needs
// calls that the program does not need, so nothing is written then. The tree file has the profile;
// the user is informed while writing is still allowed. From then on the library makes no system
// call of its own: what it needs later is prepared here.
#include "guest/seccomp.hpp"

#include <cstddef>
#include <sys/prctl.h>

#include "base/arena.hpp"
#include "base/message.hpp"
#include "guest/next_function.hpp"
#include "lifecycle/abrupt_end.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/signals.hpp"
#include "lifecycle/start_sampling.hpp"
#include "service/service_thread.hpp"
#include "trace/trace_writer.hpp"
#include "tree/own_record.hpp"
#include "tree/registry.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

// True in a child of vfork, until it executes a program: it runs in the memory of its parent.
bool shares_memory_of_parent() { return process_record && !process_is_ours() && !is_new_child(); }

constexpr std::size_t most_bytes_later = 1 << 20;

// Called before the filter is in place. If it is not accepted after all, the profile is in the tree
// file nevertheless.
void prepare_for_filter() {
    if (shares_memory_of_parent())
        return;  // it will execute another program, and the filter is not its parent's
    // Setting up timers for threads that begin or end later would need system calls as well.
    stop_samples();
    leave_signals_to_program();
    const bool recording = run_phase == RunPhase::recording && process_is_ours();
    if (recording) {
        stop_service();  // the filter may be for all threads, also ours
        end_trace();
        // For the call paths to come.
        take_last_tree_memory(most_bytes_later);
        stop_mapping_memory(most_bytes_later);
    }
    note_seccomp_filter();
    if (!recording)
        return;
    if (const char* file = tree_file_path())
        VFTRACE_MESSAGE_ONCE("the program limits its system calls (seccomp): its profile remains "
                             "in %s; when it has ended, make it readable with: vftrace recover "
                             "%s",
                             file, file);
    else
        VFTRACE_MESSAGE_ONCE("the program limits its system calls (seccomp) and does not have a "
                             "tree file: its profile will be lost");
}

using Argument = unsigned long;

}  // namespace
}  // namespace vftrace

using namespace vftrace;

extern "C" [[gnu::visibility("default")]] int wrapped_prctl(int, Argument, Argument, Argument,
                                                            Argument) asm("prctl");
int wrapped_prctl(int option, Argument second, Argument third, Argument fourth, Argument fifth) {
    static int (*known)(int, ...);
    const auto real = next_function(known, "prctl");
    if (option == PR_SET_SECCOMP)
        prepare_for_filter();
    return real(option, second, third, fourth, fifth);
}

// A function of libseccomp, which makes the system call itself.
extern "C" [[gnu::visibility("default")]] int seccomp_load(const void* filter) {
    static int (*known)(const void*);
    const auto real = next_function(known, "seccomp_load");
    prepare_for_filter();
    return real ? real(filter) : -1;
}
