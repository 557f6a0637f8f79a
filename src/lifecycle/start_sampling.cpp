// Whether the program is sampled, and what that needs of the process.
#include "lifecycle/start_sampling.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <string_view>

#include "base/message.hpp"
#include "lifecycle/signal_actions.hpp"
#include "lifecycle/signals.hpp"
#include "sampling/sampling.hpp"
#include "tree/sampling_calls.hpp"

namespace vftrace {
namespace {

// Programs that start the one that is meant. With hooks they would have no events; everything has
// samples.
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

// "mpirun.openmpi" is mpirun.
bool is_starter(std::string_view program) {
    program = program.substr(0, program.find('.'));
    return std::find(std::begin(starters), std::end(starters), program) != std::end(starters);
}

struct Sampling {
    std::uint64_t period_ns;
    SampleClock clock;
} sampling;

void on_signal(int number, siginfo_t* information, void* context) {
    if (on_sampling_signal(*information, context))
        return;
    const struct sigaction program = action_of_program(number);
    if (program.sa_handler == SIG_IGN)
        return;
    if (program.sa_handler == SIG_DFL)
        return die_of_signal(number, information, context);
    if (program.sa_flags & SA_SIGINFO)
        return program.sa_sigaction(number, information, context);
    program.sa_handler(number);
}

}  // namespace

void start_samples(const Options& options, const char* program) {
    constexpr double most = 10000, second = 1e9;
    double frequency = options.stack_sampling_frequency;
    if (!(frequency > 0) || is_starter(program))
        return;
    if (!sampling_is_possible()) {
        message("stack_sampling.frequency: this library cannot sample on this kind of processor; "
                "functions without hooks are not seen");
        return;
    }
    if (frequency > most) {
        message("stack_sampling.frequency: %g samples a second are too many; %g are taken",
                frequency, most);
        frequency = most;
    }
    const SampleClock clock = start_sampling(frequency);
    if (clock == SampleClock::none) {
        message("there are no timers to sample the program with (%s): functions without hooks are "
                "not seen",
                std::strerror(errno));
        return;
    }
    if (clock == SampleClock::thread_time)
        message("perf_event_open is not allowed here (see /proc/sys/kernel/perf_event_paranoid): "
                "samples are taken with the ticks of the kernel, some 100 to 1000 a second");
    sampling = {static_cast<std::uint64_t>(second / frequency), clock};
    keep_signal(sampling_signal, on_signal, SA_RESTART);
    pthread_atfork(nullptr, nullptr, restart_thread_samples);
    sampling_calls->thread_begins();
}

void note_sampling(ProcessRecord& record) {
    record.sample_period_ns = sampling.period_ns;
    record.sample_clock = static_cast<std::uint8_t>(sampling.clock);
}

}  // namespace vftrace
