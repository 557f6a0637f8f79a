// Where the files of a run go, so that no other run's files are lost.
#include "lifecycle/output_names.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.hpp"
#include "base/text.hpp"

namespace vftrace {
namespace {

std::string working_directory() {
    char path[PATH_MAX];
    return getcwd(path, sizeof path) ? path : ".";
}

std::string absolute(const std::string& path) {
    return path.starts_with('/') ? path : working_directory() + "/" + path;
}

std::string output_directory(const std::string& wanted) {
    struct stat information;
    if (wanted == ".")
        return working_directory();
    if (stat(wanted.c_str(), &information) != 0)
        message_verbatim("%s: %s", wanted.c_str(), std::strerror(errno));
    else if (!S_ISDIR(information.st_mode))
        message_verbatim("%s is not a valid directory", wanted.c_str());
    else
        return absolute(wanted);
    message("output_directory cannot be used; files go to the working directory");
    return working_directory();
}

}  // namespace

std::string job_name() {
    if (const char* job = std::getenv("PMIX_NAMESPACE"))
        return job;
    const char* job = std::getenv("SLURM_JOB_ID");
    const char* step = std::getenv("SLURM_STEP_ID");
    return job ? format("%s.%s", job, step ? step : "") : "";
}

std::string task_suffix() {
    struct Launcher {
        const char *rank, *size;
    };
    constexpr Launcher launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                      {"PMI_RANK", "PMI_SIZE"},
                                      {"SLURM_PROCID", "SLURM_NTASKS"}};
    for (const Launcher& launcher : launchers) {
        const char* rank = std::getenv(launcher.rank);
        const char* size = std::getenv(launcher.size);
        if (rank && size && std::atol(size) > 1)
            return format("_task%ld", std::atol(rank));
    }
    return "";
}

std::string output_base(const Options& options, const std::string& application) {
    std::string directory = output_directory(options.output_directory);
    std::string name = options.outfile_basename.value_or(application);
    if (name.find('/') != std::string::npos) {
        struct stat information;
        std::string whole = directory + "/" + name;
        std::string parent = whole.substr(0, whole.rfind('/'));
        if (stat(parent.c_str(), &information) != 0 || !S_ISDIR(information.st_mode)) {
            message("outfile_basename \"%s\": there is no directory %s; files are named after the "
                    "program",
                    name.c_str(), parent.c_str());
            name = application;
        }
    }
    return directory + "/" + name;
}

}  // namespace vftrace
