// The public function that puts the calls of the hooks back.
#include "overhead/unwanted.hpp"
#include "vftrace.h"

extern "C" [[gnu::visibility("default")]] int vftrace_restore_hooks(void) {
    return static_cast<int>(vftrace::restore_unwanted());
}
