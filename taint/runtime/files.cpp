// Where the result is written.
#include "taint/runtime/files.hpp"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include "base/launcher.hpp"
#include "taint/runtime/memory.hpp"
#include "taint/runtime/parameters.hpp"

namespace vftrace::taint {
namespace {

char start_directory[PATH_MAX] = ".";
char program_name[PATH_MAX];
char folder[2 * PATH_MAX];
char path[4 * PATH_MAX];
char rank[32];
char ranks[32];

void copy(char* to, std::size_t size, const char* from) { std::snprintf(to, size, "%s", from); }

// Names that have been cut off turn out to be too long when a file is opened.
void copy_absolute(char* to, std::size_t size, const char* from) {
    const bool relative = *from != '/';
    const int length = relative ? std::snprintf(to, size, "%s/", start_directory) : 0;
    copy(to + length, size - static_cast<std::size_t>(length), from);
}

}  // namespace

const char* working_directory() { return start_directory; }

const char* application() { return program_name; }

const char* rank_of_launcher() { return *rank ? rank : nullptr; }

const char* ranks_of_launcher() { return *ranks ? ranks : nullptr; }

const char* result_path() { return path; }

void make_result_folder() {
    for (char* slash = folder + 1; *folder != '\0'; *slash++ = '/') {
        slash = std::strchr(slash, '/');
        if (!slash) {
            mkdir(folder, 0777);
            return;
        }
        *slash = '\0';
        mkdir(folder, 0777);
    }
}

void start_files() {
    if (!getcwd(start_directory, sizeof start_directory))
        copy(start_directory, sizeof start_directory, ".");
    const ssize_t length = readlink("/proc/self/exe", program_name, sizeof program_name - 1);
    program_name[length < 0 ? 0 : length] = '\0';
    if (const char* slash = std::strrchr(program_name, '/'))
        std::memmove(program_name, slash + 1, std::strlen(slash));
    for (const Launcher& launcher : launchers) {
        const char* own = std::getenv(launcher.rank);
        if (!own)
            continue;
        copy(rank, sizeof rank, own);
        if (const char* all = launcher.size ? std::getenv(launcher.size) : nullptr)
            copy(ranks, sizeof ranks, all);
        break;
    }
    const char* directory = std::getenv("VFTR_OUTPUT_DIRECTORY");
    if (!directory || !*directory || std::strcmp(directory, ".") == 0)
        copy(folder, sizeof folder, start_directory);
    else
        copy_absolute(folder, sizeof folder, directory);
    const char* base = std::getenv("VFTR_OUTFILE_BASENAME");
    if (!base || !*base)
        base = program_name;
    const bool of_rank = uses_mpi() && rank_of_launcher();
    if (std::snprintf(path, sizeof path, "%s/%s%s%s.parameters.json", folder, base,
                      of_rank ? "_" : "", of_rank ? rank : "") >= PATH_MAX)
        message("the name of the result is too long");
}

}  // namespace vftrace::taint
