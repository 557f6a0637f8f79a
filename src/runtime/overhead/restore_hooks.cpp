// The public function that restores removed hooks.
#include "overhead/unwanted.hpp"
#include "vftrace.h"

extern "C" [[gnu::visibility("default")]] int vftrace_restore_hooks(void) {
    return static_cast<int>(vftrace::restore_unwanted());
}
