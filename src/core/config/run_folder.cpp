#include "config/run_folder.hpp"

#include <charconv>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/kernel_files.hpp"
#include "base/text.hpp"
#include "config/job_step.hpp"

namespace vftrace {
namespace {

constexpr std::string_view request = "@auto";

// The text as part of a file name that does not need quoting.
std::string plain(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '.' || c == '_' || c == '+' || c == '-'))
            c = '_';
    return result;
}

// Does not use localtime() or gmtime(): they would read TZ, which the program may set later.
std::string date_and_time(std::int64_t unix_seconds) {
    using namespace std::chrono;
    const sys_seconds moment{seconds(unix_seconds)};
    const sys_days day = floor<days>(moment);
    const year_month_day date(day);
    const hh_mm_ss time(moment - day);
    return format("%04d%02u%02uT%02d%02d%02dZ", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
}

// When a process was started, in seconds since 1970; 0 if that cannot be determined.
std::int64_t start_of_process(pid_t process) {
    const auto ticks = static_cast<std::int64_t>(process_start(process));
    timespec since_boot;
    const long ticks_a_second = sysconf(_SC_CLK_TCK);
    if (ticks <= 0 || ticks_a_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0)
        return 0;
    const std::int64_t ns = 1'000'000'000,
                       boot_ns = unix_time_ns() - since_boot.tv_sec * ns - since_boot.tv_nsec;
    return (boot_ns + ns / 2 + ticks * (ns / ticks_a_second)) / ns;
}

// The parent represents processes that a launcher started together: on one host they have the same
// parent.
std::string time_and_process(bool of_parent) {
    const std::int64_t parents_start = of_parent ? start_of_process(getppid()) : 0;
    if (parents_start > 0)
        return format("%s-%ld", date_and_time(parents_start).c_str(), static_cast<long>(getppid()));
    return format("%s-%ld", date_and_time(unix_time_ns() / 1'000'000'000).c_str(),
                  static_cast<long>(getpid()));
}

// Makes the path of a link, or of the name under which it is created first, so that the link exists
// at all times.
bool name_beside(const char* folder, const char* name, char (&path)[PATH_MAX]) {
    const std::string_view whole = folder;
    const std::size_t directory = whole.rfind('/') + 1;  // or 0
    const int length =
        std::snprintf(path, sizeof path, "%.*s%s", static_cast<int>(directory), folder, name);
    return length > 0 && static_cast<std::size_t>(length) < sizeof path;
}

void link_as_latest(const char* folder) {
    const char* const slash = std::strrchr(folder, '/');
    const char* const name = slash ? slash + 1 : folder;
    char link[PATH_MAX], another[PATH_MAX], own_name[40];
    std::snprintf(own_name, sizeof own_name, ".latest-%ld", static_cast<long>(getpid()));
    struct stat information;
    if (!name_beside(folder, "latest", link) || !name_beside(folder, own_name, another) ||
        (lstat(link, &information) == 0 && !S_ISLNK(information.st_mode)))
        return;
    char target[PATH_MAX];
    const ssize_t length = readlink(link, target, sizeof target);
    if (length > 0 && std::string_view(target, static_cast<std::size_t>(length)) == name)
        return;
    if (symlink(name, another) == 0 && rename(another, link) != 0)
        unlink(another);
}

}  // namespace

bool is_run_folder(std::string_view output_directory) {
    return base_name(output_directory) == request;
}

RunName run_name(std::string_view program) {
    const char* const handed_on = secure_getenv(run_name_variable);
    if (handed_on && *handed_on && plain(handed_on) == handed_on && *handed_on != '.')
        return {handed_on, true};
    const bool one_of_several = is_one_of_several();
    const std::string step = one_of_several ? launcher_step() : "";
    const std::string job = batch_job();
    std::string text(program);
    if (!job.empty() && !step.starts_with(job))
        text += "-" + job;
    text += "-" + (step.empty() ? time_and_process(one_of_several) : step);
    return {plain(text), !one_of_several || !step.empty()};
}

std::string directory_of_runs(std::string_view output_directory) {
    output_directory.remove_suffix(request.size());
    while (output_directory.size() > 1 && output_directory.ends_with('/'))
        output_directory.remove_suffix(1);
    return output_directory.empty() ? "." : std::string(output_directory);
}

void make_run_folder(const char* folder) {
    mkdir(folder, 0777);  // errors are reported when files are written
    link_as_latest(folder);
}

}  // namespace vftrace
