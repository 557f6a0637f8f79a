#include "gpu/gpu.hpp"

#include <cstdlib>
#include <unistd.h>

#include "base/guarded.hpp"
#include "base/message.hpp"
#include "config/options.hpp"
#include "device_record/construct_transfers.hpp"
#include "device_record/record_memory.hpp"
#include "gpu/activity.hpp"
#include "gpu/call_names.hpp"
#include "gpu/callbacks.hpp"
#include "gpu/cupti.hpp"
#include "gpu/openacc_names.hpp"
#include "tree/source.hpp"

namespace vftrace {

GpuSettings gpu_settings;

namespace {

// The process in which the use of CUDA is recorded; 0: none. A child of fork() has neither the
// driver's state nor CUPTI's.
long user;
bool torn_down;  // the program exits: the driver and CUPTI may be gone

bool is_in_use() {
    return __atomic_load_n(&user, __ATOMIC_ACQUIRE) == getpid() &&
           !__atomic_load_n(&torn_down, __ATOMIC_ACQUIRE);
}

// Handlers run in reverse order: this one before the driver's, which is registered when the driver
// starts, and long before our destructor.
void fetch_at_exit() {
    if (is_in_use())
        flush_activity(true);
    __atomic_store_n(&torn_down, true, __ATOMIC_RELEASE);
}

void note_use() {
    const long self = getpid();
    if (__atomic_exchange_n(&user, self, __ATOMIC_ACQ_REL) != self)
        std::atexit(fetch_at_exit);
}

void on_driver_started() {
    static bool known;
    if (!__atomic_exchange_n(&known, true, __ATOMIC_RELAXED))
        follow_managed_memory();
    note_use();
}

void on_contexts_end() {
    if (is_in_use())
        flush_activity(false);
}

void open() {
    constexpr CallbackActions actions = {.driver_started = on_driver_started,
                                         .contexts_end = on_contexts_end,
                                         .first_call = note_use};
    const char* why = "";
    const cupti::Functions* functions = cupti::open_library(gpu_settings.library, why);
    if (!functions || !prepare_activity(*functions, why) ||
        !start_callbacks(*functions, actions, why))
        message_of(Speaker::machine, "the program uses CUDA, but GPUs are not profiled: %s", why);
    else if (!start_activity(why))
        message_of(Speaker::machine, "CUDA calls are profiled, but not the work of GPUs: %s", why);
}

// Once per process.
void open_once() {
    static bool begun;
    if (gpu_settings.active && !__atomic_exchange_n(&begun, true, __ATOMIC_ACQ_REL))
        run_guarded([] { open(); });
}

void prepare(const Options& options) {
    gpu_settings = {.active = options.cuda_active, .library = options.cuda_library.c_str()};
}

// main() is about to be called: checks whether the program has CUDA. If CUDA is loaded later, the
// driver calls InitializeInjection, if CUDA_INJECTION64_PATH names this library.
void begin() {
    bool found = false;
    if (gpu_settings.active && run_guarded([&] { found = cupti::program_has_cuda(); }) && found)
        open_once();
}

// Fetches what devices have done. Waits for CUPTI, not for devices.
void finish(ThreadState*) {
    if (is_in_use())
        flush_activity(true);
    stop_activity();
}

void forget_parent() {
    forget_gpu_memory();
    forget_gpu_names();
    forget_openacc_names();
    forget_construct_transfers();
    forget_activity();
}

}  // namespace

constexpr Source cuda_source = {
    .prepare = prepare, .begin = begin, .forget_parent = forget_parent, .finish = finish};

}  // namespace vftrace

// The driver calls this when it starts, if the environment requests it. It takes any value other
// than 1 as an error.
extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
    vftrace::open_once();
    return 1;
}
