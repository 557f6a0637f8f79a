#include "guest/seccomp.hpp"

#include <cstdint>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/proc_status.hpp"

namespace vftrace {
namespace {

bool noted;
std::uint64_t filters_at_start;

// 0: none; 2: filters.
long seccomp_mode() { return syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0); }

std::uint64_t count_filters() { return number_in_status("/proc/self/status", "Seccomp_filters"); }

}  // namespace

void note_seccomp_at_start() { filters_at_start = seccomp_mode() > 0 ? count_filters() : 0; }

void note_seccomp_filter() { __atomic_store_n(&noted, true, __ATOMIC_RELEASE); }
bool seccomp_filter_was_noted() { return __atomic_load_n(&noted, __ATOMIC_ACQUIRE); }

bool seccomp_filter_was_added() {
    if (seccomp_filter_was_noted())
        return true;
    if (seccomp_mode() <= 0)
        return false;
    if (filters_at_start > 0 && count_filters() <= filters_at_start)
        return false;
    note_seccomp_filter();
    return true;
}

}  // namespace vftrace
