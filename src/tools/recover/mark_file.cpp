#include "recover/mark_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/core.h>

#include "base/descriptor.hpp"
#include "base/directories.hpp"
#include "base/file_name.hpp"
#include "base/text.hpp"
#include "record/mark_name.hpp"
#include "recover/running_process.hpp"
#include "recover/tree_files.hpp"

namespace vftrace {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
    throw TreeFileError(fmt::format("{}: {}", path, what));
}
[[noreturn]] void fail_by_errno(const std::string& path) { fail(path, std::strerror(errno)); }

// Opens a file, which must not be a symbolic link.
int opened(const std::string& path, int flags) {
    const int descriptor = open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0)
        fail_by_errno(path);
    return descriptor;
}

// A file with the owner `owner`, or one of another container, whose user is not ours even if the
// numbers are the same.
bool is_of_this_user(const std::string& tree_file, uid_t owner) {
    return owner == geteuid() && !tree_file.starts_with("/proc/");
}

// The mark for a tree file with this owner.
std::string mark_file_of(const std::string& tree_file, uid_t owner) {
    if (is_of_this_user(tree_file, owner))
        return tree_file + mark_suffix;
    const std::vector<std::string> directories = usual_directories("");
    if (directories.empty())
        fail(tree_file, "there is no directory for marks of other users' processes");
    return directories[0] + "/" + safe_file_name(base_name(tree_file), "vftrace") + mark_suffix;
}

int opened_directory(const std::string& path) {
    const int directory = open_directory(directory_of(path));
    if (directory < 0)
        fail_by_errno(directory_of(path));
    return directory;
}

// A file that is removed again unless it gets its name.
class PartFile {
  public:
    explicit PartFile(std::string final_path)
        : path_(std::move(final_path)), name_(base_name(path_)),
          part_(fmt::format("{}.{}.part", name_, getpid())), directory_(opened_directory(path_)),
          descriptor_(openat(directory_, part_.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)) {
        if (!descriptor_.is_open())
            fail_by_errno(path_);
    }
    ~PartFile() {
        if (!published_)
            unlinkat(directory_, part_.c_str(), 0);
    }
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    void write(std::uint64_t offset, const char* data, std::size_t bytes) const {
        for (std::size_t done = 0; done < bytes;) {
            const ssize_t length =
                pwrite(descriptor_, data + done, bytes - done, static_cast<off_t>(offset + done));
            if (length > 0)
                done += static_cast<std::size_t>(length);
            else if (length == 0 || errno != EINTR)
                fail_by_errno(path_);
        }
    }
    void finish(mode_t mode, std::uint64_t bytes) const {
        if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0 ||
            fchmod(descriptor_, mode & 0777) != 0)
            fail_by_errno(path_);
    }
    void publish() {
        if (renameat(directory_, part_.c_str(), directory_, name_.c_str()) != 0)
            fail_by_errno(path_);
        published_ = true;
    }

  private:
    std::string path_, name_, part_;
    Descriptor directory_, descriptor_;
    bool published_ = false;
};

// Tree files are mostly holes.
bool is_zero(const char* data, std::size_t bytes) {
    return bytes == 0 || (data[0] == 0 && std::memcmp(data, data + 1, bytes - 1) == 0);
}

// Copies up to `bytes` bytes, leaving out pieces that are zero. Returns how many bytes there were.
std::uint64_t copy_contents(int from, const std::string& path, std::uint64_t bytes,
                            const PartFile& to) {
    constexpr std::size_t piece = 64 * 1024, at_once = 16 * piece;
    std::vector<char> buffer(at_once);
    std::uint64_t done = 0;
    while (done < bytes) {
        const std::size_t wanted = std::min<std::uint64_t>(at_once, bytes - done);
        int error = 0;
        const std::size_t read = read_at(from, done, buffer.data(), wanted, error);
        if (error != 0)
            fail(path, std::strerror(error));
        if (read == 0)
            break;
        for (std::size_t i = 0; i < read; i += piece) {
            const std::size_t here = std::min(piece, read - i);
            if (!is_zero(buffer.data() + i, here))
                to.write(done + i, buffer.data() + i, here);
        }
        done += read;
    }
    return done;
}

