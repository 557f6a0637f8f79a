// Warns if a program was linked with "-lgomp -lvftrace", so that its OpenMP calls bypass the
// library.
#include <dlfcn.h>

#include "base/message.hpp"
#include "guest/link_order.hpp"
#include "openmp/activations.hpp"

using namespace vftrace;

// Linked only into libraries that have the wrappers. Runs after the library has started. LLVM's
// library reports its events to us wherever it is in the link order.
[[gnu::constructor(102)]] static void check_link_order() {
    if (!openmp_settings.active)
        return;
    const char* library = library_before_ours(dlvsym(RTLD_DEFAULT, "GOMP_parallel", "GOMP_4.0"),
                                              reinterpret_cast<const void*>(&check_link_order));
    if (!library || dlsym(RTLD_DEFAULT, "__kmpc_fork_call"))
        return;
    message_of(
        Speaker::machine,
        "the OpenMP library %s comes before libvftrace in the program's link order: OpenMP will "
        "not be recorded. Put -lvftrace before -lgomp, or preload the library with vftrace run",
        library);
    write_held_messages();  // now, because nothing may ever be recorded
}
