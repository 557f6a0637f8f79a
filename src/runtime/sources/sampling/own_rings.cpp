#include "sampling/own_rings.hpp"

#include <cstdint>
#include <unistd.h>

#include "base/arena.hpp"
#include "guest/valgrind.hpp"

namespace vftrace {
namespace {

// Points to 1; a child of fork finds 0 there.
std::uint64_t* mark;

}  // namespace

bool allow_rings() {
    if (runs_in_valgrind())
        return false;
    if (!mark)  // else this may be a child, which may have limited its system calls
        mark = static_cast<std::uint64_t*>(
            map_memory_wiped_on_fork(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))));
    if (mark)
        *mark = 1;
    return mark;
}

bool rings_are_here() { return mark && *mark != 0; }

}  // namespace vftrace