void note_moment(ProcessRecord& record, std::int64_t pid) {
    record.latest = read_both_clocks();
    record.end_ticks = record.processor_ticks ? record.latest.ticks : record.latest.ns;
    record.end_unix_ns = unix_time_ns();
    record.processor_ns = processor_ns_of(pid);
}

bool is_of(const ProcessRecord& mark, const ProcessRecord& process) {
    return mark.pid == process.pid && mark.pid_namespace == process.pid_namespace &&
           mark.process_start == process.process_start && mark.address == process.address;
}

}  // namespace

std::string mark_file_of(const std::string& tree_file) {
    struct stat information;
    return mark_file_of(tree_file, stat(tree_file.c_str(), &information) == 0 ? information.st_uid
                                                                              : geteuid());
}

void write_mark(const std::string& tree_file, std::int64_t pid) {
    const Descriptor from(opened(tree_file, O_RDONLY | O_NONBLOCK | O_NOCTTY));
    // Data added to the file while it is being read is not described by its head, so it is left
    // out.
    ProcessRecord record =
        FileImage::of_descriptor(from, tree_file, sizeof(ProcessRecord)).record();
    if (record.state != ProcessState::running)
        throw TreeFileError(fmt::format("{}: is about to end", pid));
    struct stat information;
    if (fstat(from, &information) != 0)
        fail_by_errno(tree_file);
    if (static_cast<std::uint64_t>(information.st_size) < record.file_bytes)
        fail(tree_file, "is truncated");
    const std::string name = mark_file_of(tree_file, information.st_uid);
    const bool is_own = is_of_this_user(tree_file, information.st_uid);
    PartFile copy(name);
    if (copy_contents(from, tree_file, record.file_bytes, copy) < record.file_bytes)
        fail(tree_file, "is truncated");
    note_moment(record, pid);
    copy.write(0, reinterpret_cast<const char*>(&record), sizeof record);
    copy.finish(is_own ? information.st_mode : 0600, record.file_bytes);
    copy.publish();
    // The process may have ended in the meantime and removed its files.
    if (access(tree_file.c_str(), F_OK) != 0) {
        remove_own_file(name);
        throw TreeFileError(fmt::format("{}: has ended", pid));
    }
}

FileImage read_mark(const std::string& tree_file, const ProcessRecord& process) {
    const std::string name = mark_file_of(tree_file);
    if (access(name.c_str(), F_OK) != 0)
        throw TreeFileError(
            fmt::format("{0}: does not have a mark; vftrace mark {0} sets one", process.pid));
    const Descriptor file(opened(name, O_RDONLY | O_NONBLOCK | O_NOCTTY));
    struct stat information;
    if (fstat(file, &information) != 0)
        fail_by_errno(name);
    if (information.st_uid != geteuid())
        fail(name, "belongs to another user");
    FileImage image = FileImage::of_descriptor(file, name);
    if (!is_of(image.record(), process))
        throw TreeFileError(fmt::format("{}: is the mark of an earlier process with the same id; "
                                        "vftrace mark {} sets a new one",
                                        name, process.pid));
    if (image.size() < image.record().file_bytes)
        fail(name, "is truncated");
    return image;
}

bool has_mark(const std::string& tree_file, const ProcessRecord& process) {
    try {
        return is_of(FileImage::of_file(mark_file_of(tree_file), sizeof(ProcessRecord)).record(),
                     process);
    } catch (const TreeFileError&) {
        return false;
    }
}

std::optional<MarkStamp> mark_stamp(const char* mark_file) {
    struct stat information;
    if (lstat(mark_file, &information) != 0 || !S_ISREG(information.st_mode) ||
        information.st_uid != geteuid())
        return std::nullopt;
    return MarkStamp{information.st_ino,
                     static_cast<std::int64_t>(information.st_mtim.tv_sec) * 1'000'000'000 +
                         information.st_mtim.tv_nsec};
}

void remove_mark(const std::string& tree_file) { remove_own_file(mark_file_of(tree_file)); }

void remove_stale_marks(const std::vector<std::string>& directories) {
    for (const TreeFile& mark : find_marks(directories))
        if (!mark.running && !mark.elsewhere && mark.problem.empty() &&
            access(mark.path.substr(0, mark.path.rfind('.')).c_str(), F_OK) != 0)
            remove_own_file(mark.path);
}

}  // namespace vftrace
