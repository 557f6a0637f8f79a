#include "regions/region_page.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.hpp"
#include "base/fnv.hpp"
#include "base/kernel_files.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/job_step.hpp"

namespace vftrace {
namespace {

constexpr char magic[8] = {'v', 'f', 'r', 'e', 'g', 'i', 'o', 'n'};
constexpr const char* folder = "/dev/shm";

char path[96];  // of the shared page; "": it is not shared

// Processes of one step of a job have the same hash; if the step does not have a name, the children
// of one launcher do. Those in different containers do not see each other's numbers.
std::uint64_t hash_of_job() {
    const std::string step = launcher_step();
    const pid_t parent = getppid();
    const std::uint64_t of_step =
        step.empty()
            ? fnv1a(fnv1a(fnv_basis, static_cast<std::uint64_t>(parent)), process_start(parent))
            : fnv1a(step.c_str());
    return fnv1a(of_step, own_pid_namespace());
}

// Anybody may create files in the folder. One of another user, or one that others may write to,
// would give them our regions, and its owner could truncate it while it is mapped, which ends
// processes by SIGBUS. So a file is mapped only if nobody else (except root) could ever have opened
// it.
bool is_own(const struct stat& file) {
    constexpr mode_t permissions = 07777;
    return file.st_uid == geteuid() && S_ISREG(file.st_mode) &&
           (file.st_mode & permissions) == 0600 && file.st_nlink == 1;
}

RegionPage* map_shared(int file) {
    void* memory = mmap(nullptr, sizeof(RegionPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<RegionPage*>(memory);
}

void make_ready(RegionPage& page) {
    page.namespace_of_pids = own_pid_namespace();
    std::memcpy(page.magic, magic, sizeof magic);
    page.bytes = sizeof(RegionPage);
    page.maker = getpid();
    page.maker_start = process_start(getpid());
    __atomic_store_n(&page.ready, 1, __ATOMIC_RELEASE);
}

// nullptr: another process has created it, or an error (errno).
RegionPage* make_shared() {
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return nullptr;
    fchmod(file, 0600);  // whatever the umask
    RegionPage* page = nullptr;
    // Written to now, so that missing memory is noticed here and not by a signal later.
    if (const int error = posix_fallocate(file, 0, sizeof(RegionPage)); error == 0)
        page = map_shared(file);
    else
        errno = error;
    const int error = errno;
    close(file);
    if (page)
        make_ready(*page);
    else
        unlink(path);
    errno = error;
    return page;
}

bool is_there(const RegionPage::Process& process) {
    const std::uint64_t start = __atomic_load_n(&process.start, __ATOMIC_ACQUIRE);
    return start != 0 && process_start(process.pid) == start;
}

bool is_whole(const RegionPage& page) {
    return __atomic_load_n(&page.ready, __ATOMIC_ACQUIRE) &&
           std::memcmp(page.magic, magic, sizeof magic) == 0 && page.bytes == sizeof(RegionPage);
}

bool is_left_over(const RegionPage& page) {
    if (page.namespace_of_pids != own_pid_namespace())
        return false;  // from a container about which nothing is known here
    return process_start(page.maker) != page.maker_start &&
           std::none_of(std::begin(page.processes), std::end(page.processes), is_there);
}

enum class Joined : std::uint8_t { yes, not_there, left_over, not_ours };

Joined join_shared(RegionPage*& page) {
    const int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? Joined::not_there : Joined::not_ours;
    struct stat information = {};
    RegionPage* found = nullptr;
    bool is_ours = false;
    // Its creator has only just created it, or is dead.
    for (int tries = 0; tries < 200; tries++) {
        is_ours = fstat(file, &information) == 0 && is_own(information);
        if (is_ours && information.st_size == sizeof(RegionPage) && !found)
            found = map_shared(file);
        if (information.st_uid != geteuid() ||
            (found && __atomic_load_n(&found->ready, __ATOMIC_ACQUIRE)))
            break;
        const timespec wait{0, 1'000'000};
        nanosleep(&wait, nullptr);
    }
    close(file);
    if (is_ours && found && is_whole(*found) && !is_left_over(*found)) {
        page = found;
        return Joined::yes;
    }
    if (found)
        munmap(found, sizeof(RegionPage));
    return is_ours ? Joined::left_over : Joined::not_ours;
}

// Pages of jobs whose processes have all been killed are not removed otherwise.
void remove_left_overs(const char* own_prefix) {
    DIR* entries = opendir(folder);
    if (!entries)
        return;
    const std::size_t length = std::strlen(own_prefix);
    while (const dirent* entry = readdir(entries)) {
        if (std::strncmp(entry->d_name, own_prefix, length) != 0)
            continue;
        const int file = openat(dirfd(entries), entry->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        struct stat information;
        RegionPage* page = file >= 0 && fstat(file, &information) == 0 && is_own(information) &&
                                   information.st_size == sizeof(RegionPage)
                               ? map_shared(file)
                               : nullptr;
        if (file >= 0)
            close(file);
        if (!page)
            continue;
        if (is_whole(*page) && is_left_over(*page))
            unlinkat(dirfd(entries), entry->d_name, 0);
        munmap(page, sizeof(RegionPage));
    }
    closedir(entries);
}

RegionPage* open_shared() {
    char prefix[48];
    std::snprintf(prefix, sizeof prefix, "vftrace-regions-%lu-",
                  static_cast<unsigned long>(geteuid()));
    std::snprintf(path, sizeof path, "%s/%s%016llx", folder, prefix,
                  static_cast<unsigned long long>(hash_of_job()));
    for (int tries = 0; tries < 8; tries++) {
        if (RegionPage* page = make_shared()) {
            remove_left_overs(prefix);
            return page;
        }
        if (errno != EEXIST)
            break;
        RegionPage* page = nullptr;
        const Joined joined = join_shared(page);
        if (joined == Joined::yes)
            return page;
        if (joined == Joined::left_over)
            unlink(path);
        if (joined == Joined::not_ours) {
            errno = EACCES;
            break;
        }
    }
    return nullptr;
}

// The process may have an entry from before it called exec.
bool take_entry(OwnPage& own) {
    const auto pid = static_cast<std::int64_t>(getpid());
    for (std::uint32_t i = 0; i < most_processes; i++) {
        RegionPage::Process& entry = own.page->processes[i];
        std::int64_t known = 0;
        if (!__atomic_compare_exchange_n(&entry.pid, &known, pid, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE) &&
            known != pid)
            continue;
        free_slots(*own.page, i);
        __atomic_store_n(&entry.epochs, std::uint64_t{0}, __ATOMIC_RELAXED);
        __atomic_store_n(&entry.start, process_start(pid), __ATOMIC_RELEASE);
        own.process = i;
        return true;
    }
    return false;
}

}  // namespace

OwnPage open_region_page() {
    OwnPage own;
    path[0] = '\0';
    if (is_one_of_several()) {
        own.page = open_shared();
        if (!own.page) {
            message_of(Speaker::machine,
                       "region_report.active: %s: %s; the regions of this host are not sampled",
                       path, std::strerror(errno));
            return {};
        }
    } else if (void* memory = map_memory(sizeof(RegionPage))) {
        own.page = static_cast<RegionPage*>(memory);
        make_ready(*own.page);
    } else {
        return {};
    }
    if (!take_entry(own)) {
        message("region_report.active: at most %zu processes per host are supported; the regions "
                "of this process are not sampled",
                most_processes);
        return {};
    }
    return own;
}

void leave_region_page(const OwnPage& own) {
    if (!own.page)
        return;
    free_slots(*own.page, own.process);
    __atomic_store_n(&own.entry().start, std::uint64_t{0}, __ATOMIC_RELEASE);
    bool is_used = false;
    for (const RegionPage::Process& process : own.page->processes)
        is_used |= is_there(process);
    if (!is_used && *path)
        unlink(path);
}

bool take_over_sampling(const OwnPage& own) {
    RegionPage& page = *own.page;
    std::uint32_t sampler = relaxed(page.sampler);
    const std::uint32_t us = own.process + 1;
    if (sampler == us)
        return true;  // before exec
    if (sampler > most_processes || (sampler != 0 && is_there(page.processes[sampler - 1])))
        return false;
    return __atomic_compare_exchange_n(&page.sampler, &sampler, us, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

PublishedPlace* take_slot(const OwnPage& own, std::uint32_t thread) {
    RegionPage& page = *own.page;
    for (std::uint32_t i = 0; i < most_slots; i++) {
        PublishedPlace& slot = page.slots[i];
        std::uint32_t none = 0;
        if (relaxed(slot.process) != 0 ||
            !__atomic_compare_exchange_n(&slot.process, &none, own.process + 1, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        set_shared(slot.thread, thread);
        std::uint32_t used = relaxed(page.slots_used);
        while (used < i + 1 && !__atomic_compare_exchange_n(&page.slots_used, &used, i + 1, false,
                                                            __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
        }
        return &slot;
    }
    return nullptr;
}

void free_slot(PublishedPlace& slot) {
    set_shared(slot.place, std::uint64_t{0});
    set_shared(slot.master, 0u);
    set_shared(slot.tid, 0);
    __atomic_store_n(&slot.process, 0u, __ATOMIC_RELEASE);
}

void free_slots(RegionPage& page, std::uint32_t process) {
    const std::uint32_t used = std::min<std::uint32_t>(relaxed(page.slots_used), most_slots);
    for (std::uint32_t i = 0; i < used; i++) {
        PublishedPlace& slot = page.slots[i];
        if (relaxed(slot.process) == process + 1)
            free_slot(slot);
    }
}

}  // namespace vftrace
