// Writes single bytes to the program's code, through /proc/self/mem or with mprotect.
#include "patch/code_writer.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "patch/mapped_protection.hpp"

namespace vftrace {
namespace {

// Values of linux/membarrier.h, since Linux 4.16.
constexpr int membarrier_sync_core = 1 << 5, membarrier_register_sync_core = 1 << 6;

enum class Writable { unknown, yes, no };
Writable code_is_writable = Writable::unknown;

// System calls, because libc's functions are cancellation points.
int open_file(const char* path, int flags) {
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC));
}

void serialise_other_processors() {
    if (syscall(SYS_membarrier, membarrier_sync_core, 0, 0) == 0 || errno != EPERM)
        return;
    // A process has to register before its first use.
    if (syscall(SYS_membarrier, membarrier_register_sync_core, 0, 0) == 0)
        syscall(SYS_membarrier, membarrier_sync_core, 0, 0);
}

std::uint8_t byte_at(std::uintptr_t address) {
    return __atomic_load_n(reinterpret_cast<const std::uint8_t*>(address), __ATOMIC_RELAXED);
}

bool put_in_memory(const ModuleCode& module, std::uintptr_t address, std::uint8_t byte) {
    constexpr std::uintptr_t page_size = 4096;  // of x86-64, the only processor so far
    auto* page = reinterpret_cast<void*>(address & -page_size);
    int before = mapped_protection(address);
    if (before < 0)
        before = module.protection(address);
    bool was_writable = before & PROT_WRITE;
    // System calls, because the library or the program may have wrapped the functions.
    if (!was_writable && syscall(SYS_mprotect, page, page_size, before | PROT_WRITE) != 0)
        return false;
    __atomic_store_n(reinterpret_cast<std::uint8_t*>(address), byte, __ATOMIC_SEQ_CST);
    if (!was_writable)
        syscall(SYS_mprotect, page, page_size, before);
    return true;
}

}  // namespace

CodeWriter::~CodeWriter() {
    int saved_errno = errno;
    if (written_)
        serialise_other_processors();
    if (descriptor_ >= 0)
        syscall(SYS_close, descriptor_);
    errno = saved_errno;
}

bool CodeWriter::put_through_file(std::uintptr_t address, const std::uint8_t* bytes,
                                  std::size_t size) {
    if (file_refused_)
        return false;
    // Opened for each batch: a descriptor inherited from fork() would refer to the parent's memory.
    if (descriptor_ < 0)
        descriptor_ = open_file("/proc/self/mem", O_RDWR);
    file_refused_ = descriptor_ < 0 ||
                    syscall(SYS_pwrite64, descriptor_, bytes, size, static_cast<off_t>(address)) !=
                        static_cast<long>(size);
    return !file_refused_;
}

bool CodeWriter::put(const ModuleCode& module, std::uintptr_t address, std::uint8_t byte) {
    int saved_errno = errno;
    bool done = put_through_file(address, &byte, 1) || put_in_memory(module, address, byte);
    done = done && byte_at(address) == byte;
    errno = saved_errno;
    if (done)
        code_is_writable = Writable::yes;
    else if (code_is_writable == Writable::unknown)
        code_is_writable = Writable::no;
    return done;
}

bool CodeWriter::write(const ModuleCode& module, std::uintptr_t address, std::uint8_t before,
                       std::uint8_t after) {
    if (code_is_writable == Writable::no || !module.code_around(address) ||
        byte_at(address) != before || !put(module, address, after))
        return false;
    written_ = true;
    return true;
}

void CodeWriter::write_all(const ModuleCode& module, std::uintptr_t address,
                           const std::uint8_t* bytes, std::size_t size) {
    const CodeRange code = module.code_around(address);
    if (code_is_writable == Writable::no || !code || code.end - address < size)
        return;
    int saved_errno = errno;
    if (put_through_file(address, bytes, size)) {
        written_ = true;
        code_is_writable = Writable::yes;
    }
    errno = saved_errno;
}

bool CodeWriter::can_write(const ModuleCode& module, std::uintptr_t address) {
    if (code_is_writable == Writable::unknown && module.code_around(address))
        put(module, address, byte_at(address));
    return code_is_writable == Writable::yes;
}

}  // namespace vftrace
