// The functions with which a process of root becomes another user for good.
//
// Its tree file is given to that user before, while that is allowed: afterwards the process could
// neither add to the file nor, in a directory like /tmp, remove it at its end.
#include <cerrno>
#include <sys/types.h>
#include <unistd.h>

#include "guest/next_function.hpp"
#include "guest/seccomp.hpp"
#include "lifecycle/abrupt_end.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

constexpr uid_t unchanged = static_cast<uid_t>(-1);

bool is_other_user(uid_t user) { return user != unchanged && user != 0; }

// Calls change(), which makes the process run as `user`, and takes the file back if that fails.
template <class Change>
int as_owner_of_tree_file(uid_t user, bool for_good, Change change) {
    const int saved_errno = errno;
    const bool concerns_us = for_good && !seccomp_filter_was_noted() && geteuid() == 0 &&
                             process_is_ours() && tree_file_path();
    if (concerns_us)
        give_tree_file_to(user);
    errno = saved_errno;
    const int result = change();
    if (result != 0 && concerns_us) {
        const int error = errno;
        give_tree_file_to(0);
        errno = error;
    }
    return result;
}

}  // namespace
}  // namespace vftrace

using namespace vftrace;

#define VFTRACE_WRAPPER extern "C" [[gnu::visibility("default")]]

VFTRACE_WRAPPER int wrapped_setuid(uid_t) noexcept asm("setuid");
int wrapped_setuid(uid_t user) noexcept {
    static int (*known)(uid_t);
    const auto real = next_function(known, "setuid");
    return as_owner_of_tree_file(user, is_other_user(user), [&] { return real(user); });
}

// The saved user becomes the effective one.
VFTRACE_WRAPPER int wrapped_setreuid(uid_t, uid_t) noexcept asm("setreuid");
int wrapped_setreuid(uid_t actual, uid_t effective) noexcept {
    static int (*known)(uid_t, uid_t);
    const auto real = next_function(known, "setreuid");
    return as_owner_of_tree_file(effective, is_other_user(actual) && is_other_user(effective),
                                 [&] { return real(actual, effective); });
}

VFTRACE_WRAPPER int wrapped_setresuid(uid_t, uid_t, uid_t) noexcept asm("setresuid");
int wrapped_setresuid(uid_t actual, uid_t effective, uid_t saved) noexcept {
    static int (*known)(uid_t, uid_t, uid_t);
    const auto real = next_function(known, "setresuid");
    return as_owner_of_tree_file(
        effective, is_other_user(actual) && is_other_user(effective) && is_other_user(saved),
        [&] { return real(actual, effective, saved); });
}
