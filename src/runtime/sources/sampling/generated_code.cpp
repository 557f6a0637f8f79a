#include "sampling/generated_code.hpp"

#include <algorithm>
#include <cstring>
#include <unistd.h>

#include "base/clock.hpp"
#include "guest/own_errno.hpp"
#include "guest/seccomp.hpp"
#include "record/function_place.hpp"
#include "sampling/unwind_rules.hpp"

namespace vftrace {
namespace {

bool is_listed;
std::uint64_t looked_at;  // ns

// snprintf() may not be called in signal handlers.
void write_path(char* at) {
    constexpr char start[] = "/tmp/perf-", end[] = ".map";
    std::memcpy(at, start, sizeof start - 1);
    at += sizeof start - 1;
    char* const digits = at;
    for (auto rest = static_cast<unsigned long>(getpid()); rest > 0; rest /= 10)
        *at++ = static_cast<char>('0' + rest % 10);
    std::reverse(digits, at);
    std::memcpy(at, end, sizeof end);
}

void look_for_list() {
    constexpr std::uint64_t interval_ns = 100'000'000;
    const std::uint64_t now = monotonic_ns();
    const std::uint64_t before = __atomic_load_n(&looked_at, __ATOMIC_RELAXED);
    if ((before != 0 && now - before < interval_ns) || seccomp_filter_was_noted())
        return;
    __atomic_store_n(&looked_at, now, __ATOMIC_RELAXED);
    char path[64];
    write_path(path);
    const int error = own_errno();
    if (access(path, R_OK) == 0) {
        __atomic_store_n(&is_listed, true, __ATOMIC_RELAXED);
        __atomic_add_fetch(&unwind_generation, 1, __ATOMIC_RELEASE);  // rules for pages
    }
    own_errno() = error;
}

}  // namespace

std::uintptr_t generated_code_key(std::uintptr_t pc) {
    if (!__atomic_load_n(&is_listed, __ATOMIC_RELAXED))
        look_for_list();
    return __atomic_load_n(&is_listed, __ATOMIC_RELAXED) ? generated_block(pc) : page_of_code(pc);
}

}  // namespace vftrace
