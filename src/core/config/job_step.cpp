#include "config/job_step.hpp"

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "base/launcher.hpp"

namespace vftrace {

static std::string variable(char* const* environment, const char* name) {
    const char* value = value_in(environment, name);
    return value ? value : "";
}

// Slurm has special steps that do not consist of ranks: the batch script, an interactive shell.
// They also have the variables of a rank.
static std::string slurm_step(char* const* environment) {
    constexpr std::uint64_t first_special_step = 0xfffffff0;
    const std::string job = variable(environment, "SLURM_JOB_ID"),
                      step = variable(environment, "SLURM_STEP_ID");
    const bool is_step = !job.empty() && !step.empty() &&
                         std::strtoull(step.c_str(), nullptr, 10) < first_special_step;
    return is_step ? job + "." + step : "";
}

bool is_one_of_several(char* const* environment) {
    struct Variables {
        const char *rank, *size;
    };
    for (const Variables& launcher : {Variables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                      {"PMI_RANK", "PMI_SIZE"},
                                      {"PALS_RANKID", "PALS_SIZE"},
                                      {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
                                      {"SLURM_PROCID", "SLURM_NTASKS"}})
        if (!variable(environment, launcher.rank).empty() &&
            std::atol(variable(environment, launcher.size).c_str()) > 1 &&
            (launcher.rank != std::string_view("SLURM_PROCID") || !slurm_step(environment).empty()))
            return true;
    return false;
}

std::string launcher_step(char* const* environment) {
    for (const char* name : {"PMIX_NAMESPACE", "PALS_APID", "ALPS_APP_ID"})
        if (std::string step = variable(environment, name); !step.empty())
            return step;
    std::string step = slurm_step(environment);
    return step.empty() ? variable(environment, "FLUX_JOB_ID") : step;
}

std::string batch_job(char* const* environment) {
    for (const char* name :
         {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "COBALT_JOBID"})
        if (std::string job = variable(environment, name); !job.empty())
            return job;
    return "";
}

}  // namespace vftrace
