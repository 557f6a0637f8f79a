// Decides whether the program is sampled, and prepares the process for it.
#include "lifecycle/start_sampling.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <string_view>

#include "base/message.hpp"
#include "guest/proc_status.hpp"
#include "guest/valgrind.hpp"
#include "lifecycle/alternate_stack.hpp"
#include "lifecycle/signal_actions.hpp"
#include "lifecycle/signals.hpp"
#include "sampling/libunwind.hpp"
#include "sampling/sample_cost.hpp"
#include "sampling/sampling.hpp"
#include "tree/event_buffer.hpp"
#include "tree/sampled_addresses.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {
namespace {

// Programs that start the program to be profiled. They do not have events from hooks, but samples
// would be taken in any program.
constexpr std::string_view starters[] = {"mpirun",
                                         "mpiexec",
                                         "orterun",
                                         "prterun",
                                         "prun",
                                         "orted",
                                         "prted",
                                         "hydra_pmi_proxy",
                                         "hydra_bstrap_proxy",
                                         "srun",
                                         "slurmstepd",
                                         "aprun",
                                         "jsrun",
                                         "lrun",
                                         "ibrun",
                                         "flux",
                                         "env",
                                         "time",
                                         "timeout",
                                         "nice",
                                         "nohup",
                                         "setsid",
                                         "stdbuf",
                                         "xargs",
                                         "numactl",
                                         "taskset",
                                         "chrt",
                                         "ionice",
                                         "sh",
                                         "bash",
                                         "dash",
                                         "zsh",
                                         "ksh",
                                         "csh",
                                         "tcsh",
                                         "fish",
                                         "busybox",
                                         "likwid-pin",
                                         "likwid-mpirun"};

struct Sampling {
    std::uint64_t period_ns;
    SampleClock clock;  // none: the program is not sampled
    bool beside_hooks;
} sampling;

void on_signal(int number, siginfo_t* information, void* context) {
    if (on_sampling_signal(*information, context))
        return;
    const struct sigaction program = action_of_program(number);
    if (program.sa_handler == SIG_IGN || program.sa_handler == SIG_DFL)
        return;  // which do the same for this signal
    if (program.sa_flags & SA_SIGINFO)
        return program.sa_sigaction(number, information, context);
    program.sa_handler(number);
}

// Makes sure that stacks can be followed. Returns false, with a message, if that is not possible.
bool choose_unwinder(const Options& options) {
    const std::string& wanted = options.stack_sampling_unwinder;
    const bool own_is_good = own_unwinder_knows_processor();
    if (wanted == "own" || (wanted == "auto" && own_is_good)) {
        if (!own_is_good)
            message_of(Speaker::machine,
                       "stack_sampling.unwinder: vftrace's own unwinder does not support this "
                       "processor; functions without hooks are not recorded");
        return own_is_good;
    }
    const char* const why = walk_by_libunwind();
    if (why)
        message_of(Speaker::machine, "libunwind cannot follow stacks (%s; Debian: libunwind8): %s",
                   why,
                   own_is_good ? "vftrace's own unwinder is used"
                               : "functions without hooks are not recorded");
    return !why || own_is_good;
}

// Timers are available: takes the signal.
void take_signal() { keep_signal(sampling_signal, on_signal, SA_RESTART); }

// Begins sampling with the calling thread.
void begin_samples() {
    if (alternate_stacks_are_left())
        sample_on_thread_stacks(bytes_for_handler());
    sampled_threads->thread_begins();
}

// The period, at least `wanted_ns`, with which samples cost this percentage of the time, in whole
// tenths of a millisecond. The cost does not make it longer than 10 ms, because a profile with
// longer periods would show little.
std::uint64_t affordable_period(double percent, std::uint64_t wanted_ns) {
    constexpr double most_ns = 10e6, unit_ns = 1e5;
    // Code is slower for a while after an interrupt, and more so in programs that use much memory
    // than in the code with which the cost is measured (test/bench/bench_sampling.py).
    constexpr double with_aftermath = 1.5;
    const double cost_ns = with_aftermath * cost_of_sample_ns();
    const double period_ns = std::min(100 / percent * cost_ns, most_ns);
    return std::max(wanted_ns,
                    static_cast<std::uint64_t>(std::ceil(period_ns / unit_ns) * unit_ns));
}

}  // namespace

