#include "files/open_files.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "base/prepend.hpp"
#include "base/relaxed.hpp"
#include "base/text_hash.hpp"
#include "guest/bounded_lock.hpp"
#include "tree/own_record.hpp"

namespace vftrace {

std::uint32_t forgotten_descriptors;

namespace {

constexpr std::size_t most_descriptors = 65536, longest_name = 4096;

constexpr std::string_view others = "(others)/";  // of folders that do not have a record

OpenFile* open_files;  // by descriptor; a child of fork finds zeros

struct FileByName {
    FileRecord* record;

    struct Key {
        std::uint64_t hash;
        bool operator==(const Key&) const = default;
    };
    Key key() const { return {record->hash}; }
    FileRecord*& mark() { return record; }
    bool is(const Key& wanted) const { return key() == wanted; }
    static std::uint64_t hash(const Key& wanted) { return wanted.hash; }
};

BoundedLock lock;
MappedTable<FileByName> by_name;  // under the lock
std::uint32_t files, folders;     // the same

// What is to become a record. `name` need not end with a zero.
struct FoundFile {
    std::string_view name;
    FileKind kind;
    std::uint64_t file_system = 0;
    std::uint32_t block = 0;
};

FileByName::Key key_of(const FoundFile& found) {
    const std::uint64_t hash = text_hash(found.name) + static_cast<std::uint64_t>(found.kind);
    return {hash != 0 ? hash : 1};
}

FileRecord* new_record(ThreadState& state, const FoundFile& found) {
    auto* const record = static_cast<FileRecord*>(state.arena.allocate_small(sizeof(FileRecord)));
    auto* const name = static_cast<char*>(state.arena.allocate(found.name.size() + 1));
    if (!record || !name)
        return nullptr;
    std::copy(found.name.begin(), found.name.end(), name);  // zeros follow
    record->name = name;
    record->hash = key_of(found).hash;
    record->file_system = found.file_system;
    record->block = found.block;
    record->kind = found.kind;
    prepend(process_record->files, record);
    return record;
}

// Up to the last '/', with it; empty if there is none.
std::string_view folder_in(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

// Files that the kernel makes of its own data: there are thousands, which say little.
bool is_of_kernel(std::string_view name) {
    return name.starts_with("/proc/") || name.starts_with("/sys/");
}
std::string_view top_folder_in(std::string_view name) {
    return name.substr(0, name.find('/', 1) + 1);
}

// Under the lock.
const FileRecord* record_of(ThreadState& state, FoundFile found) {
    if (const FileByName* const known = by_name.find(key_of(found)))
        return known->record;
    if (found.kind == FileKind::file && files >= most_files)
        return record_of(state, {folder_in(found.name), FileKind::folder, found.file_system});
    if (found.kind == FileKind::folder && folders >= most_file_folders && found.name != others)
        return record_of(state, {others, FileKind::folder});
    FileRecord* const record = new_record(state, found);
    if (!record || !by_name.find_or_add({record}))
        return record;
    files += found.kind == FileKind::file;
    folders += found.kind == FileKind::folder;
    return record;
}

const FileRecord* locked_record_of(ThreadState& state, const FoundFile& found) {
    if (!process_record || !lock.lock())
        return nullptr;
    const FileRecord* const record = record_of(state, found);
    lock.unlock();
    return record;
}

// The system calls themselves: libvftrace_io does not see these.
bool status_of(int descriptor, struct stat& status) {
    return syscall(SYS_fstat, descriptor, &status) == 0;
}
std::string_view name_of(int descriptor, char (&buffer)[longest_name]) {
    char link[32] = "/proc/self/fd/";
    *std::to_chars(link + std::strlen(link), link + sizeof link - 1, descriptor).ptr = '\0';
    const long bytes = syscall(SYS_readlinkat, AT_FDCWD, link, buffer, sizeof buffer);
    return {buffer, bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
}

// By the numbers that the kernel gives them (its documentation: admin-guide/devices.rst).
bool is_terminal(const struct stat& status) {
    constexpr unsigned consoles = 4, alternative = 5, first_pty = 136, last_pty = 143;
    const unsigned number = major(status.st_rdev);
    return S_ISCHR(status.st_mode) && (number == consoles || number == alternative ||
                                       (number >= first_pty && number <= last_pty));
}

const FileRecord* look_at(ThreadState& state, int descriptor) {
    struct stat status {};
    if (!status_of(descriptor, status))
        return nullptr;
    FoundFile found{{}, FileKind::other};
    char buffer[longest_name];
    if (S_ISFIFO(status.st_mode)) {
        found.kind = FileKind::pipe;
    } else if (S_ISSOCK(status.st_mode)) {
        found.kind = FileKind::socket;
    } else if (is_terminal(status)) {
        found.kind = FileKind::terminal;
    } else if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISCHR(status.st_mode) ||
               S_ISBLK(status.st_mode)) {
        found.kind = S_ISREG(status.st_mode)   ? FileKind::file
                     : S_ISDIR(status.st_mode) ? FileKind::folder
                                               : FileKind::device;
        found.name = name_of(descriptor, buffer);
        found.block = static_cast<std::uint32_t>(status.st_blksize);
        struct statfs system {};
        if (syscall(SYS_fstatfs, descriptor, &system) == 0)
            found.file_system = static_cast<std::uint64_t>(system.f_type);
        if (is_of_kernel(found.name)) {
            found.kind = FileKind::folder;
            found.name = top_folder_in(found.name);
        } else if (found.kind == FileKind::folder && found.name != "/" &&
                   found.name.size() < sizeof buffer) {
            buffer[found.name.size()] = '/';
            found.name = {buffer, found.name.size() + 1};
        }
    }
    return locked_record_of(state, found);
}

}  // namespace

bool prepare_open_files() {
    if (!open_files)
        open_files =
            static_cast<OpenFile*>(map_memory_wiped_on_fork(most_descriptors * sizeof(OpenFile)));
    return open_files;
}

void forget_files() {
    by_name = {};
    files = folders = 0;
    lock = {};
    if (open_files)  // where the kernel does not wipe it
        forget_descriptors(0, most_descriptors - 1);
}

OpenFile* known_open_file(int descriptor) {
    if (!open_files || descriptor < 0 || descriptor >= static_cast<int>(most_descriptors))
        return nullptr;
    OpenFile& file = open_files[descriptor];
    return __atomic_load_n(&file.file, __ATOMIC_ACQUIRE) ? &file : nullptr;
}

OpenFile* open_file(ThreadState& state, int descriptor) {
    if (OpenFile* const known = known_open_file(descriptor))
        return known;
    if (!open_files || descriptor < 0 || descriptor >= static_cast<int>(most_descriptors))
        return nullptr;
    const FileRecord* const record = look_at(state, descriptor);
    if (!record)
        return nullptr;
    OpenFile& file = open_files[descriptor];
    const long at = syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
    set_shared(file.position, at > 0 ? static_cast<std::uint64_t>(at) : 0);
    set_shared(file.end, std::uint64_t{0});
    __atomic_store_n(&file.file, record, __ATOMIC_RELEASE);
    return &file;
}

const FileRecord* folder_of(ThreadState& state, const char* path) {
    if (!path)
        return nullptr;
    std::string_view folder = folder_in({path, strnlen(path, longest_name)});
    if (is_of_kernel(folder))
        folder = top_folder_in(folder);
    return locked_record_of(state, {folder.empty() ? "./" : folder, FileKind::folder});
}

void forget_descriptors(unsigned first, unsigned last) {
    __atomic_fetch_add(&forgotten_descriptors, 1, __ATOMIC_RELEASE);
    if (!open_files)
        return;
    last = std::min<unsigned>(last, most_descriptors - 1);
    for (unsigned i = first; i <= last; i++)
        if (__atomic_load_n(&open_files[i].file, __ATOMIC_RELAXED))
            __atomic_store_n(&open_files[i].file, static_cast<const FileRecord*>(nullptr),
                             __ATOMIC_RELEASE);
}

}  // namespace vftrace
