// What the launcher of a job (mpirun, srun) passes to each process in environment variables. They
// show the rank even before MPI_Init, and in programs that never call it. Everything here is
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

// The value of a variable in an environment; nullptr if it is not set.
const char* value_in(char* const* environment, const char* name);

// The rank of the process that has this environment, as numbered by its launcher; nullptr if no
// launcher has set it.
const char* launcher_rank(char* const* environment);

// Selects the process that prints a message that all of several processes would print.
enum class Speaker {
    job,     // the first rank of each program of the job: for errors in its configuration
    machine  // the first rank on each machine: for what depends on directories or the system there
};

// Whether the process that has this environment is the speaker; true without a launcher.
bool is_speaker(Speaker speaker, char* const* environment = environ);

}  // namespace vftrace
