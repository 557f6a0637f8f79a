// The start of the analysis, and the ends of the program at which the result is written: return
// from main, exit, quick_exit, _exit, abort (and thus uncaught exceptions), and signals that end
// the program.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

#include "taint/runtime/files.hpp"
#include "taint/runtime/frames.hpp"
#include "taint/runtime/history.hpp"
#include "taint/runtime/parameters.hpp"
#include "taint/runtime/result.hpp"
#include "taint/runtime/sanitizer.hpp"

namespace vftrace::taint {
namespace {

pid_t own_process;  // children of fork do not write anything
std::atomic<bool> is_written;

void finish(bool complete) {
    if (getpid() != own_process || is_written.exchange(true))
        return;
    close_all_frames();
    write_result(complete);
}

void finish_complete() { finish(true); }

constexpr int signals_that_end[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE,
                                    SIGILL,  SIGTERM, SIGINT, SIGHUP};

void finish_by_signal(int number) {
    std::signal(number, SIG_DFL);
    finish(false);
    std::raise(number);
}

void handle_signals() {
    for (const int number : signals_that_end) {
        struct sigaction now;
        if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL)
            continue;
        struct sigaction ours {};
        ours.sa_handler = finish_by_signal;
        ours.sa_flags = static_cast<int>(SA_NODEFER | SA_RESETHAND);
        sigaction(number, &ours, nullptr);
    }
}

// Network libraries write jumps of thirteen bytes into functions that map memory, in order to be
// notified. In this program these functions are the sanitizer's, of five bytes, and the code after
// them would be damaged. UCX has read its options by now, so the program starts again.
void keep_memory_functions(char** arguments) {
    if (!uses_mpi())
        return;
    setenv("OMPI_MCA_memory", "^patcher", 0);
    if (!dlsym(RTLD_DEFAULT, "ucm_set_event_handler") || std::getenv("UCX_MEM_MMAP_HOOK_MODE"))
        return;
    setenv("UCX_MEM_MMAP_HOOK_MODE", "none", 1);
    execv("/proc/self/exe", arguments);
}

// Runs before the program's own constructors.
[[gnu::constructor(101)]] void start(int argument_count, char** arguments, char**) {
    own_process = getpid();
    keep_memory_functions(arguments);
    start_files();
    start_history();
    start_parameters(argument_count, arguments);
    std::atexit(finish_complete);
    at_quick_exit(finish_complete);
    handle_signals();
}

}  // namespace
}  // namespace vftrace::taint

extern "C" {

void __dfsw__exit(int status, Label) {
    vftrace::taint::finish(true);
    _exit(status);
}

void __dfsw__Exit(int status, Label) {
    vftrace::taint::finish(true);
    _exit(status);
}

// Records of functions and call paths refer to data in libraries, so no library is unloaded.
int __dfsw_dlclose(void*, Label, Label* result) {
    *result = 0;
    return 0;
}

}  // extern "C"
