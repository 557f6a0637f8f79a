#include "lifecycle/output_names.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directories.hpp"
#include "base/launcher.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "config/run_folder.hpp"

namespace vftrace {
namespace {

std::string working_directory() {
    char path[PATH_MAX];
    return getcwd(path, sizeof path) ? path : ".";
}

std::string absolute(const std::string& path) {
    return path.starts_with('/') ? path : working_directory() + "/" + path;
}

// A missing directory is created only when there is something to put into it, because the program
// may create it itself. Errors are reported now, while the user can still react.
std::string usable_directory(const std::string& wanted) {
    const std::string here = working_directory();
    std::string directory = wanted == "." ? here : absolute(wanted);
    const int error = check_new_files(directory);
    if (error == 0)
        return directory;
    struct stat information;
    if (stat(directory.c_str(), &information) == 0 && !S_ISDIR(information.st_mode))
        message_of(Speaker::machine, "%s is not a valid directory", wanted.c_str());
    else if (directory != here)
        message_of(Speaker::machine, "%s: %s", wanted.c_str(), std::strerror(error));
    const int error_here = check_new_files(here);
    if (error_here != 0)
        message_of(Speaker::machine, "cannot write files to %s: %s", here.c_str(),
                   std::strerror(error_here));
    else
        message_of(Speaker::machine,
                   "output_directory cannot be used; files go to the working directory");
    return error_here == 0 ? here : directory;
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
    for (const Launcher& launcher : launchers) {
        const char* rank = std::getenv(launcher.rank);
        const char* size = launcher.size ? std::getenv(launcher.size) : nullptr;
        if (rank && size && std::atol(size) > 1)
            return format("_task%ld", std::atol(rank));
    }
    return "";
}

std::string output_directory(const Options& options, const std::string& run_name) {
    const std::string& wanted = options.output_directory;
    if (is_run_folder(wanted))
        return usable_directory(directory_of_runs(wanted)) + "/" + run_name;
    return usable_directory(wanted);
}

std::string output_base(const std::string& directory, const Options& options,
                        const std::string& application) {
    std::string name = options.outfile_basename.value_or(application);
    if (name.find('/') != std::string::npos) {
        struct stat information;
        std::string whole = directory + "/" + name;
        std::string parent = whole.substr(0, whole.rfind('/'));
        if (stat(parent.c_str(), &information) != 0 || !S_ISDIR(information.st_mode)) {
            message_of(Speaker::machine,
                       "outfile_basename \"%s\": no directory %s; files are named after the "
                       "program",
                       name.c_str(), parent.c_str());
            name = application;
        }
    }
    return directory + "/" + name;
}

}  // namespace vftrace
