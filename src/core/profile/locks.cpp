#include "profile/locks.hpp"

#include <algorithm>
#include <iterator>

namespace vftrace {
namespace {

constexpr std::string_view texts[] = {
    "",        "mutex", "read-write lock", "condition variable", "semaphore",
    "barrier", "once",  "end of a thread", "file lock"};
static_assert(std::size(texts) == lock_kinds);

bool is_same_lock(const LockWait& a, const LockWait& b) {
    return a.module == b.module && a.offset == b.offset && a.origin == b.origin && a.kind == b.kind;
}

std::int64_t time_of(std::span<const LockWait> rows, std::uint32_t LockWait::*member,
                     std::uint32_t path) {
    std::int64_t ns = 0;
    for (const LockWait& row : rows)
        if (row.*member == path)
            ns += row.ns;
    return ns;
}

std::uint32_t path_with_most(std::span<const LockWait> rows, std::uint32_t LockWait::*member) {
    std::vector<const LockWait*> known;
    for (const LockWait& row : rows)
        if (row.*member != no_index)
            known.push_back(&row);
    std::sort(known.begin(), known.end(),
              [&](const LockWait* a, const LockWait* b) { return a->*member < b->*member; });
    std::uint32_t longest = no_index;
    std::int64_t longest_ns = -1, ns = 0;
    for (std::size_t i = 0; i < known.size(); i++) {
        const std::uint32_t path = known[i]->*member;
        ns = i > 0 && known[i - 1]->*member == path ? ns + known[i]->ns : known[i]->ns;
        if (ns > longest_ns) {
            longest = path;
            longest_ns = ns;
        }
    }
    return longest;
}

}  // namespace

std::string_view text_of(LockKind kind) { return texts[static_cast<std::size_t>(kind)]; }

std::uint32_t Lock::main_waiter() const { return path_with_most(rows, &LockWait::path); }
std::uint32_t Lock::main_holder() const { return path_with_most(rows, &LockWait::holder); }
std::int64_t Lock::ns_of_waiter(std::uint32_t path) const {
    return time_of(rows, &LockWait::path, path);
}
std::int64_t Lock::ns_of_holder(std::uint32_t path) const {
    return time_of(rows, &LockWait::holder, path);
}

std::uint32_t path_outside_library(const Profile& profile, std::uint32_t path) {
    constexpr std::string_view library[] = {"std::", "__gnu_cxx::", "__gthread_", "__glibcxx_"};
    for (std::uint32_t at = path; at != no_index; at = profile.paths[at].parent) {
        const Function& function = profile.functions[profile.paths[at].function];
        if (function.kind == NodeKind::root || function.kind == NodeKind::thread)
            break;
        const std::string& name = function.display;
        if (std::none_of(std::begin(library), std::end(library),
                         [&](std::string_view prefix) { return name.starts_with(prefix); }))
            return at;
    }
    return path;
}

std::vector<Lock> locks_of(const Profile& profile) {
    std::vector<Lock> locks;
    const std::vector<LockWait>& all = profile.lock_waits;
    for (auto begin = all.begin(); begin != all.end();) {
        const auto end = std::find_if(
            begin, all.end(), [&](const LockWait& row) { return !is_same_lock(*begin, row); });
        Lock lock{{begin, end}};
        for (const LockWait& row : lock.rows) {
            lock.waits += row.waits;
            lock.ns += row.ns;
            lock.longest_ns = std::max(lock.longest_ns, row.longest_ns);
        }
        locks.push_back(lock);
        begin = end;
    }
    std::stable_sort(locks.begin(), locks.end(),
                     [](const Lock& a, const Lock& b) { return a.ns > b.ns; });
    return locks;
}

}  // namespace vftrace
