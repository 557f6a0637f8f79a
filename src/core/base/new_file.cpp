#include "base/new_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/links.hpp"
#include "base/size_limit.hpp"
#include "base/text.hpp"

namespace vftrace {
namespace {

NewFile* unfinished;

// A program may run with descriptors 0 to 2 closed. Our file must not become its stdout.
int above_streams(int descriptor) {
    if (descriptor < 0 || descriptor > STDERR_FILENO)
        return descriptor;
    const int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int saved_errno = errno;
    close(descriptor);
    errno = saved_errno;
    return higher;
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? "" : path.substr(0, slash + 1);
}

// Whether an opened file is still the special one, or the existing one without other names, that
// was found: somebody may have replaced it by a way to a different file.
bool may_be_overwritten(int descriptor, bool is_regular) {
    struct stat information;
    return fstat(descriptor, &information) == 0 && S_ISREG(information.st_mode) == is_regular &&
           (!is_regular || information.st_nlink == 1);
}

}  // namespace

std::string part_prefix(std::int64_t pid) {
    return format(".vftrace-%lld-", static_cast<long long>(pid));
}

std::unique_ptr<NewFile> NewFile::create(const std::string& path) {
    std::unique_ptr<NewFile> file(new NewFile(path));
    file->open();
    return file;
}

std::unique_ptr<NewFile> NewFile::create_in(const OutputFolder& folder, const std::string& name) {
    std::unique_ptr<NewFile> file(new NewFile(folder.path + name));
    file->folder_ = folder.descriptor;
    file->target_ = name;
    if (name.find('/') != name.npos)
        file->keep_failure(EACCES);
    else
        file->open_in_folder();
    return file;
}

NewFile::NewFile(const std::string& path) : path_(path), process_(getpid()) {
    next_ = unfinished;
    unfinished = this;
}

void NewFile::open() {
    if (const std::optional<std::string> target = behind_links(path_))
        target_ = *target;
    else
        return keep_failure(errno);
    struct stat there, behind;
    const bool exists = lstat(target_.c_str(), &there) == 0;
    const bool is_replaced = exists && S_ISREG(there.st_mode);
    const bool is_link = exists && S_ISLNK(there.st_mode);  // a link that may not be followed
    if (!is_link && stat(path_.c_str(), &behind) == 0 && !S_ISREG(behind.st_mode)) {
        is_regular_ = false;
        target_ = path_;  // the text of links in /proc/self/fd is not a path
        return open_in_place(S_ISFIFO(behind.st_mode) ? O_NONBLOCK : 0);
    }
    if (only_own_links_are_followed()) {
        if (hold_folder())
            open_in_folder();
        return;
    }
    open_part();
    if (descriptor_ >= 0 && is_replaced && there.st_uid == geteuid())
        fchmod(descriptor_, there.st_mode & 0777);
    else if (descriptor_ < 0 && is_replaced && (error_ == EACCES || error_ == EPERM))
        open_in_place(O_NOFOLLOW);
}

bool NewFile::hold_folder() {
    folder_ = open_directory(directory_of(target_));
    owns_folder_ = folder_ >= 0;
    target_ = base_name(target_);
    if (!owns_folder_)
        keep_failure(errno);
    return owns_folder_;
}

void NewFile::open_in_folder() {
    struct stat there;
    const bool is_replaced = fstatat(folder_, target_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
                             S_ISREG(there.st_mode) && there.st_uid == geteuid();
    open_part();
    if (descriptor_ >= 0 && is_replaced)
        fchmod(descriptor_, there.st_mode & 0777);
    else if (descriptor_ < 0 && is_replaced && (error_ == EACCES || error_ == EPERM))
        open_in_place(O_NOFOLLOW);
}

NewFile::~NewFile() {
    drop();
    if (owns_folder_)
        close(folder_);
    for (NewFile** link = &unfinished; *link; link = &(*link)->next_)
        if (*link == this) {
            *link = next_;
            break;
        }
}

void NewFile::open_part() {
    static unsigned made;
    const std::string prefix = folder_of(target_) + part_prefix(process_);
    constexpr int most_attempts = 1000;  // in case names are in use
    for (int attempt = 0; attempt < most_attempts; attempt++) {
        part_ = prefix + format("%u.part", made++);
        descriptor_ = above_streams(openat(
            folder_, part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
        if (descriptor_ >= 0 || errno != EEXIST)
            break;
    }
    if (descriptor_ >= 0)
        return;
    keep_failure(errno);
    part_.clear();
}

void NewFile::open_in_place(int flags) {
    error_ = 0;
    descriptor_ =
        above_streams(openat(folder_, target_.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | flags));
    if (descriptor_ < 0)
        return keep_failure(errno);
    if (!may_be_overwritten(descriptor_, is_regular_)) {
        close(descriptor_);
        descriptor_ = -1;
        return keep_failure(EACCES);
    }
    if (is_regular_ && ftruncate(descriptor_, 0) != 0)
        keep_failure(errno);
    if (flags & O_NONBLOCK)  // was needed for a pipe without a reader
        fcntl(descriptor_, F_SETFL, O_WRONLY);
}

void NewFile::keep_failure(int error) {
    if (error_ == 0)
        error_ = error;
}

void NewFile::write_at(std::uint64_t offset, const char* data, std::size_t bytes) {
    while (bytes > 0 && error_ == 0) {
        const ssize_t length = write_within_limit([&] {
            return is_regular_ ? pwrite(descriptor_, data, bytes, static_cast<off_t>(offset))
                               : ::write(descriptor_, data, bytes);
        });
        if (length > 0) {
            data += length;
            offset += static_cast<std::uint64_t>(length);
            bytes -= static_cast<std::size_t>(length);
        } else if (length == 0 || errno != EINTR) {
            keep_failure(length == 0 ? EIO : errno);
        }
    }
}

void NewFile::append(std::string_view data) {
    write_at(appended_, data.data(), data.size());
    appended_ += data.size();
}

int NewFile::finish() {
    if (descriptor_ < 0)
        return error_;
    if (part_.empty() && is_regular_ && error_ != 0 && ftruncate(descriptor_, 0) != 0)
        keep_failure(errno);
    // Some file systems report only at this point that they are full.
    if (close(descriptor_) != 0 && errno != EINTR)
        keep_failure(errno);
    descriptor_ = -1;
    return error_;
}

int NewFile::publish() {
    finish();
    if (published_)
        return error_;
    if (error_ == 0 && !part_.empty() &&
        renameat(folder_, part_.c_str(), folder_, target_.c_str()) != 0)
        keep_failure(errno);
    if (error_ == 0)
        published_ = true;
    else
        drop();
    return error_;
}

void NewFile::drop() {
    if (descriptor_ >= 0) {
        if (!published_ && part_.empty())
            keep_failure(ECANCELED);
        finish();
    }
    if (!published_ && !part_.empty() && process_ == getpid())
        unlinkat(folder_, part_.c_str(), 0);
    part_.clear();
}

void drop_unfinished_files() {
    for (NewFile* file = unfinished; file; file = file->next_)
        file->drop();
    unfinished = nullptr;
}

std::unique_ptr<NewFile> NewFiles::create(const std::string& name) const {
    return folder_.descriptor == AT_FDCWD ? NewFile::create(name)
                                          : NewFile::create_in(folder_, name);
}

void NewFiles::add(std::unique_ptr<NewFile> file) {
    note(*file, file->finish());
    files_.push_back(std::move(file));
}

const FileFailure& NewFiles::publish() {
    for (const std::unique_ptr<NewFile>& file : files_) {
        const int error = file->publish();
        note(*file, error);
        if (error == 0)
            paths_.push_back(file->path());
    }
    files_.clear();
    return failure_;
}

void NewFiles::note(const NewFile& file, int error) {
    if (error != 0 && failure_.error == 0)
        failure_ = {error, file.path()};
}

}  // namespace vftrace
