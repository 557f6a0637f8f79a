#include "recover/tree_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/directories.hpp"
#include "base/text.hpp"
#include "record/mark_name.hpp"
#include "recover/file_image.hpp"
#include "recover/running_process.hpp"

namespace vftrace {
namespace {

namespace fs = std::filesystem;

// The names of programs are near the beginning.
constexpr std::size_t bytes_for_description = 1 << 20;

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= 0
               ? std::optional(value)
               : std::nullopt;
}

// A process may be about to fill its file, also one in a container, whose number says nothing here.
bool may_be_starting(const TreeFile& file) {
    constexpr std::int64_t longest_start_ns = 60'000'000'000;
    return runs_since(file.pid, file.changed_unix_ns) ||
           unix_time_ns() - file.changed_unix_ns < longest_start_ns;
}

void describe(TreeFile& file) {
    try {
        if (is_empty_tree_file(file.path)) {
            file.empty = true;
            file.pid = pid_in_tree_file_name(base_name(file.path)).value_or(0);
            file.running = may_be_starting(file);
            file.problem = nothing_in_tree_file;
            return;
        }
        const FileImage image = FileImage::of_file(file.path, bytes_for_description);
        const ProcessRecord& record = image.record();
        file.pid = record.pid;
        constexpr std::size_t longest_name = 4096;
        file.application = image.text(record.application, longest_name).value_or("?");
        file.elsewhere =
            is_elsewhere(record, std::string(image.text(record.host, longest_name).value_or("")));
        file.running = !file.elsewhere && still_runs(record);
    } catch (const TreeFileError& error) {
        file.problem = error.what();
    }
}

}  // namespace

std::optional<std::int64_t> pid_in_tree_file_name(std::string_view name) {
    constexpr std::string_view prefix = "vftrace-", suffix = ".tree";
    if (!name.starts_with(prefix) || !name.ends_with(suffix))
        return std::nullopt;
    name.remove_prefix(prefix.size());
    name.remove_suffix(std::min(suffix.size(), name.size()));
    const std::vector<std::string_view> parts = split(name, '-');
    if (parts.size() != 3 || !number(parts[0]))
        return std::nullopt;
    return number(parts[1]);
}

bool describe_own_file(TreeFile& file) {
    struct stat information;
    if (lstat(file.path.c_str(), &information) != 0 || !S_ISREG(information.st_mode) ||
        information.st_uid != geteuid())
        return false;
    file.bytes = static_cast<std::uint64_t>(information.st_blocks) * 512;
    file.changed_unix_ns = static_cast<std::int64_t>(information.st_mtim.tv_sec) * 1'000'000'000 +
                           information.st_mtim.tv_nsec;
    return true;
}

std::vector<std::string> usual_directories(const std::string& configured) {
    const char* temporary = std::getenv("TMPDIR");
    std::vector<std::string> directories;
    for (const std::string& directory : {configured, std::string(temporary ? temporary : ""),
                                         std::string("/tmp"), std::string("/dev/shm")}) {
        std::error_code error;
        const bool known =
            std::any_of(directories.begin(), directories.end(), [&](const std::string& other) {
                return fs::equivalent(directory, other, error);
            });
        if (!known && fs::is_directory(directory, error))
            directories.push_back(directory);
    }
    return directories;
}

// The files with the names of tree files and this suffix.
static std::vector<TreeFile> find_files(const std::vector<std::string>& directories,
                                        std::string_view suffix) {
    std::vector<TreeFile> files;
    for (const std::string& directory : directories) {
        std::error_code error;
        for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
             entry.increment(error)) {
            TreeFile file;
            file.path = entry->path().string();
            std::string_view name = base_name(file.path);
            if (!name.ends_with(suffix))
                continue;
            name.remove_suffix(suffix.size());
            if (!pid_in_tree_file_name(name) || !describe_own_file(file))
                continue;
            describe(file);
            files.push_back(std::move(file));
        }
    }
    std::sort(files.begin(), files.end(),
              [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; });
    return files;
}

std::vector<TreeFile> find_tree_files(const std::vector<std::string>& directories) {
    return find_files(directories, "");
}

std::vector<TreeFile> find_marks(const std::vector<std::string>& directories) {
    return find_files(directories, mark_suffix);
}

int remove_own_file(const std::string& path) {
    const Descriptor directory(open_directory(directory_of(path)));
    const std::string name(base_name(path));
    struct stat information;
    if (!directory.is_open() ||
        fstatat(directory, name.c_str(), &information, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : errno;
    if (information.st_uid != geteuid())
        return EPERM;
    return unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT ? 0 : errno;
}

}  // namespace vftrace
