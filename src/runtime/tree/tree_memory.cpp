#include "tree/tree_memory.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "base/kernel_files.hpp"
#include "base/size_limit.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/held_cancellation.hpp"
#include "guest/reopened_file.hpp"
#include "guest/seccomp.hpp"
#include "record/mark_name.hpp"
#include "tree/own_record.hpp"

namespace vftrace {

ProcessRecord* process_record;

namespace {

std::size_t page = 4096;  // at least; a multiple of the system's page size

ReopenedFile file;
bool file_is_in_memory;  // and never written to a disk
BoundedLock lock;
Arena texts(map_tree_memory);

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

constexpr unsigned long tmpfs_type = 0x01021994, ramfs_type = 0x858458f6;

// The file system's number, 0 if it is not known.
unsigned long file_system_type(const char* directory) {
    struct statfs information;
    return statfs(directory, &information) == 0 ? static_cast<unsigned long>(information.f_type)
                                                : 0;
}

// File systems of this machine. A tree on NFS or Lustre would be written to over the network by
// every call.
bool is_local(unsigned long type) {
    constexpr unsigned long types[] = {tmpfs_type,
                                       ramfs_type,
                                       0xef53 /* ext2 to ext4 */,
                                       0x58465342 /* xfs */,
                                       0x9123683e /* btrfs */,
                                       0xf2f52010 /* f2fs */,
                                       0x2fc12fc1 /* zfs */,
                                       0x794c7630 /* overlayfs */,
                                       0xca451a4e /* bcachefs */,
                                       0x3153464a /* jfs */,
                                       0x52654973 /* reiserfs */};
    return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

// Makes room for `bytes` more at the end of the file.
bool extend(int descriptor, std::uint64_t offset, std::size_t bytes) {
    // Written, not fallocated: page faults on extents that were never written cost twice as much on
    // ext4.
    static char zeros[64 * 1024];
    for (std::size_t done = 0; done < bytes;) {
        iovec parts[16];
        int count = 0;
        std::size_t size = 0;
        for (; count < static_cast<int>(std::size(parts)) && done + size < bytes; count++) {
            parts[count] = {zeros, std::min(bytes - done - size, sizeof zeros)};
            size += parts[count].iov_len;
        }
        const ssize_t written = write_within_limit(
            [&] { return pwritev(descriptor, parts, count, static_cast<off_t>(offset + done)); });
        if (written != static_cast<ssize_t>(size))
            return false;
        done += size;
    }
    return true;
}

// Maps a piece so that its first use costs one or two system calls instead of page faults. For
// files on disks, the kernel must notice the first write to each page; a mapping that was populated
// by MAP_POPULATE, which only reads, would still cause a fault for each page, and a more expensive
// one than without it. On tmpfs, reading is enough, and populates many pages at once. Without
// MADV_POPULATE_WRITE (Linux 5.14) there is one fault per page, as in anonymous memory.
void* map_piece(int descriptor, void* address, std::uint64_t offset, std::size_t bytes) {
    const int flags =
        MAP_SHARED | (file_is_in_memory ? MAP_POPULATE : 0) | (address ? MAP_FIXED : 0);
    void* start =
        mmap(address, bytes, PROT_READ | PROT_WRITE, flags, descriptor, static_cast<off_t>(offset));
    if (start == MAP_FAILED)
        return nullptr;
    if (!file_is_in_memory)
        madvise(start, bytes, MADV_POPULATE_WRITE);
    return start;
}

// The rest of the last piece. Small pieces are parts of larger ones, which grow with the file,
// because each growth costs nine system calls, and a process may have only 65,530 mappings.
char* spare;
std::size_t spare_bytes;
constexpr std::size_t least_growth = 128 * 1024, most_growth = 1024 * 1024;

// The place for recording one more extent; nullptr if there is none.
FileExtent* new_extent(int descriptor) {
    ProcessRecord& record = *process_record;
    constexpr std::uint32_t first = sizeof record.first_extents / sizeof *record.first_extents;
    std::uint32_t index = record.extent_count;
    if (index < first)
        return &record.first_extents[index];
    std::uint32_t number = (index - first) / ProcessRecord::extents_per_page;
    std::uint32_t place = (index - first) % ProcessRecord::extents_per_page;
    static FileExtent* current_page;
    if (number >= ProcessRecord::max_extent_pages)
        return nullptr;
    if (place == 0) {
        if (!extend(descriptor, record.file_bytes, page))
            return nullptr;
        current_page =
            static_cast<FileExtent*>(map_piece(descriptor, nullptr, record.file_bytes, page));
        if (!current_page)
            return nullptr;
        record.extent_pages[number] = record.file_bytes;
        record.file_bytes += page;
    }
    return &current_page[place];
}

// Appends a piece to the file and maps it, at `address` or, if that is nullptr, anywhere.
void* grow_file(void* address, std::size_t bytes) {
    ProcessRecord& record = *process_record;
    void* start = nullptr;
    int descriptor = file.open();
    if (descriptor < 0)
        return nullptr;
    FileExtent* extent = new_extent(descriptor);
    if (extent && extend(descriptor, record.file_bytes, bytes))
        start = map_piece(descriptor, address, record.file_bytes, bytes);
    if (start) {
        extent->address = reinterpret_cast<std::uintptr_t>(start);
        extent->offset = record.file_bytes;
        __atomic_store_n(&extent->bytes, bytes, __ATOMIC_RELEASE);
        __atomic_store_n(&record.extent_count, record.extent_count + 1, __ATOMIC_RELEASE);
        record.file_bytes += bytes;
        record.latest = read_both_clocks();
    }
    close(descriptor);
    return start;
}

// What is left of the file when the program has limited its system calls.
struct LastPiece {
    char* start;
    std::size_t bytes, used;
} last_piece;

void* take_of_last_piece(std::size_t bytes) {
    std::size_t used = __atomic_load_n(&last_piece.used, __ATOMIC_RELAXED);
    do {
        if (bytes > last_piece.bytes - used) {
            process_record->incomplete = true;
            return nullptr;
        }
    } while (!__atomic_compare_exchange_n(&last_piece.used, &used, used + bytes, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return last_piece.start + used;
}

// The next piece of the file, at `address` or, if that is nullptr, anywhere.
void* take_piece(void* address, std::size_t bytes) {
    if (!file)
        return nullptr;
    if (seccomp_filter_was_noted())
        return address ? nullptr : take_of_last_piece(bytes);
    HeldCancellation held;
    if (!lock.lock())
        return nullptr;
    const bool is_small = !address && bytes <= least_growth / 2;
    if (is_small && bytes > spare_bytes) {
        const std::size_t growth = std::clamp<std::size_t>(
            std::bit_floor(process_record->file_bytes / 4), least_growth, most_growth);
        if (void* more = grow_file(nullptr, growth)) {
            spare = static_cast<char*>(more);
            spare_bytes = growth;
        }
    }
    void* start = nullptr;
    if (is_small && bytes <= spare_bytes) {
        start = spare;
        spare += bytes;
        spare_bytes -= bytes;
    } else {  // a small one, too, if a limit leaves no room for more
        start = grow_file(address, bytes);
    }
    lock.unlock();
    if (!start)
        process_record->incomplete = true;
    return start;
}

// The beginning of the file, with the process's record.
void map_first_piece(int descriptor, std::size_t bytes) {
    if (!extend(descriptor, 0, bytes))
        return;
    auto start = static_cast<char*>(map_piece(descriptor, nullptr, 0, bytes));
    process_record = reinterpret_cast<ProcessRecord*>(start);
    spare = start + page;
    spare_bytes = start ? bytes - page : 0;
}

// `type` is the number of the directory's file system.
bool create_in(const char* directory, unsigned long type) {
    char path[PATH_MAX];
    if (!directory || !*directory || std::strlen(directory) > PATH_MAX - 64)
        return false;
    std::snprintf(path, sizeof path, "%s/vftrace-%u-%d-%llx.tree", directory,
                  static_cast<unsigned>(geteuid()), static_cast<int>(getpid()),
                  static_cast<unsigned long long>(unix_time_ns()));
    int descriptor = file.set_path(path) ? file.create(0600) : -1;
    if (descriptor < 0)
        return false;
    fchmod(descriptor, 0600);  // regardless of the umask: it is opened again and again
    file_is_in_memory = type == tmpfs_type || type == ramfs_type;
    process_record = nullptr;
    map_first_piece(descriptor, page + least_growth);
    if (!process_record)
        map_first_piece(descriptor, page);
    close(descriptor);
    if (!process_record)
        file.remove();
    return process_record;
}

void create_file(const TreeFileSettings& settings) {
    if (settings.directory) {
        create_in(settings.directory, file_system_type(settings.directory));
        return;
    }
    for (const char* directory :
         {const_cast<const char*>(std::getenv("TMPDIR")), "/tmp", "/dev/shm"}) {
        const unsigned long type = directory ? file_system_type(directory) : 0;
        if (is_local(type) && create_in(directory, type))
            return;
    }
}

// The copy of the file that another process may have made, from which figures are counted.
void remove_mark() {
    char name[PATH_MAX];
    const int length = std::snprintf(name, sizeof name, "%s%s", file.path(), mark_suffix);
    if (length > 0 && static_cast<std::size_t>(length) < sizeof name)
        unlink(name);
}

}  // namespace

bool start_tree_memory(const TreeFileSettings& settings) {
    page = static_cast<std::size_t>(std::max(getpagesize(), 4096));
    file.forget();
    process_record = nullptr;
    last_piece = {};
    lock = {};
    spare_bytes = 0;
    texts = Arena(map_tree_memory);
    if (settings.active)
        create_file(settings);
    bool in_file = process_record;
    if (!in_file)
        process_record = static_cast<ProcessRecord*>(map_memory(page));
    if (!process_record)
        return false;
    ProcessRecord& record = *process_record;
    record.layout = process_record_layout;
    record.record_bytes = sizeof record;
    record.address = process_record;
    record.pid = getpid();
    record.parent_pid = getppid();
    record.pid_namespace = own_pid_namespace();
    record.process_start = process_start(static_cast<pid_t>(record.pid));
    record.host = record.job = record.application = record.command_line = record.output_base = "";
    record.config_source = record.config_text = "";
    record.ranks = 1;
    if (in_file) {
        const std::size_t bytes = page + spare_bytes;
        record.first_extents[0] = {reinterpret_cast<std::uintptr_t>(process_record), 0, bytes};
        record.extent_count = 1;
        record.file_bytes = bytes;
    }
    // Last: a file without it has nothing in it, because its process was killed while it started.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    std::memcpy(record.magic, process_record_magic, sizeof record.magic);
    return true;
}

const char* tree_file_path() { return file ? file.path() : nullptr; }

void remove_tree_file() {
    int saved_errno = errno;
    if (file)
        remove_mark();
    file.remove();
    errno = saved_errno;
}

void give_tree_file_to(uid_t user) {
    const int descriptor = file ? file.open() : -1;
    if (descriptor < 0)
        return;
    // What is of no use to the process remains as it is.
    [[maybe_unused]] const int result = fchown(descriptor, user, static_cast<gid_t>(-1));
    close(descriptor);
}

void* map_tree_memory(std::size_t bytes) {
    int saved_errno = errno;
    bytes = (bytes + page - 1) & ~(page - 1);
    void* start = take_piece(nullptr, bytes);
    if (!start)
        start = map_memory(bytes);
    errno = saved_errno;
    return start;
}

void take_last_tree_memory(std::size_t bytes) {
    last_piece = {};
    if (void* start = take_piece(nullptr, bytes))
        last_piece = {static_cast<char*>(start), bytes, 0};
}

void put_into_tree_file(void* address, std::size_t bytes) {
    int saved_errno = errno;
    take_piece(address, bytes);
    errno = saved_errno;
}

const char* keep_text(const char* text) {
    std::size_t size = std::strlen(text) + 1;
    void* copy = texts.allocate(size);
    return copy ? static_cast<const char*>(std::memcpy(copy, text, size)) : "";
}

}  // namespace vftrace