bool is_starter(std::string_view program) {
    program = program.substr(0, program.find('.'));  // "mpirun.openmpi" is mpirun
    return std::find(std::begin(starters), std::end(starters), program) != std::end(starters);
}

void start_samples(const Options& options, const char* program) {
    constexpr double most = 10000, second = 1e9;
    double frequency = options.stack_sampling_frequency;
    if (!(frequency > 0) || is_starter(program))
        return;
    if (!choose_unwinder(options))
        return;
    if (frequency > most) {
        message_of(Speaker::job,
                   "stack_sampling.frequency: %g samples per second are too many; %g are taken",
                   frequency, most);
        frequency = most;
    }
    const SampleClock clock = start_sampling(frequency, options.stack_sampling_kernel_time);
    if (clock == SampleClock::none) {
        message_of(Speaker::machine,
                   "timers for sampling the program are not available (%s): functions without "
                   "hooks are not recorded",
                   std::strerror(errno));
        return;
    }
    if (clock == SampleClock::thread_time)
        message_of(
            Speaker::machine,
            "perf_event_open is not allowed here (see /proc/sys/kernel/perf_event_paranoid): "
            "samples are taken at kernel timer ticks, about 100 to 1000 per second");
    take_signal();
    auto period_ns = static_cast<std::uint64_t>(second / frequency);
    if (options.stack_sampling_max_cost > 0 && clock == SampleClock::user_code) {
        period_ns = affordable_period(options.stack_sampling_max_cost, period_ns);
        sample_every(period_ns);
    }
    sampling = {period_ns, clock, false};
    pthread_atfork(nullptr, nullptr, restart_thread_samples);
    begin_samples();
}

namespace {

bool allowed_beside_hooks;

// strace shows each signal, and debuggers may stop at signals.
bool is_traced() { return number_in_status("/proc/self/status", "TracerPid") != 0; }

// Sanitizers intercept all calls before us: the program would see our signal action as its own.
bool has_sanitizer() {
    return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init") ||
           dlsym(RTLD_DEFAULT, "__msan_init");
}

bool wanted_beside_hooks(const Options& options) {
    if (options.stack_sampling_frequency > 0 || options.stack_sampling_beside_hooks == "off" ||
        !options.overhead_corrected || !own_unwinder_knows_processor())
        return false;
    if (options.stack_sampling_beside_hooks == "on")
        return true;
    const bool is_thinned = options.timing != "exact" && !trace_settings.active;
    const bool traces_all = trace_settings.active && trace_settings.interval_ns == 0;
    const bool has_budget = options.overhead_budget > 0 && !traces_all;
    return (is_thinned || has_budget) && !runs_in_valgrind();
}

}  // namespace

void prepare_samples(const Options& options) {
    keep_addresses(options.stack_sampling_lines);
    allowed_beside_hooks = wanted_beside_hooks(options) && !has_sanitizer();
    if (allowed_beside_hooks)
        pthread_atfork(nullptr, nullptr, restart_thread_samples);
}

void start_samples_beside_hooks(const Options& options) {
    if (sampling.clock != SampleClock::none || !allowed_beside_hooks)
        return;
    if (options.stack_sampling_beside_hooks == "auto" && is_traced())
        return;
    std::uint64_t period_ns;
    const SampleClock clock = start_sampling_beside_hooks(period_ns);
    if (clock == SampleClock::none)
        return;
    sampling = {period_ns, clock, true};
    take_signal();
    begin_samples();
}

bool stop_samples() {
    // If sampling was not active, the handler stays for a signal that may still arrive, and does
    // nothing.
    const bool were_taken = stop_sampling();
    if (were_taken)
        give_signal_back(sampling_signal);
    return were_taken;
}

void resume_samples() {
    keep_signal(sampling_signal, on_signal, SA_RESTART);
    resume_sampling();
}

void leave_alternate_stacks_to_program(std::size_t bytes) {
    const bool was_ours = !alternate_stacks_are_left();
    leave_alternate_stacks(bytes < bytes_for_handler());
    if (was_ours && sampling.clock != SampleClock::none)
        sample_on_thread_stacks(bytes_for_handler());
}

void note_sampling(ProcessRecord& record) {
    record.sample_period_ns = sampling.period_ns;
    record.sample_clock = sampling.clock;
    record.sampled_beside_hooks = sampling.beside_hooks;
}

}  // namespace vftrace
