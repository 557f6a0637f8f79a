// What the launcher of a job (mpirun, srun) passes to each process in environment variables. The
// rank is known from them before MPI_Init, and in programs that never call it. All is
// async-signal-safe.
#pragma once

#include <unistd.h>

namespace vftrace {

// The environment variables of one launcher.
struct Launcher {
    const char* rank;
    const char* size;        // number of ranks; nullptr: unknown
    const char* local_rank;  // among the ranks on the same machine; nullptr: unknown
};
inline constexpr Launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMIX_RANK", nullptr, nullptr},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}};

// The value of a variable in an environment, nullptr if it is not there.
const char* value_in(char* const* environment, const char* name);

// The rank of the process that has this environment, as its launcher numbers them; nullptr if no
// launcher has set it.
const char* launcher_rank(char* const* environment);

// Which of several processes prints a message that all would print.
enum class Speaker {
    job,     // the first rank of each program of the job: what is wrong with its configuration
    machine  // the first rank on each machine: what depends on directories or the system there
};

// Whether the process that has this environment is the one; true without per launcher.
bool is_speaker(Speaker speaker, char* const* environment = environ);

}  // namespace vftrace
