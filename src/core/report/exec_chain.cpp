#include "report/exec_chain.hpp"

#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "report/text_log.hpp"

namespace vftrace {
namespace {

std::int64_t process_start_unix_ns(const Writer& writer) {
    timespec since_boot;
    clock_gettime(CLOCK_BOOTTIME, &since_boot);
    const std::int64_t second = 1'000'000'000,
                       now = since_boot.tv_sec * second + since_boot.tv_nsec;
    const auto ticks_a_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
    const auto start = static_cast<std::int64_t>(writer.process_start / ticks_a_second) * second +
                       static_cast<std::int64_t>(writer.process_start % ticks_a_second) * second /
                           static_cast<std::int64_t>(ticks_a_second);
    return unix_time_ns() - (now - start);
}

// Whether it was written while the process was an earlier program. The process id alone is not
// enough: in a container it may be the same in every run.
bool is_of_that_time(const std::string& path, const Writer& writer, const OutputFolder& folder) {
    struct stat information;
    if (fstatat(folder.descriptor, path.c_str(), &information, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(information.st_mode))
        return false;
    const std::int64_t written =
        information.st_mtim.tv_sec * 1'000'000'000 + information.st_mtim.tv_nsec;
    return written >= process_start_unix_ns(writer) && written < writer.program_start_unix_ns;
}

bool says_exec(const std::string& path, const Writer& writer, const OutputFolder& folder) {
    char text[8192];
    const int file = openat(folder.descriptor, path.c_str(),
                            O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return false;
    const ssize_t bytes = read(file, text, sizeof text);
    close(file);
    const std::string_view head(text, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return head.find(exec_end_text(writer.pid) + "\n") != head.npos;
}

bool is_of_earlier_program(const std::string& path, const Writer& writer,
                           const OutputFolder& folder) {
    return is_of_that_time(path, writer, folder) && says_exec(path, writer, folder);
}

void rename_in(const OutputFolder& folder, const std::string& name, const std::string& new_name) {
    renameat(folder.descriptor, name.c_str(), folder.descriptor, new_name.c_str());
}

// The suffixes of files that belong together.
std::vector<std::string> files_next_to(const std::string& first_file) {
    std::vector<std::string> names;
    const std::string stem = first_file.substr(0, first_file.find('.'));
    for (const std::string& of : {stem, std::string("0")}) {
        names.push_back(of + ".json");
        names.push_back(of + ".vfd");
        for (const std::string& log : log_names(of))
            names.push_back(log);
    }
    return names;
}

}  // namespace

std::string exec_end_text(std::int64_t pid) {
    return format("exec: process %lld continued as another program", static_cast<long long>(pid));
}

bool keep_files_of_earlier_program(const std::string& base, const std::string& first_file,
                                   const Writer& writer, const OutputFolder& folder) {
    if (!is_of_earlier_program(base + first_file, writer, folder))
        return false;
    std::string kept;
    for (int number = 1;; number++) {
        kept = base + format("exec%d_", number);
        if (!is_of_earlier_program(kept + first_file, writer, folder))
            break;
    }
    for (const std::string& name : files_next_to(first_file))
        if (name != first_file && is_of_that_time(base + name, writer, folder))
            rename_in(folder, base + name, kept + name);
    // Renamed last, because it shows that there is something to keep.
    rename_in(folder, base + first_file, kept + first_file);
    return true;
}

}  // namespace vftrace
