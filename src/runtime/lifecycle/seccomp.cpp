// The functions with which a program limits its system calls.
//
// Calls that the filter forbids may kill the process, and at the end of the run a profiler needs
// calls that the program does not need, so nothing is written then. The tree file has the profile;
// the user is informed while writing is still allowed.
#include "guest/seccomp.hpp"

#include <sys/prctl.h>

#include "base/message.hpp"
#include "guest/next_function.hpp"
#include "lifecycle/abrupt_end.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/start_sampling.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

// Called before the filter is in place. If it is not accepted after all, the profile is in the tree
// file nevertheless.
void prepare_for_filter() {
    // Setting up timers for threads that begin or end later would need system calls as well.
    stop_samples();
    note_seccomp_filter();
    if (run_phase != RunPhase::recording || !process_is_ours())
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
