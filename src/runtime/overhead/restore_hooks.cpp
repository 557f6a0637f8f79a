// The public function that restores removed hooks.
#include "overhead/unwanted.hpp"
#include "vftrace.h"

extern "C" [[gnu::visibility("default")]] int vftrace_restore_hooks(void) {
    // Where nothing is recorded, hooks are of no use.
    return vftrace::all_hooks_are_out() ? 0 : static_cast<int>(vftrace::restore_unwanted());
}
