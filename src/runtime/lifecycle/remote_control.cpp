#include "lifecycle/remote_control.hpp"

#include <cstring>

#include "base/guarded.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "guest/seccomp.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/start_sampling.hpp"
#include "overhead/unwanted.hpp"
#include "service/service_thread.hpp"
#include "tree/own_record.hpp"
#include "tree/pause.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

bool samples_are_stopped;

void stop() {
    samples_are_stopped |= stop_samples();
    switch_process_off();
}

void look_at_request() {
    RemoteControl& control = process_record->control;
    const std::uint32_t request = __atomic_load_n(&control.request, __ATOMIC_ACQUIRE);
    if (request != control.answered) {
        switch (kind_of_request(request)) {
        case RemoteRequest::start:
            switch_process_on();
            break;
        case RemoteRequest::stop:
            stop();
            break;
        case RemoteRequest::none:
            break;
        }
        __atomic_store_n(&control.answered, request, __ATOMIC_RELEASE);
    }
    // The program may have continued recording by vftrace_resume().
    if (samples_are_stopped && !process_is_paused()) {
        samples_are_stopped = false;
        resume_samples();
    }
}

TimedWork requests = {.interval_ns = 100'000'000, .run = look_at_request};

}  // namespace

void start_switched_off(const Options& options, const char* program) {
    if (options.start != "off" || is_starter(program))
        return;
    ensure_record();
    if (run_phase != RunPhase::recording || !process_record)
        return;
    stop();
    run_guarded([] { take_out_all_hooks(Removal::can_be_undone); });
    const char* why = nullptr;
    if (!tree_file_path())
        why = "there is no tree file";
    else if (seccomp_filter_was_added())
        why = "the process may not create a thread";
    else if (const int error = every(requests))
        why = std::strerror(error);
    if (!why)
        return __atomic_store_n(&process_record->control.listens, 1, __ATOMIC_RELEASE);
    message_of(
        Speaker::machine,
        "start=off: vftrace start will not reach this process (%s); vftrace_resume() switches "
        "recording on",
        why);
    write_held_messages();
}

}  // namespace vftrace
